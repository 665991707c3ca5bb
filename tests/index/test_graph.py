"""The map of files: what joins them, and what does not."""

from __future__ import annotations

import pytest

from manole.index.graph import Graph, entities, graph_of, is_iban
from manole.index.lancedb import LanceStore
from manole.library import Library
from manole.settings import Settings

IBAN = "DE89 3704 0044 0532 0130 00"  # the example of the standard
FILES = {
    "letters/bank.txt": f"Please pay the plumber. Account {IBAN}, plumber@example.com",
    "letters/plumber.txt": f"Our account is {IBAN}. Yours, Rohr und Rinne GmbH",
    "notes/todo.md": "Ask about the leak, see bank.txt. Rohr und Rinne GmbH is slow.",
    "notes/soup.md": "Lentil soup: cook the lentils for twenty minutes with carrots.",
    "notes/stew.md": "Lentil stew: cook lentils and carrots for thirty minutes.",
}


@pytest.fixture(scope="module")
async def graph(tmp_path_factory):
    base = tmp_path_factory.mktemp("graph")
    folder = base / "files"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    settings = Settings.load().model_copy(update={"data_dir": base / "data"})
    async with await Library.open(folder, settings) as library:
        await library.sync()
        yield await graph_of(await library.store())


def joined(graph, relation):
    return {(e.source, e.target): e for e in graph.edges if e.relation == relation}


async def test_every_file_and_folder_is_a_node(graph):
    assert [n.id for n in graph.nodes if n.kind == "file"] == sorted(FILES)
    assert [n.id for n in graph.nodes if n.kind == "folder"] == ["letters/", "notes/"]
    assert set(joined(graph, "structure")) == {(f"{name.split('/')[0]}/", name) for name in FILES}


async def test_what_is_alike_is_joined(graph):
    found = joined(graph, "similarity")
    assert ("notes/soup.md", "notes/stew.md") in found
    assert not any("soup" in a and "letters" in b for a, b in found)
    assert all(0.6 <= edge.weight <= 1 for edge in found.values())


async def test_what_names_the_same_things_is_joined_once_with_the_reason(graph):
    found = joined(graph, "reference")
    assert set(found) == {
        ("letters/bank.txt", "letters/plumber.txt"),
        ("letters/bank.txt", "notes/todo.md"),
        ("letters/plumber.txt", "notes/todo.md"),
    }
    assert found["letters/bank.txt", "letters/plumber.txt"].weight == 0.8
    assert IBAN.replace(" ", "") in found["letters/bank.txt", "letters/plumber.txt"].why
    assert found["letters/bank.txt", "notes/todo.md"].why == "file name bank.txt"
    assert found["letters/plumber.txt", "notes/todo.md"].weight == 0.7


async def test_an_empty_library_has_an_empty_graph(tmp_path):
    store = await LanceStore.open(tmp_path / "index", dimensions=4, embedder="none")
    async with store.writing(dimensions=4, embedder="none"):
        pass
    assert await graph_of(store) == Graph((), ())
    assert [batch async for batch in store.scan_vectors() if len(batch[0])] == []
    await store.close()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("write to A.Person@Example.org today", [("e-mail", "a.person@example.org")]),
        ("VAT no. DE 123 456 789", [("tax number", "DE123456789")]),
        ("USt-IdNr.: DE123456789", [("tax number", "DE123456789")]),
        ("from Rohr und Rinne GmbH in Ghent", [("company", "Rohr und Rinne")]),
        ("GB29 NWBK 6016 1331 9268 19", [("account", "GB29NWBK60161331926819")]),
        ("GB29 NWBK 6016 1331 9268 18", []),  # its check digits do not fit
        ("nothing at all", []),
        ("@ .@. a@b", []),
    ],
)
def test_entities(text, found):
    assert list(entities(text)) == found


def test_check_digits_are_checked():
    assert is_iban(IBAN.replace(" ", ""))
    assert not is_iban("DE89370400440532013001")
    assert not is_iban("DE89")
