"""The tools for questions about the files themselves, answered from the index's file table.

No model is needed: the message of each result is the answer. The tools read the index; only the
creation date, which no index keeps, is read from the disk.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from pydantic import Field

from manole.catalog.kinds import describe, extensions_of
from manole.documents.born import created
from manole.documents.scan import readable
from manole.errors import ManoleError
from manole.index.store.records import FileRecord
from manole.library import Library
from manole.models.weights.files import human_size
from manole.text.periods import find_period
from manole.tools.base import Error, Inputs, Result, Tool, TurnState
from manole.tools.matching import best_by_name, find_folder, named_like
from manole.tools.objects import FileCount, FoundFile
from manole.tools.wording import (
    are,
    by_type,
    describe_file,
    folder_name,
    list_message,
    more,
    number,
    when,
)

_SHOWN = 50  # objects in a result, about what a screen lists; its message counts all
_MATCHES = 5  # files that one name may mean: more are not one file
_TYPES = 15  # file types that a message lists: the rest take little space
_READ_INSTEAD = "Try semantic_search, which reads the contents."


class FileFilter(Inputs):
    """The files that a tool looks at. Empty fields do not restrict."""

    extension: str = Field("", description="file type: pdf, .docx, images, spreadsheets")
    time_filter: str = Field("", description="when changed: 2023, last week, since 2024-06-01")
    name: str = Field("", description="word in the file's name or folder")
    folder: str = Field("", description="folder to look in")


async def matching(state: TurnState, inputs: FileFilter) -> tuple[list[FileRecord], str]:
    """Return the files that pass a filter, and its words (`PDF files changed in 2023`)."""
    files = await state.files()
    words = describe(inputs.extension)
    if inputs.name:
        matches = named_like(inputs.name)
        files = [f for f in files if matches(f.path)]
        words = f"{words} named like “{inputs.name}”"
    if inputs.folder:
        folder = find_folder(files, inputs.folder) or inputs.folder.strip("/")
        files = [f for f in files if f.path.startswith(folder + "/")]
        words = f"{words} in the folder {folder}"
    if inputs.extension:
        wanted = extensions_of(inputs.extension)
        files = [f for f in files if f.extension in wanted]
    if inputs.time_filter:
        period = find_period(inputs.time_filter, state.question.today)
        if period is not None:
            files = [f for f in files if f.modified.date() in period]
            words = f"{words} changed {when(period)}"
    return files, words


class CountFiles(Tool[FileFilter]):
    """The tool that counts files."""

    name = "count_files"
    description = "how many files there are, of a type or from a time"
    inputs = FileFilter

    async def __call__(self, state: TurnState, inputs: FileFilter) -> AsyncIterator[Result | Error]:
        """Yield the number of matching files, by type where no type was asked for."""
        files, words = await matching(state, inputs)
        message = f"There {are(len(files))} {number(len(files), words)}."
        if not inputs.extension and len(files) > 1:
            message += f" By type: {by_type(files)}."
        yield Result(
            objects=[FoundFile.of(f) for f in files[:_SHOWN]],
            metadata={"count": len(files), **inputs.model_dump(exclude_defaults=True)},
            name="count",
            payload_type="files",
            llm_message=message,
            answers=True,
        )


class ListInputs(FileFilter):
    """The inputs of `list_files`: a filter, an order and a length."""

    sort_by: Literal["date", "document_date", "size", "name"] = Field(
        "date", description="date: when changed; document_date: the document's own date"
    )
    order: Literal["descending", "ascending"] = "descending"
    limit: int = Field(10, ge=1, le=1000)


class ListFiles(Tool[ListInputs]):
    """The tool that lists files in an order."""

    name = "list_files"
    description = "newest, oldest, largest or smallest files, or files of a type"
    inputs = ListInputs

    async def __call__(self, state: TurnState, inputs: ListInputs) -> AsyncIterator[Result | Error]:
        """Yield the first `limit` matching files with dates and sizes."""
        files, words = await matching(state, inputs)
        chosen = _sorted(files, inputs.sort_by, inputs.order)[: inputs.limit]
        yield Result(
            objects=[FoundFile.of(f) for f in chosen],
            metadata={"count": len(files), **inputs.model_dump(exclude_defaults=True)},
            name="files",
            payload_type="files",
            llm_message=list_message(chosen, len(files), words, inputs.sort_by, inputs.order),
            answers=bool(files) or not inputs.name,
        )


class GrepInputs(Inputs):
    """The inputs of `grep_files`: a word or a glob."""

    pattern: str = Field(min_length=1, max_length=200)


class GrepFiles(Tool[GrepInputs]):
    """The tool that finds files by name."""

    name = "grep_files"
    description = "find files whose NAME contains a word"
    inputs = GrepInputs

    async def __call__(self, state: TurnState, inputs: GrepInputs) -> AsyncIterator[Result | Error]:
        """Yield the files whose name, or else whose path, contains the pattern."""
        files = await state.files()
        matches = named_like(inputs.pattern)
        found = [f for f in files if matches(f.path)]
        if not found:
            yield Error(f"No file's name contains “{inputs.pattern}”.", suggestion=_READ_INSTEAD)
            return
        shown = "\n".join(f"- {f.path}" for f in found[:_SHOWN])
        yield Result(
            objects=[FoundFile.of(f) for f in found[:_SHOWN]],
            metadata={"count": len(found), "pattern": inputs.pattern},
            name="matches",
            payload_type="files",
            llm_message=f"{number(len(found), 'files')} with “{inputs.pattern}” in the name:\n"
            + shown
            + more(found, _SHOWN),
            answers=True,
        )


class MetadataInputs(Inputs):
    """The inputs of `file_metadata`: a part of the file's name."""

    name_hint: str = Field(min_length=1, max_length=300)


