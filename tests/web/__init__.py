"""The page that `manole serve` opens, in a real browser before the real server."""
