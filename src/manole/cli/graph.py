"""`manole graph`: the map of files, as a summary or for programs. The page draws it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.library import open_library
from manole.cli.options import Folder, exclude, run
from manole.cli.options import settings as load_settings
from manole.cli.output import print_json, printable, writing
from manole.errors import UsageError
from manole.text.counted import counted

if TYPE_CHECKING:
    from manole.index.graph import Graph

# Set by hand, so that the summary fits a screen:
CLOSEST = 10  # pairs, and as many groups
MEMBERS = 3  # files that stand for a group


def graph(
    folder: Folder = None,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="How alike two files must be, 0 to 1.")
    ] = 0.6,  # as `index.graph.model.THRESHOLD`, whose package is slow to import
    as_json: Annotated[bool, typer.Option("--json", help="Print the map, for programs.")] = False,
    graphml: Annotated[
        Path | None,
        typer.Option("--graphml", metavar="FILE", help="Write it for Gephi, yEd or NetworkX."),
    ] = None,
) -> None:
    """Show which files are alike, name the same things, and lie together.

    Without an option: a summary. The index is used as it is. FILE is - for standard output. The
    page of `manole serve` draws it.

    Example: manole graph ~/Documents --graphml map.graphml
    """
    exclude("--json", "--graphml", as_json and graphml is not None)
    if graphml is not None and not graphml.absolute().parent.is_dir():
        raise UsageError(f"There is no folder {graphml.parent}.", "Name a file in one there is.")
    run(_graph(folder, threshold, as_json, graphml))


async def _graph(folder: str | None, threshold: float, as_json: bool, graphml: Path | None) -> None:
    from manole.index.graph import FileMap
    from manole.serve.shapes import graph_json

    async with await open_library(folder, load_settings()) as opened:
        store, files = await opened.reader(), await opened.files()
        found = await FileMap(opened.path).graph(store, files, threshold)
    roots = printable(", ".join(str(root) for root in opened.roots))
    if as_json:
        print_json(graph_json(found))
    elif graphml is not None:
        from manole.index.graph.graphml import graphml as written

        _write(graphml, written(found))
    else:
        _print(roots, found, threshold)


def _write(file: Path, content: bytes) -> None:
    if str(file) == "-":
        typer.echo(content, nl=False)
        return
    with writing(file):
        file.write_bytes(content)
    typer.echo(f"Written: {printable(str(file))}")


def _print(roots: str, found: Graph, threshold: float) -> None:
    from collections import Counter

    from manole.index.graph.groups import groups
    from manole.index.graph.model import ROOT

    kinds = Counter(node.kind for node in found.nodes if node.id != ROOT)
    files, folders = counted(kinds["file"], "file"), counted(kinds["folder"], "folder")
    typer.echo(f"{roots}: {files} with text, {folders}.")
    alike = [edge for edge in found.edges if edge.relation == "similarity"]
    shared = [edge for edge in found.edges if edge.relation == "reference"]
    typer.echo(
        f"similarity: {counted(len(alike), 'pair')} of files alike ({threshold:.2f} or more)"
    )
    typer.echo(f"reference:  {counted(len(shared), 'pair')} naming the same things, or one another")
    inside = sum(edge.relation == "structure" for edge in found.edges)
    typer.echo(f"structure:  {inside} files and folders lie in a folder")
    if alike:
        typer.echo("\nMost alike:")
        for edge in alike[:CLOSEST]:
            ends = f"{printable(edge.source)} | {printable(edge.target)}"
            typer.echo(f"  {edge.weight:.2f}  {ends}")
    if shared:
        typer.echo("\nNaming the same:")
        for edge in shared[:CLOSEST]:
            typer.echo(f"  {printable(edge.source)} | {printable(edge.target)}")
            typer.echo(f"        {printable(edge.why)}")
    held = groups(found)
    if held:
        typer.echo("\nLargest groups:")
        for group in held[:CLOSEST]:
            named = ", ".join(printable(path) for path in group[:MEMBERS])
            more = f" and {len(group) - MEMBERS} more" if len(group) > MEMBERS else ""
            typer.echo(f"  {len(group):4d} files: {named}{more}")
