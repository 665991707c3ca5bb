"""Graphics processors: the devices, the room on them, and notes on earlier starts."""
