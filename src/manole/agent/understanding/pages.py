"""Questions about drawings, figures and tables look for pages first (seed 003)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from manole.agent.understanding.rules import Route
from manole.tools.visual import VISUAL_SEARCH

# Words that as often are verbs, or in a computer ("what does it cover?", "a disk image"),
# count only where they are what can be seen.
_SHOWN = re.compile(
    r"\b(figures?(?! out\b)|fig\.|diagrams?|drawings?|drawn|schematics?|charts?|graphs?|plots?|"
    r"pictures?|pictured|(?<!disk )(?<!docker )(?<!firmware )(?<!container )images?|photos?|"
    r"screenshots?|illustrations?|illustrated|sketch|maps?(?! to\b)|logos?|icons?|"
    r"layout|pinout|wiring|labell?ed|labels?|arrows?|slides?|pages?|posters?|"
    r"(?:the|a|its|front|back) cover|cover (?:page|picture|image|photo)|"
    r"abbildung(?:en)?|zeichnung(?:en)?|skizze|diagramm|schaltplan|bild(?:er)?|foto(?:s)?|grafik)\b",
    re.IGNORECASE,
)


def with_pages(routes: Sequence[Route]) -> list[Route]:
    """The routes, those to texts led to pages where the clause speaks of what is shown."""
    return [_to_pages(found) if _asks_for_pages(found) else found for found in routes]


def _asks_for_pages(found: Route) -> bool:
    return found.sure and found.tool == "semantic_search" and bool(_SHOWN.search(found.clause))


def _to_pages(found: Route) -> Route:
    files = found.inputs.get("files", ())
    inputs = {"query": found.inputs["query"], "files": files}
    return replace(found, tool=VISUAL_SEARCH, inputs=inputs, reasoning="asks what a page shows")
