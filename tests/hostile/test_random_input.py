"""Random and damaged bytes: readers give what they promise, or the error that they name."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile_set.packages import BODIES, document
from hostile_set.papers import one_page
from hostile_set.wrong import png
from manole.documents import worker
from manole.documents.extract import Extractor, _Worker
from manole.documents.ignore import parse as parse_ignore
from manole.documents.limits import Limits
from manole.documents.model import Box, Document, Page, Status, numbers_in
from manole.documents.opened import named
from manole.errors import SettingsError
from manole.index.store import rows
from manole.index.store.expressions import expression, match_query
from manole.index.store.libraries import META, described, excluded, read_meta
from manole.index.store.records import Filters
from manole.settings import Settings
from manole_stdio.protocol import Request, RequestError, parse
from reading_here import read_document
from sevenzip_samples import WRITTEN

SAMPLES = {
    "txt": b"Invoice of 3 May 2024: 12.50 EUR.\n",
    "md": b"---\ntitle: a\ndate: 2024-05-03\n---\n# Head\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "csv": b'day;amount\n2024-05-03;"12,50"\n',
    "json": b'{"a": [1, "b", null]}',
    "html": b"<html><head><title>a</title></head><body><p hidden>x</p><p>words</p></body></html>",
    "eml": b"Subject: =?utf-8?q?caf=C3=A9?=\nDate: Fri, 03 May 2024 10:00:00 +0200\n"
    b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>a</p>\n--b--",
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg"><title>a</title><text>words</text></svg>',
    "ics": b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20240503\nSUMMARY:a\nEND:VEVENT\n",
    "rtf": b"{\\rtf1\\ansi words \\'e9\\u8364? \\par more}",
    "7z": WRITTEN["store"],
    "pdf": one_page(b"words on a page"),
    "png": png(8, 8),
    **{format_: document(format_, "words") for format_ in BODIES},
}
IN_PYTHON = ("txt", "md", "csv", "json", "eml", "svg", "odt", "png", "ics", "7z")
LIMITS = Limits(max_chars=20_000)


@cache
def place() -> Path:
    return Path(tempfile.mkdtemp())


def a_document(read: Document) -> None:
    assert read.status is Status.INDEXED or read.reason
    assert read.pages or read.status in (Status.SKIPPED, Status.FAILED)
    assert worker.decode(json.loads(json.dumps(worker.encode(read)))) == read
    rows.pack("".join(page.text for page in read.pages)).encode()


@st.composite
def damaged(draw, whole: bytes) -> bytes:
    """`whole`, with bytes changed, taken out, doubled, or its end cut off."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 40))
        data[at : at + length] = draw(
            st.binary(max_size=20) | st.just(bytes(data[at : at + length]) * 2)
        )
    return bytes(data)


@pytest.mark.parametrize("format_", IN_PYTHON)
@given(data=st.data())
@settings(max_examples=25)
def test_a_damaged_file_is_a_document_with_a_reason(format_, data):
    path = place() / f"damaged.{format_}"
    path.write_bytes(data.draw(damaged(SAMPLES[format_]) | st.binary(max_size=400)))
    a_document(read_document(path, LIMITS))


@given(data=st.data())
@settings(max_examples=60)
def test_a_damaged_file_of_any_format_comes_out_of_a_worker_as_a_document(data):
    format_ = data.draw(st.sampled_from(sorted(SAMPLES)))
    path = place() / f"any.{format_}"
    path.write_bytes(data.draw(damaged(SAMPLES[format_])))
    a_document(a_pool()._extract(named(path), None))


@cache
def a_pool() -> Extractor:
    return Extractor(LIMITS)


@pytest.fixture(scope="module", autouse=True)
def the_pool_ends():
    yield
    a_pool().close()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=9),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)
