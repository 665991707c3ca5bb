"""Translation of what Manole says into the reader's language.

Inside, every sentence is English: as code writes it, as a conversation and an index keep it, and as
programs, JSON and logs read it. It is said in another language only where it reaches a person, by
`said`. So nothing that is kept has a language, and what was kept long ago is read in any.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files

from manole.hooks import LOADED
from manole.sentences.matching import Catalog

LANGUAGES = ("en", "de")
_usual = "en"  # of this process
_spoken: ContextVar[str | None] = ContextVar("spoken", default=None)  # of what goes on here


def catalog(language: str) -> Catalog:
    """The catalog of a language other than English, with those of the plug-ins in use."""
    return _catalog(language, (__name__, *LOADED))


@cache
def _catalog(language: str, packages: tuple[str, ...]) -> Catalog:
    whole: dict[str, dict[str, str]] = {}
    for file in (files(package) / f"{language}.toml" for package in packages):
        if file.is_file():
            for part, given in tomllib.loads(file.read_text("utf-8")).items():
                whole.setdefault(part, {}).update(given)
    return Catalog(whole)


def spoken() -> str:
    """The language that is spoken here."""
    return _spoken.get() or _usual


def said(text: str) -> str:
    """An English text in the language that is spoken here, as far as it has the sentences."""
    return text if (language := spoken()) == "en" else catalog(language).said(text)


def speak(language: str) -> None:
    """From here on this process speaks this one of `LANGUAGES`, where nothing else is asked for."""
    global _usual
    _usual = language


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language for a while, in this task and those that it begins."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def accepted(header: str) -> str:
    """The language that an `Accept-Language` header likes best of those there are."""
    wishes = (part.partition(";") for part in header.split(","))
    ranked = sorted(((_quality(quality), tag) for tag, _, quality in wishes), key=lambda w: -w[0])
    return _first(tag for quality, tag in ranked if quality > 0)


def of_environment() -> str:
    """The language that the terminal's locale names."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return _first(name for name in [next(filter(None, names), "")])


def _first(tags: Iterable[str]) -> str:
    codes = (re.split(r"[-_.@]", tag.strip().lower())[0] for tag in tags)
    return next((code for code in codes if code in LANGUAGES), "en")


def _quality(text: str) -> float:
    found = re.fullmatch(r"\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*", text)
    return float(found[1]) if found else 1.0
