"""What a person types into a search field, over a real store with the real embedder."""

from __future__ import annotations

import pytest
from contract.records import a_pair
from hypothesis import given
from hypothesis import strategies as st

from manole.index.search.typed import is_one_slip, put_right
from manole.index.store.lance import LanceStore
from manole.library import Library

TEXTS = {
    "boiler.txt": "E07: the fan does not reach its speed. Ring a specialist for the boiler.",
    "pressure.txt": "The pressure of the boiler is best between 1.2 and 1.8 bar.",
    "heizung.txt": "Die Heizung wurde im Oktober 2023 gewartet, der Brenner gereinigt.",
    "cat.txt": "The cat sleeps on the sofa all day, and at night on the piano.",
    "codes.txt": "Faults of the machine: E01 a sensor, E03 too hot, E10 no water, E12 a valve.",
    "gas.txt": "The heating cost 120 euros in March.",
    "lisbon.txt": "We flew to Portugal in June.",
    "piano.txt": "Lessons are on Wednesdays at four.",
}


@pytest.fixture(scope="module")
async def library(tmp_path_factory, session_settings):
    folder = tmp_path_factory.mktemp("typed")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    own = session_settings.model_copy(update={"data_dir": tmp_path_factory.mktemp("data")})
    async with await Library.open(folder, own) as library:
        await library.sync()
        yield library


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("bolier presure", "boiler pressure"),
        ("Heizugn 2023", "heizung 2023"),
        ("how hot is the boilerr?", "how hot is the boiler?"),
        ("spesialist", "specialist"),
    ],
)
async def test_a_slip_is_put_right_by_the_words_of_the_index(library, typed, meant):
    looked = await library.look_up(typed)
    assert looked.query == meant
    assert looked.finds[0].bm25 is not None


@pytest.mark.parametrize("typed", ["boiler", "cats", "sofe", "E08", "xylophone", "Heizung?", ""])
async def test_what_stands_there_is_short_or_like_nothing_stays_as_typed(library, typed):
    assert await put_right([await library.store()], typed) == typed


async def test_a_word_of_another_library_is_no_slip(tmp_path, library):
    other = await LanceStore.open(tmp_path / "index")
    async with other.writing(dimensions=8, embedder="none"):
        await other.replace([a_pair("1", "a.txt", "A broiler is a young hen.")])
    stores = [await library.store(), other]
    assert await put_right(stores[:1], "broiler") == "boiler"
    assert await put_right(stores, "broiler") == "broiler"
    await other.close()


async def test_beside_a_code_stands_nothing_that_only_looks_like_it(library):
    looked = await library.look_up("E07")
    assert [find.passage.path for find in looked.finds] == ["boiler.txt"]
    assert (await library.look_up("fault E07")).finds[0].passage.path == "boiler.txt"


async def test_few_passages_without_a_word_follow_those_that_have_one(library):
    looked = await library.look_up("piano")
    with_words = [find.bm25 is not None for find in looked.finds]
    assert sum(with_words) == 2
    assert with_words.count(False) <= 3 < len(TEXTS) - 2


@given(st.text("abcde", min_size=2, max_size=9), st.data())
def test_one_slip_is_known_both_ways(word, data):
    at = data.draw(st.integers(0, len(word) - 2))
    letter = data.draw(st.sampled_from("xyz"))
    exchanged = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    slips = [word[:at] + word[at + 1 :], word[:at] + letter + word[at:], exchanged]
    for slip in [*slips, word[:at] + letter + word[at + 1 :]]:
        assert is_one_slip(word, slip) and is_one_slip(slip, word)
    assert not is_one_slip(word, f"{letter}{word}{letter}")
    assert not is_one_slip(f"{word}ab", f"{word}yz")
