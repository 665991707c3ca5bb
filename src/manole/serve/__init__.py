"""Interfaces for programs: one `Service`, and HTTP on top of it. Plug-ins bring others."""
