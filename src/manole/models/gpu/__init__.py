"""Graphics processors: the devices, and the start of an engine on them or on the CPU."""