class FileMetadata(Tool[MetadataInputs]):
    """The tool that gives size and dates of a file by its name."""

    name = "file_metadata"
    description = "size and dates of one named file"
    inputs = MetadataInputs

    async def __call__(
        self, state: TurnState, inputs: MetadataInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the best matches of the name, at most `_MATCHES`."""
        found = best_by_name(await state.files(), inputs.name_hint)[:_MATCHES]
        if not found:
            yield Error(f"No file is named like “{inputs.name_hint}”.", suggestion=_READ_INSTEAD)
            return
        born = [await asyncio.to_thread(_created, state.library, file) for file in found]
        yield Result(
            objects=[
                replace(FoundFile.of(f), created=day) for f, day in zip(found, born, strict=True)
            ],
            metadata={"name_hint": inputs.name_hint},
            name="metadata",
            payload_type="files",
            llm_message="\n".join(map(describe_file, found, born)),
            answers=True,
        )


class TreeInputs(Inputs):
    """The inputs of `directory_tree`: its depth."""

    max_depth: int = Field(2, ge=1, le=20)


class DirectoryTree(Tool[TreeInputs]):
    """The tool that shows the folder structure."""

    name = "directory_tree"
    description = "the folder structure"
    inputs = TreeInputs

    async def __call__(self, state: TurnState, inputs: TreeInputs) -> AsyncIterator[Result | Error]:
        """Yield the folders down to `max_depth` with the number of files under each."""
        files = await state.files()
        counts: Counter[str] = Counter()
        direct = Counter(file.path.rpartition("/")[0] for file in files)
        top = direct.pop("", 0)
        for folder, count in direct.items():
            while folder:
                counts[folder] += count
                folder = folder.rpartition("/")[0]
        folders = sorted(f for f in counts if f.count("/") < inputs.max_depth)
        lines = [f"{', '.join(readable(r.name or str(r)) for r in state.library.roots)}/"]
        lines += [
            "  " * (f.count("/") + 1) + f"{f.rsplit('/', 1)[-1]}/ ({number(counts[f], 'files')})"
            for f in folders
        ]
        if top:
            lines.append(f"  {number(top, 'files')} beside the folders")
        yield Result(
            objects=[FileCount.of_folder(f, counts[f]) for f in folders],
            metadata={"max_depth": inputs.max_depth, "files": len(files)},
            name="tree",
            payload_type="tree",
            llm_message="\n".join(lines),
            answers=True,
        )


class StatsInputs(Inputs):
    """The inputs of `folder_stats`: order and length."""

    sort_by: Literal["size", "count", "name"] = "size"
    limit: int = Field(10, ge=1, le=1000)


class FolderStats(Tool[StatsInputs]):
    """The tool that counts files and bytes by folder."""

    name = "folder_stats"
    description = "size and number of files of each folder"
    inputs = StatsInputs

    async def __call__(
        self, state: TurnState, inputs: StatsInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the folders, each with the files directly in it."""
        totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for file in await state.files():
            folder = file.path.rpartition("/")[0] or "."
            totals[folder][0] += 1
            totals[folder][1] += file.size
        order = {
            "size": lambda item: (-item[1][1], item[0]),
            "count": lambda item: (-item[1][0], item[0]),
            "name": lambda item: (item[0],),
        }[inputs.sort_by]
        ranked = sorted(totals.items(), key=order)[: inputs.limit]
        if not ranked:
            yield Error("The library has no files.")
            return
        lines = [
            f"- {folder_name(name)}: {number(n, 'files')}, {human_size(size)}"
            for name, (n, size) in ranked
        ]
        yield Result(
            objects=[FileCount.of_folder(name, n, size) for name, (n, size) in ranked],
            metadata=inputs.model_dump(),
            name="folders",
            payload_type="folders",
            llm_message="\n".join(lines),
            answers=True,
        )


class NoInputs(Inputs):
    """The inputs of a tool that takes none."""


class DiskUsage(Tool[NoInputs]):
    """The tool that adds up the space by file type."""

    name = "disk_usage"
    description = "total disk space, by file type"
    inputs = NoInputs

    async def __call__(self, state: TurnState, inputs: NoInputs) -> AsyncIterator[Result | Error]:
        """Yield the total size, and size and number by type."""
        sizes: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        files = await state.files()
        for file in files:
            sizes[file.extension or "(none)"] += file.size
            counts[file.extension or "(none)"] += 1
        total = sum(sizes.values())
        lines = [f"{human_size(total)} in {number(len(files), 'files')}."]
        lines += [
            f"- {ext}: {human_size(size)} in {number(counts[ext], 'files')}"
            for ext, size in sizes.most_common(_TYPES)
        ]
        yield Result(
            objects=[FileCount.of_type(e, counts[e], size) for e, size in sizes.most_common()],
            metadata={"total_bytes": total, "files": len(files)},
            name="usage",
            payload_type="usage",
            llm_message="\n".join(lines),
            answers=True,
        )


def _created(library: Library, file: FileRecord) -> datetime | None:
    """Return when a file was created; `None` if unknown, or if the file is another one by now."""
    try:
        path = library.resolve(file.path)
        same = path.stat().st_mtime_ns == file.mtime_ns
    except (ManoleError, OSError, ValueError):
        return None
    return created(path) if same else None


def _sorted(files: Sequence[FileRecord], sort_by: str, order: str) -> list[FileRecord]:
    if sort_by == "name":
        return sorted(files, key=lambda f: f.path.lower())
    down = order == "descending"

    def key(file: FileRecord) -> tuple[float, str]:
        value = file.size if sort_by == "size" else _moment(file, own=sort_by == "document_date")
        return (-value if down else value, file.path)

    return sorted(files, key=key)


def _moment(file: FileRecord, *, own: bool) -> float:
    """Return when a file was changed (ns); with `own` its own date (days), if it has one."""
    if not own:
        return file.mtime_ns
    return (file.date or file.modified.date()).toordinal()
