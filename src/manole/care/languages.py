"""The offer of a multilingual embedder, where one for English alone embeds other languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from manole.care.findings import command
from manole.index.store.languages import FEW, MANY, Languages, estimated, keep, kept
from manole.index.sync.report import SyncReport
from manole.models.catalog.encoders import ENCODERS, MULTILINGUAL
from manole.models.catalog.table import CATALOG
from manole.models.weights.cache import Weights
from manole.models.weights.files import human_size
from manole.models.weights.sources import bytes_to_fetch
from manole.settings import Settings
from manole.text.language import UNKNOWN

if TYPE_CHECKING:
    from manole.index.store.protocol import Store


def offer(
    languages: Languages, passages: int, embedder: str, roots: Iterable[str], settings: Settings
) -> tuple[str, str] | None:
    """Return a warning and its remedy, or `None` if the embedder fits the languages."""
    used = ENCODERS.get(embedder)
    foreign = languages.beside(used.languages) if used and used.languages else 0.0
    if used is None or foreign <= MANY:
        return None
    text = (
        f"about {foreign:.0%} of the passages are in languages ({in_words(languages.shares)}) that "
        f"{embedder} was not trained on: they are found by their words, less by meaning"
    )
    takes = [f"all {passages:,} passages anew"]
    if languages.seconds is not None:
        takes.append(_time(languages.seconds * passages * ENCODERS[MULTILINGUAL].cost))
    if Weights(settings.weights_dir).path(MULTILINGUAL) is None:
        size = sum(map(bytes_to_fetch, CATALOG[MULTILINGUAL].files))
        takes.append(f"{human_size(size)} to fetch")
    again = command("manole", "--set", f"index.embedder={MULTILINGUAL}", "index", roots=roots)
    meanwhile = "until then the index answers as now"
    return text, f"{again} embeds them ({', '.join(takes)}); {meanwhile}."


async def after_sync(
    roots: Iterable[Path], store: Store, report: SyncReport, settings: Settings
) -> str | None:
    """Keep the languages of an index that is new or has grown much; return the offer, if any."""
    known, (passages, _) = kept(store.path), await store.count()
    if passages < FEW or (known is not None and known.holds(passages)):
        return None
    languages = await estimated(store)
    if report.embedded and store.embedder in ENCODERS:
        seconds = report.embed_seconds / report.embedded / ENCODERS[store.embedder].cost
        languages = replace(languages, seconds=round(seconds, 5))
    keep(store.path, languages)
    advice = offer(languages, passages, store.embedder, map(str, roots), settings)
    return f"{advice[0][0].upper()}{advice[0][1:]}. {advice[1]}" if advice else None


def in_words(shares: Mapping[str, float]) -> str:
    """Return the largest shares: `de 40%, en 38%, fr 10%, unknown 12%`."""
    known = [(name, part) for name, part in shares.items() if name != UNKNOWN and part >= 0.01]
    known += [(name, part) for name, part in shares.items() if name == UNKNOWN and part >= 0.01]
    return ", ".join(f"{name} {part:.0%}" for name, part in known[:6])


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"about {minutes:.0f} min" if minutes < 90 else f"about {minutes / 60:.0f} h"
