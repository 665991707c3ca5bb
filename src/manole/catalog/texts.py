"""The lines of a library's texts, read from its index for many files at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from manole.documents.fields.model import TextLine
from manole.documents.model import is_hidden
from manole.index.store.records import FileRecord, PassageRecord
from manole.index.view.page_text import joined
from manole.library import Library

WRITTEN = frozenset({"markdown", "text", "org", "rst", "asciidoc"})  # formats that people write
_AT_ONCE = 250  # files in memory: some megabytes


async def texts_of(
    library: Library, files: Sequence[FileRecord]
) -> AsyncIterator[list[tuple[FileRecord, list[TextLine]]]]:
    """Yield these files with their lines, blank ones too, some hundred files at a time."""
    store = await library.reader()
    read = [file for file in files if file.passages]
    for start in range(0, len(read), _AT_ONCE):
        part = read[start : start + _AT_ONCE]
        passages = await store.passages_of([file.id for file in part])
        yield [(file, _lines(passages[file.id])) for file in part]


def _lines(passages: Sequence[PassageRecord]) -> list[TextLine]:
    return [
        TextLine(text, page.number, number)
        for page in joined(passages)
        for number, text in enumerate(page.text.split("\n"), page.first_line)
        if not is_hidden(text)
    ]
