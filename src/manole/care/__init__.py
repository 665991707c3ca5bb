"""Care of the data that Manole keeps: checks and repairs, tidying up, export and import."""
