"""What a library is about, and what it suggests to ask."""

from __future__ import annotations

from datetime import date, timedelta

from manole.agent.about import MOST, about

DAY = date(2025, 1, 15)


async def test_a_library_suggests_questions_of_its_own_contents(household, session_settings):
    known = await about(household, session_settings, DAY)
    assert 3 <= len(known.questions) <= MOST
    assert any("invoice" in question.text for question in known.questions)
    assert next(iter(known.kinds)) == "pdf"
    assert known.years == (2022, 2024)
    assert "Autohaus Kessel" in known.firms
    assert known.unread == 0
    again = await about(household, session_settings, DAY)
    assert again == known
    others = [await about(household, session_settings, DAY + timedelta(n)) for n in range(1, 4)]
    assert any(other.questions != known.questions for other in others)


async def test_a_library_of_nothing_suggests_what_any_can_answer(tmp_path, session_settings):
    from manole.library import Library

    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "a.txt").write_text("nothing much", "utf-8")
    async with await Library.open(tmp_path / "empty", session_settings) as library:
        await library.sync()
        known = await about(library, session_settings, DAY)
    assert known.questions[0].text == "How many text files are there?"
    assert (known.years, list(known.firms), list(known.people)) == (None, [], [])
