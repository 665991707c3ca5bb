"""The days that matter, in papers, contracts, lists, tasks, calendars, letters and mails."""

from manole.agent.due.calendar import calendar
from manole.agent.due.found import due, due_in
from manole.agent.due.model import MOST, SOON, USUAL, Due, How, Kind, When, lists

__all__ = [
    "MOST", "SOON", "USUAL", "Due", "How", "Kind", "When", "calendar", "due", "due_in", "lists",
]  # fmt: skip
