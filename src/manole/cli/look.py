"""`manole look`: what Manole sees on a page."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.options import run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable, writing
from manole.errors import UsageError
from manole.text.counted import counted

if TYPE_CHECKING:
    from manole.documents.model import Box
    from manole.index.view.page_preview import SeenPage

_Colour = tuple[int, int, int]
_TEXT: _Colour = (38, 110, 180)
_PICTURE: _Colour = (176, 58, 46)
_TABLE: _Colour = (30, 132, 73)
_FIGURE: _Colour = (125, 60, 152)


def look(
    file: Annotated[Path, typer.Argument(help="A PDF or a picture.")],
    page: Annotated[int, typer.Option("--page", "-p", min=1, help="Page of the PDF.")] = 1,
    png: Annotated[
        Path | None, typer.Option("--png", help="Write the page with all boxes drawn on it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what Manole sees on a page: lines, tables, words in pictures, what a photo shows.

    In the picture, text is blue, rows of tables are green, words read in pictures red, and the
    pictures themselves violet.
    """
    if not file.is_file():
        raise UsageError(f"There is no file {file}.", "Check its name.")
    run(_look(file.absolute(), page, png, as_json))


async def _look(file: Path, number: int, png: Path | None, as_json: bool) -> None:
    from manole.index.view.page_preview import look as looked
    from manole.models.vision import VisionLoader

    settings = load_settings()
    loader = VisionLoader(settings)
    try:
        seen = await looked(file, number, settings, await loader.get())
    finally:
        await loader.close()
    if png is not None:
        _write(png, seen)
    if as_json:
        print_json(_shape(seen))
        return
    _print(file, seen)
    if png is not None:
        typer.echo(f"\nDrawn: {printable(str(png))}")


def _write(png: Path, seen: SeenPage) -> None:
    boxes = [(box, _FIGURE) for box in seen.figures]
    for line in seen.lines:
        own = _TABLE if len(line.cells) > 1 else _TEXT
        boxes.append((line.box, _PICTURE if line.source == "picture" else own))
    with writing(png):
        png.write_bytes(_drawn(seen.png, boxes))


def _drawn(picture: bytes, boxes: Iterable[tuple[Box, _Colour]]) -> bytes:
    """Return `picture` as PNG with each box as a frame, filled lightly, in its colour."""
    from PIL import Image, ImageDraw

    page = Image.open(io.BytesIO(picture)).convert("RGB")
    layer = Image.new("RGBA", page.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(layer)
    for box, colour in boxes:
        sides = box.pixels(*page.size)
        pen.rectangle(sides, fill=(*colour, 36), outline=(*colour, 255), width=2)
    out = io.BytesIO()
    Image.alpha_composite(page.convert("RGBA"), layer).convert("RGB").save(out, "png")
    return out.getvalue()


def _print(file: Path, seen: SeenPage) -> None:
    from manole.index.view.page_preview import rows_of

    place = f"page {seen.number} of {seen.pages}" if seen.number else "a picture"
    read = sum(line.source == "picture" for line in seen.lines)
    counts = [
        counted(len(seen.lines), "line"),
        f"{counted(rows_of(seen.lines), 'row')} of tables",
        counted(len(seen.figures), "figure"),
        f"{counted(read, 'line')} read in pictures",
    ]
    typer.echo(f"{printable(file.name)}, {place}: {', '.join(counts)}")
    if seen.reason:
        typer.echo(f"Note: {printable(seen.reason)}")
    if seen.caption:
        typer.echo(f"Shows: {printable(seen.caption)}")
    for n, line in enumerate(seen.lines, start=1):
        mark = {"text": " ", "picture": "*"}[line.source]
        place = f"{line.box.x0:.2f} {line.box.y0:.2f} {line.box.x1:.2f} {line.box.y1:.2f}"
        typer.echo(f"{n:4d} {mark} {place}  {printable(' | '.join(line.cells) or line.text)}")
    if not seen.lines and seen.text:
        typer.echo(printable(seen.text))


def _shape(seen: SeenPage) -> dict[str, object]:
    return {
        "format": seen.format,
        "page": seen.number,
        "pages": seen.pages,
        "note": seen.reason,
        "caption": seen.caption or None,
        "figures": [box.sides for box in seen.figures],
        "lines": [
            {
                "text": line.text,
                "box": line.box.sides,
                "source": line.source,
                "cells": list(line.cells) if len(line.cells) > 1 else None,
            }
            for line in seen.lines
        ],
    }
