"""`manole library map`: the map of files, as a summary or for programs. The page draws it."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from manole.cli.library import open_library
from manole.cli.options import Folder, run
from manole.cli.options import settings as load_settings
from manole.cli.output import print_json, printable
from manole.text.counted import counted

CLOSEST = 10  # pairs; set by hand, so that the summary fits a screen


def graph(
    folder: Folder = None,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="How alike two files must be, 0 to 1.")
    ] = 0.6,  # as `index.graph.model.THRESHOLD`, whose package is slow to import
    as_json: Annotated[bool, typer.Option("--json", help="Print the map, for programs.")] = False,
) -> None:
    """Show which files are alike, name the same things, and lie together.

    The index is used as it is. The page of `manole serve` draws the map.

    Example: manole library map ~/Documents --threshold 0.75
    """
    roots, told = run(_graph(folder, threshold))
    if as_json:
        print_json(told)
        return
    kinds = Counter(node["kind"] for node in told["nodes"])
    edges = Counter(edge["relation"] for edge in told["edges"])
    files, folders = counted(kinds["file"], "file"), max(0, kinds["folder"] - 1)
    typer.echo(f"{printable(roots)}: {files} with text, {counted(folders, 'folder')}.")
    alike, shared = (counted(edges[r], "pair") for r in ("similarity", "reference"))
    typer.echo(f"similarity: {alike} of files alike ({threshold:.2f} or more)")
    typer.echo(f"reference:  {shared} naming the same things, or one another")
    typer.echo(f"structure:  {edges['structure']} files and folders lie in a folder")
    for title, relation in (("Most alike", "similarity"), ("Naming the same", "reference")):
        if edges[relation]:
            typer.echo(f"\n{title}:")
        for edge in [e for e in told["edges"] if e["relation"] == relation][:CLOSEST]:
            ends = f"{printable(edge['source'])} | {printable(edge['target'])}"
            typer.echo(f"  {edge['weight']:.2f}  {ends}\n        {printable(edge['why'])}")


async def _graph(folder: str | None, threshold: float) -> tuple[str, dict[str, Any]]:
    from manole.index.graph import FileMap
    from manole.serve.shapes import graph_json

    async with await open_library(folder, load_settings()) as opened:
        found = await FileMap().graph(await opened.reader(), await opened.files(), threshold)
        return ", ".join(str(root) for root in opened.roots), graph_json(found)
