"""Looking after what Manole keeps: finding what is wrong, tidying up, taking an index elsewhere."""
