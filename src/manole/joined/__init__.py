"""Every library at once: what is found in each, fused, under its library's name."""

from manole.joined.library import ALL, JoinedLibrary

__all__ = ["ALL", "JoinedLibrary"]
