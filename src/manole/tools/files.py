"""Questions about the files themselves, answered from the index's file table (seed 004, "Tools").

No model is needed: each result's message is the answer. The tools see the library's files only;
they never touch the disk.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import date
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import Field

from manole.index.store import FileRecord
from manole.tools.base import Error, Inputs, Result, Tool
from manole.tools.environment import TurnState
from manole.tools.kinds import describe, extensions_of
from manole.tools.periods import Period, find_period

_SHOWN = 50  # objects of one result; the count in its message is always over all


class FileFilter(Inputs):
    """Which files a tool looks at. Empty fields do not restrict."""

    extension: str = Field("", description="file type: pdf, .docx, images, spreadsheets")
    time_filter: str = Field("", description="when changed: 2023, last week, since 2024-06-01")
    name: str = Field("", description="word in the file's name or folder")
    folder: str = Field("", description="folder to look in")


async def matching(state: TurnState, inputs: FileFilter) -> tuple[list[FileRecord], str]:
    """The files that pass a filter, and the filter in words (`PDF files changed in 2023`)."""
    files = await state.files()
    words = describe(inputs.extension)
    if inputs.name:
        files = [f for f in files if name_matches(f.path, inputs.name)]
        words = f"{words} named like “{inputs.name}”"
    if inputs.folder:
        folder = find_folder(files, inputs.folder) or inputs.folder.strip("/")
        files = [f for f in files if f.path.startswith(folder + "/")]
        words = f"{words} in the folder {folder}"
    if inputs.extension:
        wanted = extensions_of(inputs.extension)
        files = [f for f in files if f.extension in wanted]
    if inputs.time_filter:
        period = find_period(inputs.time_filter, state.today)
        if period is not None:
            files = [f for f in files if f.modified.date() in period]
            words = f"{words} changed {_when(period)}"
    return files, words


class CountFiles(Tool[FileFilter]):
    """Counts files."""

    name = "count_files"
    description = "how many files there are, of a type or from a time"
    inputs = FileFilter

    async def __call__(self, state: TurnState, inputs: FileFilter) -> AsyncIterator[Result | Error]:
        """Yield the number of matching files, and by type when no type was asked."""
        files, words = await matching(state, inputs)
        message = f"There {_are(len(files))} {_number(len(files), words)}."
        if not inputs.extension and len(files) > 1:
            message += f" By type: {by_type(files)}."
        yield Result(
            objects=[as_object(f) for f in files[:_SHOWN]],
            metadata={"count": len(files), **inputs.model_dump(exclude_defaults=True)},
            name="count",
            payload_type="files",
            llm_message=message,
            answers=True,
        )


class ListInputs(FileFilter):
    """`list_files`: a filter, an order and a length."""

    sort_by: Literal["date", "document_date", "size", "name"] = Field(
        "date", description="date: when changed; document_date: the document's own date"
    )
    order: Literal["descending", "ascending"] = "descending"
    limit: int = Field(10, ge=1, le=1000)


class ListFiles(Tool[ListInputs]):
    """Lists files in an order."""

    name = "list_files"
    description = "newest, oldest, largest or smallest files, or files of a type"
    inputs = ListInputs

    async def __call__(self, state: TurnState, inputs: ListInputs) -> AsyncIterator[Result | Error]:
        """Yield the first `limit` matching files with date and size."""
        files, words = await matching(state, inputs)
        chosen = _sorted(files, inputs.sort_by, inputs.order)[: inputs.limit]
        yield Result(
            objects=[as_object(f) for f in chosen],
            metadata={"count": len(files), **inputs.model_dump(exclude_defaults=True)},
            name="files",
            payload_type="files",
            llm_message=_list_message(chosen, len(files), words, inputs),
            answers=bool(files) or not inputs.name,
        )


class GrepInputs(Inputs):
    """`grep_files`: a word or a glob."""

    pattern: str = Field(min_length=1, max_length=200)


class GrepFiles(Tool[GrepInputs]):
    """Finds files by name."""

    name = "grep_files"
    description = "find files whose NAME contains a word"
    inputs = GrepInputs

    async def __call__(self, state: TurnState, inputs: GrepInputs) -> AsyncIterator[Result | Error]:
        """Yield the files whose name, or else whose path, contains the pattern."""
        files = await state.files()
        found = [f for f in files if name_matches(f.path, inputs.pattern)]
        if not found:
            yield Error(
                f"No file's name contains “{inputs.pattern}”.",
                suggestion="Try semantic_search, which reads the contents.",
            )
            return
        shown = "\n".join(f"- {f.path}" for f in found[:_SHOWN])
        yield Result(
            objects=[as_object(f) for f in found[:_SHOWN]],
            metadata={"count": len(found), "pattern": inputs.pattern},
            name="matches",
            payload_type="files",
            llm_message=f"{_number(len(found), 'files')} with “{inputs.pattern}” in the name:\n"
            + shown
            + _more(found, _SHOWN),
            answers=True,
        )


class MetadataInputs(Inputs):
    """`file_metadata`: a part of the file's name."""

    name_hint: str = Field(min_length=1, max_length=300)


