"""The routes, a module for each topic with its shapes and its `router`."""
