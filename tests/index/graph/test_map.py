"""The map of files: what joins them, and what does not."""

from __future__ import annotations

import pytest

from manole.index.graph import Graph
from manole.index.graph.model import ROOT
from manole.index.store.lance import LanceStore
from manole.library import Library
from manole.settings import Settings

from .conftest import graph_of, joined

IBAN = "DE89 3704 0044 0532 0130 00"  # the example of the standard
FILES = {
    "letters/bank.txt": f"Please pay the plumber. Account {IBAN}, plumber@example.com",
    "letters/plumber.txt": f"Our account is {IBAN}. Yours, Rohr und Rinne GmbH",
    "notes/todo.md": "Ask about the leak, see bank.txt. ROHR UND RINNE GMBH is slow.",
    "notes/soup.md": "Lentil soup: cook the lentils for twenty minutes with carrots.",
    "notes/stew.md": "Lentil stew: cook lentils and carrots for thirty minutes.",
}


@pytest.fixture(scope="module")
async def library(tmp_path_factory):
    base = tmp_path_factory.mktemp("graph")
    folder = base / "files"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    settings = Settings.load().model_copy(update={"data_dir": base / "data"})
    async with await Library.open(folder, settings) as library:
        await library.sync()
        yield library


@pytest.fixture(scope="module")
async def graph(library):
    return await graph_of(await library.store())


async def test_every_file_and_folder_is_a_node(graph):
    assert [n.id for n in graph.nodes if n.kind == "file"] == sorted(FILES)
    folders = ["letters/", "notes/"]
    assert [n.id for n in graph.nodes if n.kind == "folder"] == [ROOT, *folders]
    assert set(joined(graph, "structure")) == {
        *((f"{name.split('/')[0]}/", name) for name in FILES),
        *((ROOT, folder) for folder in folders),
    }


async def test_a_node_says_what_is_known_of_its_file(graph):
    (soup,) = [node for node in graph.nodes if node.id == "notes/soup.md"]
    assert (soup.format, soup.size) == ("markdown", len(FILES["notes/soup.md"]))
    (notes,) = [node for node in graph.nodes if node.id == "notes/"]
    assert (notes.format, notes.size, notes.date, notes.title) == (None,) * 4


async def test_what_is_alike_is_joined(graph):
    found = joined(graph, "similarity")
    assert ("notes/soup.md", "notes/stew.md") in found
    assert not any("soup" in a and "letters" in b for a, b in found)
    assert all(0.6 <= weight <= 1 for weight, _ in found.values())


async def test_what_names_the_same_things_is_joined_once_with_the_reason(graph):
    assert joined(graph, "reference") == {
        ("letters/bank.txt", "letters/plumber.txt"): (0.8, f"account {IBAN.replace(' ', '')}"),
        ("letters/bank.txt", "notes/todo.md"): (1.0, "file name bank.txt"),
        ("letters/plumber.txt", "notes/todo.md"): (0.7, "company ROHR UND RINNE"),
    }


async def test_the_threshold_decides_who_is_alike(library):
    store = await library.store()
    every = joined(await graph_of(store, 0.0), "similarity")
    weights = sorted(weight for weight, _ in every.values())
    assert len(weights) > 5
    assert weights[0] >= 0
    assert joined(await graph_of(store, 1.0), "similarity") == {}
    assert len(joined(await graph_of(store, weights[-4] - 0.001), "similarity")) == 4


async def test_what_is_alike_has_its_words_as_the_reason(graph):
    _, why = joined(graph, "similarity")["notes/soup.md", "notes/stew.md"]
    assert why == "both say carrots, lentils, minutes"


async def test_an_empty_library_has_an_empty_graph(tmp_path):
    store = await LanceStore.open(tmp_path / "index")
    async with store.writing(dimensions=4, embedder="none"):
        pass
    assert await graph_of(store) == Graph((), ())
    assert [batch async for batch in store.scan_contents() if batch.file_ids] == []
    await store.close()


