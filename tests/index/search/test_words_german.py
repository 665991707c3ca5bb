"""German letters, contracts, recipes and manuals, found by their words in other forms.

Words only are searched, without an embedder: the file meant is to be among the first three of the
sixteen. The first half of the questions served to make the search, the second was written with
them and looked at when it was made: it found 12 of those 15, and 14 once the words of a question
counted as known. An index that took every text for English found 2 and 3.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from contract.records import a_pair

from manole.index.search.hybrid import search
from manole.index.store.lance import LanceStore

FOLDER = Path(__file__).parent / "german"

# (query, file): other inflections, umlauts as two letters, ss for ß, parts of compounds and
# compounds of parts.
DEVELOPED = [
    ("Räumlichkeit Raum", "a1.txt"),
    ("Schlossstrasse", "a1.txt"),
    ("Frist der Kündigung zum Quartal", "a1.txt"),
    ("Kaution", "a1.txt"),
    ("Weissmueller", "a1.txt"),
    ("Prämie", "a2.txt"),
    ("Fahrrad", "a2.txt"),
    ("Vertrag der Versicherung", "a2.txt"),
    ("Pflaume", "a3.md"),
    ("Nuß", "a3.md"),
    ("Wahl der Vorsitzenden Kaessmann", "a4.txt"),
    ("Beitrag", "a4.txt"),
    ("Wasser Schlauch", "a5.txt"),
    ("Karte der Krankenkasse", "a6.txt"),
    ("Vertrag über Strom", "a7.txt"),
]
HELD_OUT = [
    ("Reifen für den Winter", "b1.txt"),
    ("Oelwechsel", "b1.txt"),
    ("Untersuchung", "b1.txt"),
    ("Fussball", "b2.txt"),
    ("Stiefel", "b2.txt"),
    ("Entschuldigung", "b2.txt"),
    ("Geräusch", "b3.txt"),
    ("Temperatur", "b3.txt"),
    ("Lorbeerblatt", "b4.md"),
    ("Gemüse", "b4.md"),
    ("Steuer beim Erwerb", "b5.txt"),
    ("Preis", "b5.txt"),
    ("Häuschen in den Ferien", "b6.txt"),
    ("Spendenquittung", "b7.txt"),
    ("Obstbaum", "b8.txt"),
]
# The first part alone is asked for, and the library knows no other word with the last.
MISSED = [("Gemüse", "b4.md")]
NOT_THERE = ["Pferd", "Auto", "Reis", "Ente", "Rat", "Kommune", "Ofen", "Ton", "Trag", "Lich"]


@pytest.fixture
async def store(tmp_path):
    store = await LanceStore.open(tmp_path / "index")
    async with store.writing(dimensions=4, embedder="none"):
        texts = [(path.name, path.read_text("utf-8")) for path in sorted(FOLDER.iterdir())]
        await store.replace([a_pair(str(at), *item) for at, item in enumerate(texts)])
    yield store
    await store.close()


async def found(store, query):
    hits = await search(store, None, query)
    return [hit.passage.path for hit in hits if hit.bm25 is not None]


async def test_a_question_in_other_forms_and_parts_of_words_finds_its_file(store):
    asked = [*DEVELOPED, *HELD_OUT]
    lost = [(query, file) for query, file in asked if file not in (await found(store, query))[:3]]
    assert lost == MISSED


@pytest.mark.parametrize("query", NOT_THERE)
async def test_letters_within_a_word_are_no_part_of_it(store, query):
    assert await found(store, query) == []


async def test_what_was_asked_for_stands_before_its_compounds(store):
    assert (await found(store, "Mieter"))[0] == "a1.txt"
    reading = await store.reading("Vertrag")
    assert reading.exact == ("vertrag",)
    assert {"liefervertrag", "kaufvertrag"} <= dict(reading.related).keys()
    assert all(0 < weight <= 1 for _, weight in reading.related)


async def test_marks_are_on_inflected_words_and_on_compounds(store):
    async def marked(query, text):
        reading = await store.reading(query)
        return [text[start:end] for start, end, _ in reading.places(text)]

    text = "Der Versicherungsvertrag und die Verträge der Haeuser"
    assert await marked("Vertrag", text) == ["Versicherungsvertrag", "Verträge"]
    assert await marked("Haus", text) == ["Haeuser"]
    assert await marked("Kaufvertrag", "Vertrag zum Kauf") == ["Vertrag", "Kauf"]