class FileMetadata(Tool[MetadataInputs]):
    """Size and dates of files by name."""

    name = "file_metadata"
    description = "size and dates of one named file"
    inputs = MetadataInputs

    async def __call__(
        self, state: TurnState, inputs: MetadataInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the best matches of the name, at most five."""
        found = best_by_name(await state.files(), inputs.name_hint)[:5]
        if not found:
            yield Error(
                f"No file is named like “{inputs.name_hint}”.",
                suggestion="Try semantic_search, which reads the contents.",
            )
            return
        yield Result(
            objects=[as_object(f) for f in found],
            metadata={"name_hint": inputs.name_hint},
            name="metadata",
            payload_type="files",
            llm_message="\n".join(_describe_file(f) for f in found),
            answers=True,
        )


class TreeInputs(Inputs):
    """`directory_tree`: how deep."""

    max_depth: int = Field(2, ge=1, le=20)


class DirectoryTree(Tool[TreeInputs]):
    """The folder structure."""

    name = "directory_tree"
    description = "the folder structure"
    inputs = TreeInputs

    async def __call__(self, state: TurnState, inputs: TreeInputs) -> AsyncIterator[Result | Error]:
        """Yield the folders down to `max_depth` with the number of files under each."""
        files = await state.files()
        counts: Counter[str] = Counter()
        for file in files:
            parents = PurePosixPath(file.path).parents
            counts.update(str(p) for p in parents if str(p) != ".")
        folders = sorted(f for f in counts if f.count("/") < inputs.max_depth)
        top = sum("/" not in f.path for f in files)
        lines = [f"{', '.join(r.name or str(r) for r in state.library.roots)}/"]
        lines += [
            "  " * (f.count("/") + 1) + f"{f.rsplit('/', 1)[-1]}/ ({_number(counts[f], 'files')})"
            for f in folders
        ]
        if top:
            lines.append(f"  {_number(top, 'files')} beside the folders")
        yield Result(
            objects=[{"id": f"folder:{f}", "folder": f, "files": counts[f]} for f in folders],
            metadata={"max_depth": inputs.max_depth, "files": len(files)},
            name="tree",
            payload_type="tree",
            llm_message="\n".join(lines),
            answers=True,
        )


class StatsInputs(Inputs):
    """`folder_stats`: order and length."""

    sort_by: Literal["size", "count", "name"] = "size"
    limit: int = Field(10, ge=1, le=1000)


class FolderStats(Tool[StatsInputs]):
    """Size and number of files by folder."""

    name = "folder_stats"
    description = "size and number of files of each folder"
    inputs = StatsInputs

    async def __call__(
        self, state: TurnState, inputs: StatsInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield folders with the files directly in them."""
        totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for file in await state.files():
            folder = str(PurePosixPath(file.path).parent)
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
            f"- {_folder(name)}: {_number(n, 'files')}, {human_size(size)}"
            for name, (n, size) in ranked
        ]
        yield Result(
            objects=[
                {"id": f"folder:{name}", "folder": name, "files": n, "size": size}
                for name, (n, size) in ranked
            ],
            metadata=inputs.model_dump(),
            name="folders",
            payload_type="folders",
            llm_message="\n".join(lines),
            answers=True,
        )