@pytest.mark.parametrize(
    ("text", "weight", "why"),
    [
        ("mail a@example.org", 1.0, "e-mail a@example.org"),
        ("see that.pdf", 1.0, "file name that.pdf"),
        ("VAT DE136695976", 0.9, "tax number DE136695976"),
        (f"pay to {IBAN}", 0.8, "account DE89370400440532013000"),
        ("Rohr und Rinne GmbH", 0.7, "company Rohr und Rinne"),
        ("Rohr und Rinne GmbH, a@example.org", 1.0, "e-mail a@example.org; company Rohr und Rinne"),
    ],
)
async def test_each_kind_of_thing_has_its_weight(shelf, text, weight, why):
    await shelf.put("this.pdf", text, vector=(1,))
    await shelf.put("that.pdf", f"also {text}", vector=(0, 1))
    assert joined(await shelf.anew(), "reference") == {("that.pdf", "this.pdf"): (weight, why)}


async def test_numbers_that_are_not_real_join_nobody(shelf):
    for name in ("one.txt", "two.txt"):
        await shelf.put(name, "no. DE123456789, IBAN DE89 3704 0044 0532 0130 01", vector=(1,))
    assert joined(await shelf.anew(), "reference") == {}


async def test_a_tax_number_needs_its_label_in_one_file_only(shelf):
    for name, text in {"a.txt": "VAT no. FR 40 303 265 045", "b.txt": "FR40303265045"}.items():
        await shelf.put(name, text, vector=(1,))
    why = "tax number FR40303265045"
    assert joined(await shelf.anew(), "reference") == {("a.txt", "b.txt"): (0.9, why)}


async def test_what_many_files_name_joins_nobody(shelf):
    for number in range(12):
        own = "company@example.org" if number < 6 else "nothing"
        few = "few@example.org" if number < 5 else "nothing"
        await shelf.put(f"{number:02d}.txt", f"me@example.org {own} {few}", vector=(1,))
    found = joined(await shelf.anew(), "reference")
    assert {why for _, why in found.values()} == {"e-mail few@example.org"}
    assert len(found) == 10  # five files, each with each


async def test_a_name_that_two_files_have_says_nothing(shelf):
    await shelf.put("a/plan.md", "first", vector=(1,))
    await shelf.put("b/plan.md", "second", vector=(0, 1))
    await shelf.put("notes.md", "see plan.md, and notes.md itself", vector=(0, 0, 1))
    assert joined(await shelf.anew(), "reference") == {}


async def test_files_of_one_name_in_two_folders_are_one_node(shelf):
    await shelf.put("a.md", "a@example.org", vector=(1,), root="/one", title="first")
    await shelf.put("a.md", "a@example.org", vector=(1,), root="/two", title="second")
    await shelf.put("b.md", "a@example.org", vector=(1, 0.1))
    graph = await shelf.anew()
    assert [node.id for node in graph.nodes] == [ROOT, "a.md", "b.md"]
    assert set(joined(graph, "reference")) == {("a.md", "b.md")}
    assert set(joined(graph, "similarity")) == {("a.md", "b.md")}


async def test_folders_lie_in_folders(shelf):
    await shelf.put("a/b/c.md", "text")
    await shelf.put("top.md", "text")
    assert set(joined(await shelf.anew(), "structure")) == {
        (ROOT, "a/"), ("a/", "a/b/"), ("a/b/", "a/b/c.md"), (ROOT, "top.md"),
    }  # fmt: skip


async def test_every_file_and_folder_but_the_librarys_own_lies_in_one_folder(graph):
    inner = [edge.target for edge in graph.edges if edge.relation == "structure"]
    assert sorted(inner) == sorted(node.id for node in graph.nodes if node.id != ROOT)


async def test_an_empty_library_has_no_folder(shelf):
    assert (await shelf.anew()).nodes == ()
