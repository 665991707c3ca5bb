"""Output that commands share: JSON for programs, sentences and safe names for people.

A file's name may hold anything: bytes that are no characters, line breaks, a terminal's commands.
JSON keeps it, written in characters that no terminal obeys; on the screen it is made printable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from manole.errors import UsageError
from manole.sentences import said

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")]

_OBEYED = re.compile("[\x7f-\x9f]")  # the control characters that JSON does not escape itself


def print_json(value: dict[str, Any]) -> None:
    r"""Print one JSON object on standard output, indented, as UTF-8 whatever the locale is.

    Bytes of a name that are no characters (lone surrogates in Python) become `\udcff` escapes,
    which every JSON reader takes. Dates and paths are written as text.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    typer.echo(inert_json(text).encode("utf-8", "backslashreplace"))


def inert_json(text: str) -> str:
    r"""Return JSON without control characters: they become escapes such as `\u009b`."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(text: str, *, err: bool = False) -> None:
    """Print a sentence on a line of its own, in the person's language."""
    typer.echo(said(text), err=err)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an `OSError` of writing a file into a `UsageError`."""
    try:
        yield
    except FileExistsError:  # of a file that was to be new
        raise UsageError(f"{path} exists already.", "Name another file, or remove it.") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{path} cannot be written: {reason}.", "Name another file.") from None


def tell(as_json: bool, value: dict[str, Any], *lines: str) -> None:
    """Print what a command did: as JSON for programs, or as sentences, each on its line."""
    if as_json:
        print_json(value)
        return
    for line in lines:
        typer.echo(printable(line))


def printable(text: str) -> str:
    r"""Return `text` on one line, without characters that move a terminal's cursor.

    Bytes that are no characters are shown as the index writes them: `\xff`.
    """
    return "".join(char if char.isprintable() else _written(char) for char in text)


def _written(char: str) -> str:
    byte = ord(char) - 0xDC00
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else repr(char)[1:-1]


def shortened(text: str, width: int) -> str:
    """Return the end of `text`, printable, at most `width` characters, escaped for rich."""
    from rich.markup import escape

    line = printable(text)
    return escape(line if len(line) <= width else "…" + line[1 - width :])
