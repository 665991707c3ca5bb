"""Lines of short texts, as the tests of this folder read them."""

from __future__ import annotations

from manole.documents.fields.model import TextLine


def lines(text: str) -> list[TextLine]:
    return [TextLine(line, None, n) for n, line in enumerate(text.split("\n"), start=1)]