class NoInputs(Inputs):
    """A tool without inputs."""


class DiskUsage(Tool[NoInputs]):
    """Space by file type."""

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
        lines = [f"{human_size(total)} in {_number(len(files), 'files')}."]
        lines += [
            f"- {ext}: {human_size(size)} in {_number(counts[ext], 'files')}"
            for ext, size in sizes.most_common(15)
        ]
        yield Result(
            objects=[
                {"id": f"type:{ext}", "type": ext, "files": counts[ext], "size": size}
                for ext, size in sizes.most_common()
            ],
            metadata={"total_bytes": total, "files": len(files)},
            name="usage",
            payload_type="usage",
            llm_message="\n".join(lines),
            answers=True,
        )


# -- matching -------------------------------------------------------------------------------


def stem(word: str) -> str:
    """A word without its plural: `invoices` gives `invoice`, `policies` gives `polic`."""
    word = word.lower()
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def name_matches(path: str, pattern: str) -> bool:
    """Whether a path's name or one of its folders contains every word of `pattern`, or matches
    it as a glob. Plural and case do not matter; `_`, `-`, `.` and spaces are alike.
    """  # noqa: D205
    lowered = path.lower()
    if any(c in pattern for c in "*?["):
        return fnmatchcase(lowered.rsplit("/", 1)[-1], pattern.lower())
    if pattern.lower() in lowered:
        return True
    flat = re.sub(r"[_\-./ ]+", " ", lowered)
    words = re.findall(r"\w+", pattern.lower().replace("_", " "))
    return bool(words) and all(stem(w) in flat for w in words)


def best_by_name(files: Iterable[FileRecord], hint: str) -> list[FileRecord]:
    """Files whose name shares words with `hint`, best first; exact names alone where there are."""
    files = list(files)
    lowered = hint.lower().strip("/ ")
    exact = [f for f in files if f.path.lower() == lowered or _base(f).lower() == lowered]
    if exact:
        return exact
    words = [stem(w) for w in re.findall(r"[^\W_]+", lowered) if len(w) > 1]
    if not words:
        return []
    scored = []
    for file in files:
        name = re.sub(r"[^\w]|_", " ", _base(file).lower())
        path = re.sub(r"[^\w]|_", " ", file.path.lower())
        score = sum(2.0 if w in name else 1.0 if w in path else 0.0 for w in words)
        if score:
            scored.append((-score, len(file.path), file.path, file))
    if not scored:
        return []
    best = min(scored)[0]
    return [item[3] for item in sorted(scored, key=lambda i: i[:3]) if item[0] == best]


def find_folder(files: Sequence[FileRecord], name: str) -> str | None:
    """The folder path of the library that `name` means, or `None`."""
    folders = {str(p) for f in files for p in PurePosixPath(f.path).parents if str(p) != "."}
    wanted = name.lower().strip("/ ")
    exact = [f for f in folders if f.lower() == wanted or f.lower().rsplit("/", 1)[-1] == wanted]
    near = [f for f in folders if stem(wanted) == stem(f.lower().rsplit("/", 1)[-1])]
    return min(exact or near, key=len, default=None)


# -- words ----------------------------------------------------------------------------------


def as_object(file: FileRecord) -> dict[str, Any]:
    """A file as tools hand it on: `kind` "file", path, size in bytes, dates in ISO form."""
    return {
        "id": f"file:{file.id}",
        "kind": "file",
        "file": file.path,
        "size": file.size,
        "modified": file.modified.isoformat(timespec="seconds"),
        "date": file.date.isoformat() if file.date else None,
        "status": file.status.value,
    }


