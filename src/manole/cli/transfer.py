"""`manole export` and `manole import`: an index as one file, to take it to another machine."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.options import run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable
from manole.cli.progress import ProgressBars
from manole.text.counted import counted

if TYPE_CHECKING:
    from manole.care.archive import Manifest
    from manole.care.importing import Imported
    from manole.settings import Settings


def export_library(
    library: Annotated[str, typer.Argument(help="An indexed folder, or a library's name.")],
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    conversations: Annotated[
        bool, typer.Option("--conversations", help="Put its conversations in, too.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Write a library's index into one file, to be used on another machine.

    It holds the texts of your files, so keep it as you keep them.
    """
    manifest, kept = run(_export(library, file.expanduser(), conversations, force, quiet=as_json))
    files, passages = manifest.rows("files"), manifest.rows("passages")
    written = file.expanduser().stat().st_size
    if as_json:
        print_json(
            {
                "file": str(file.absolute()),
                "size": written,
                "files": files,
                "passages": passages,
                "conversations": kept,
                "folders": manifest.roots,
            }
        )
        return
    from manole.models.weights.files import human_size

    more = ", with its conversations" if kept else ""
    typer.echo(
        f"Written: {printable(str(file))}, {human_size(written)}: "
        f"{counted(files, 'file')}, {counted(passages, 'passage')}{more}."
    )
    typer.echo("It holds the texts of these files; only you can read it.")


def import_library(
    file: Annotated[Path, typer.Argument(help="A file that `manole export` wrote.")],
    folder: Annotated[
        list[Path] | None,
        typer.Option(
            "--folder", help="Where its files are on this machine; once for each of its folders."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the index of these folders.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Put an exported index in place. Files that are the same here are not read again."""
    done, conversations = run(_import(file.expanduser(), folder or [], force, quiet=as_json))
    if as_json:
        print_json(
            {
                "library": done.name,
                "folders": list(done.roots),
                "missing": list(done.missing),
                "files": done.files,
                "passages": done.passages,
                "conversations": conversations,
            }
        )
        return
    typer.echo(
        f"{done.name}: in place with {counted(done.files, 'file')}, "
        f"{counted(done.passages, 'passage')}."
    )
    if conversations is not None:
        typer.echo(f"Added: {counted(conversations, 'conversation')}.")
    for root in done.roots:
        there = "is not on this machine" if root in done.missing else "is there"
        typer.echo(f"  {printable(root)} {there}")
    if done.missing:
        typer.echo("Import it with --force --folder FOLDER to say where its files are.")
    else:
        typer.echo("`manole index` looks for what has changed; other files are not read again.")


async def _export(
    library: str, file: Path, conversations: bool, force: bool, *, quiet: bool
) -> tuple[Manifest, bool]:
    from manole import __version__
    from manole.care.exporting import export_index
    from manole.index.store.libraries import library_info

    settings = load_settings()
    info = library_info(library, settings)
    with tempfile.TemporaryDirectory(prefix="manole-") as folder, ProgressBars(quiet=quiet) as bars:
        copy = Path(folder) / "conversations.sqlite"
        kept = conversations and _copied(info.name, settings, copy)
        manifest = await export_index(
            info,
            file,
            version=__version__,
            conversations=copy if kept else None,
            force=force,
            progress=bars.sync,
        )
    return manifest, kept


def _copied(library: str, settings: Settings, copy: Path) -> bool:
    from manole.agent.conversations.store import Conversations
    from manole.agent.conversations.transfer import copy_out

    return copy_out(Conversations.of(settings, library), copy)


async def _import(
    file: Path, folders: list[Path], force: bool, *, quiet: bool
) -> tuple[Imported, int | None]:
    from manole.care.importing import import_index

    settings = load_settings()
    with ProgressBars(quiet=quiet) as bars:
        done = await import_index(file, settings, folders=folders, force=force, progress=bars.sync)
    if done.conversations is None:
        return done, None
    from manole.agent.conversations.store import Conversations
    from manole.agent.conversations.transfer import bring_in

    try:
        return done, bring_in(done.conversations, Conversations.of(settings, done.name))
    finally:
        shutil.rmtree(done.conversations.parent, ignore_errors=True)
