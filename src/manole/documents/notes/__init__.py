"""What people mark in their notes: tasks, tags, properties; and the events of a calendar."""