def human_size(size: float) -> str:
    """Bytes for people, decimal units: `1.2 MB`."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError("unreachable")


def by_type(files: Iterable[FileRecord]) -> str:
    """Files by extension, most first: `12 .pdf, 3 .md`."""
    counts = Counter(f.extension or "without extension" for f in files)
    return ", ".join(f"{n} {ext}" for ext, n in counts.most_common())


def day(moment: date) -> str:
    """A date for people and for sorting: `2024-03-05`."""
    return moment.strftime("%Y-%m-%d")


def _sorted(files: Sequence[FileRecord], sort_by: str, order: str) -> list[FileRecord]:
    if sort_by == "name":
        return sorted(files, key=lambda f: f.path.lower())
    down = order == "descending"

    def key(file: FileRecord) -> tuple[float, str]:
        value = file.size if sort_by == "size" else _moment(file, own=sort_by == "document_date")
        return (-value if down else value, file.path)

    return sorted(files, key=key)


def _moment(file: FileRecord, *, own: bool) -> float:
    """When a file was changed (nanoseconds), or its own date where it has one (days)."""
    if not own:
        return file.mtime_ns
    return (file.date or file.modified.date()).toordinal()


def _list_message(chosen: Sequence[FileRecord], total: int, words: str, inputs: ListInputs) -> str:
    superlative = {
        ("date", "descending"): "most recently changed",
        ("date", "ascending"): "oldest",
        ("document_date", "descending"): "newest",
        ("document_date", "ascending"): "oldest",
        ("size", "descending"): "largest",
        ("size", "ascending"): "smallest",
    }.get((inputs.sort_by, inputs.order), "")
    if not chosen:
        return f"There are no {words}."
    if len(chosen) == 1 and total > 1:
        singular = re.sub(r"^(\w+ )?files\b", lambda m: m[0][:-1], words)
        singular = stem(words) if singular == words and " " not in words else singular
        return f"The {superlative} {singular}: {_line(chosen[0])}"
    head = (
        f"{_number(total, words)}"
        if total <= len(chosen)
        else (f"The {len(chosen)} {superlative} of {_number(total, words)}".replace("  ", " "))
    )
    return f"{head}:\n" + "\n".join(f"- {_line(f)}" for f in chosen)


def _line(file: FileRecord) -> str:
    return f"{file.path} ({human_size(file.size)}, changed {day(file.modified.date())})"


def _describe_file(file: FileRecord) -> str:
    text = f"{file.path}: {human_size(file.size)} ({file.size:,} bytes), "
    text += f"last changed {file.modified.strftime('%Y-%m-%d %H:%M')}"
    if file.date:
        text += f", dated {day(file.date)} (by its {file.date_source or 'content'})"
    if file.pages > 1:
        text += f", {file.pages} pages"
    return text + "."


def _when(period: Period) -> str:
    if period.start and period.end:
        if period.start == period.end:
            return f"on {day(period.start)}"
        if (period.start.month, period.start.day, period.end.month, period.end.day) == (
            1, 1, 12, 31,
        ) and period.start.year == period.end.year:  # fmt: skip
            return f"in {period.start.year}"
        return f"from {day(period.start)} to {day(period.end)}"
    if period.start:
        return f"since {day(period.start)}"
    return f"up to {day(period.end)}" if period.end else "at any time"


def _number(count: int, words: str) -> str:
    """`1 PDF file`, `3 PDF files named like …`."""
    if count == 1:
        words = re.sub(r"\b(file|image|document|presentation|spreadsheet|e-mail|page|contact|"
                       r"video|archive|e-book)s\b", r"\1", words, count=1)  # fmt: skip
    return f"{count:,} {words}" if count else f"no {words}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _more(items: Sequence[object], shown: int) -> str:
    return f"\n… and {len(items) - shown} more." if len(items) > shown else ""


def _base(file: FileRecord) -> str:
    return file.path.rsplit("/", 1)[-1]


def _folder(name: str) -> str:
    return "(top folder)" if name == "." else name
