"""Which questions look for pages first."""

from __future__ import annotations

from datetime import date

import pytest

from manole.agent.understanding.pages import with_pages
from manole.agent.understanding.route import route


@pytest.mark.parametrize(
    ("question", "tool"),
    [
        ("What does the drawing of the pump show?", "visual_search"),
        ("Which pin is labelled GND in the wiring diagram?", "visual_search"),
        ("What is written on the cover?", "visual_search"),
        ("Which colour has the cover of the report?", "visual_search"),
        ("Whose name stands on the front cover of the report?", "visual_search"),
        ("What colour is the disc in the illustration?", "visual_search"),
        ("Welche Farbe hat der Schalter in der Abbildung?", "visual_search"),
        ("What does my insurance cover?", "semantic_search"),
        ("What frequency range does the receiver cover?", "semantic_search"),
        ("How was the leak figured out?", "semantic_search"),
        ("How can I figure out the firmware version?", "semantic_search"),
        ("Which key maps to the second channel?", "semantic_search"),
        ("How is the firmware image written to the board?", "semantic_search"),
    ],
)
def test_what_can_be_seen_is_looked_for_on_pages(question, tool):
    assert [found.tool for found in with_pages(route(question, [], date(2025, 1, 15)))] == [tool]