ANSWERS = st.fixed_dictionaries(
    {
        "format": VALUES,
        "pages": VALUES | st.lists(st.tuples(st.text(), VALUES, VALUES, VALUES, VALUES)),
        "title": VALUES,
        "date": VALUES | st.just("2024-05-03"),
        "date_source": VALUES,
        "metadata": VALUES | st.dictionaries(st.text(max_size=5), VALUES),
        "status": VALUES | st.sampled_from([status.value for status in Status]),
        "reason": VALUES,
    }
)


@given(VALUES | ANSWERS)
@settings(max_examples=40)
def test_what_a_worker_answers_is_a_document_or_refused(answer):
    try:
        found = worker.decode(answer)
    except ValueError:
        return
    texts = [found.format, found.title or "", *(page.text for page in found.pages)]
    "".join(texts).encode()  # a store can keep it
    assert all(page.number is None or 0 <= page.number < 2**31 for page in found.pages)


@given(st.lists(st.floats(), min_size=4, max_size=4))
def test_a_box_that_a_worker_answers_has_bounds_or_is_refused(sides):
    answer = worker.encode(Document("pdf", (Page("words", 1),)))
    answer["pages"][0][4] = [sides]
    if all(map(isfinite, sides)):
        assert worker.decode(answer).pages[0].figures == (Box(*sides),)
    else:
        with pytest.raises(ValueError, match="bounds"):
            worker.decode(answer)


@given(st.dictionaries(st.sampled_from(["pages", "reached", "unread", "limit"]), st.text()))
def test_what_a_worker_says_of_a_pdfs_pages_never_ends_a_sync(metadata):
    class FakeWorkerThatSaysSo(_Worker):
        def __init__(self) -> None:
            """No process: it answers at once."""

        def alive(self) -> bool:
            return True

        def worn(self) -> bool:
            return False

        def kill(self) -> None:
            """There is none."""

        def read(self, path, span) -> Document:
            return Document("pdf", (Page("words", 1),), metadata=metadata)

    with Extractor(LIMITS) as pool:
        pool._local.worker = FakeWorkerThatSaysSo()
        assert isinstance(pool._extract(Path("a.pdf"), None), Document)


def test_a_range_of_pages_that_would_fill_the_memory_is_none():
    assert numbers_in("1-99999999999999") == []


@given(st.lists(st.text(st.characters(), max_size=60), max_size=8), st.text(max_size=60))
def test_any_ignore_file_has_a_verdict(lines, path):
    assert parse_ignore(lines).verdict(path, False) in (True, False, None)


@given(st.text(st.characters(), max_size=200))
def test_any_words_are_a_filter_and_a_query(text):
    expression(Filters(within=(text,), paths=(text,), extensions=(text,)))
    match_query(rows.pack(text), "words")


@given(st.binary(max_size=200) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_description_of_an_index_is_read(data):
    folder = place() / "index"
    folder.mkdir(exist_ok=True)
    (folder / META).write_bytes(data)
    excluded(read_meta(folder))
    info = described(folder, [Path("/a")])
    assert isinstance(info.files, int)


@given(
    st.dictionaries(
        st.sampled_from(
            ["roots", "files", "passages", "created", "updated", "exclude", "title", "format"]
        ),
        VALUES,
    )
)
@settings(max_examples=40)
def test_any_values_in_a_description_of_an_index_are_read(meta):
    folder = place() / "index"
    folder.mkdir(exist_ok=True)
    (folder / META).write_text(json.dumps(meta))
    info = described(folder, [Path("/a")])
    assert all(isinstance(root, str) for root in info.roots)
    assert info.title is None or info.title.strip()


@given(st.text(max_size=120))
def test_any_settings_file_is_read_or_refused(text):
    try:
        Settings.explain(instead=text)
    except SettingsError as error:
        assert error.message


def test_deep_nesting_is_refused_by_every_reader_of_text(tmp_path):
    deep = "[" * 100_000
    with pytest.raises(SettingsError):
        Settings.explain(instead=f"a = {deep}")
    (tmp_path / META).write_text(deep)
    assert read_meta(tmp_path) == {}
    try:
        assert isinstance(parse(deep.encode()), Request)
    except RequestError as error:
        assert error.hint
