"""Embeds passages with identical text only once.

A copy of a file repeats all its passages, and a letterhead, a disclaimer or a page header stands in
many files. So a text is embedded once for all waiting passages that share it, after a look among
the last texts embedded and in indexed files with the same bytes. Each passage keeps a vector of its
own: in the folders measured, 0.2 % of passages are copies, and a vector shared by several rows
would make every search slower.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from manole.index.store.protocol import Store
from manole.index.store.records import PassageRecord, Vectors
from manole.index.store.rows import are_whole, embedding_text

REMEMBERED = 20_000  # texts: 30 MB of vectors of 384 numbers


@dataclass(frozen=True, slots=True)
class Group:
    """Passages that share what the embedder reads of them."""

    text: str
    passages: list[PassageRecord]


class KnownVectors:
    """The vectors that one sync made, by text."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[bytes, Vectors] = OrderedDict()

    async def grouped(
        self, passages: Sequence[PassageRecord]
    ) -> tuple[list[Group], list[tuple[PassageRecord, Vectors]]]:
        """Return what is left to embed, in order, and the passages whose vectors are known."""
        texts = [embedding_text(passage) for passage in passages]
        keyed = [(p, text, text_key(text)) for p, text in zip(passages, texts, strict=True)]
        unknown = dict.fromkeys(p.file_id for p, _, key in keyed if key not in self._kept)
        copied = {
            text_key(embedding_text(passage)): vector
            for passage, vector in await self._store.vectors_of_copies(list(unknown))
            if are_whole(vector[None])[0]
        }
        groups: dict[str, Group] = {}
        known: list[tuple[PassageRecord, Vectors]] = []
        for passage, text, key in keyed:
            vector = self._kept.get(key, copied.get(key))
            if vector is not None:
                known.append((passage, vector))
            else:
                groups.setdefault(text, Group(text, [])).passages.append(passage)
        return list(groups.values()), known

    def note(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Remember vectors (n × dimensions) that were made of these texts."""
        for text, vector in zip(texts, vectors, strict=True):
            self._kept[text_key(text)] = vector
        while len(self._kept) > REMEMBERED:
            self._kept.popitem(last=False)


def text_key(text: str) -> bytes:
    """Return a hash of 16 bytes for a text that is embedded."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
