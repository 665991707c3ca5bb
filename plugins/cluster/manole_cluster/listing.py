"""The documents below an address as a scan of a folder would find them.

A bucket has no folders, only names with `/` in them. All names are listed, a thousand a request,
and then left out by the same rules as in a folder: hidden files, secrets, what programs leave
behind, patterns, and ignore files, which are objects like others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from manole.documents.formats import most_bytes
from manole.documents.ignore import IgnoreFile, ignored, parse
from manole.documents.opened import FoundFile
from manole.documents.scan import IGNORE_FILES, OnError, wanted
from manole_cluster.address import Address
from manole_cluster.bucket import Bucket, Stored

_LARGEST_IGNORE = 2**20  # bytes; set by hand


class Listing:
    """A `manole.index.sync.plan.Place` on object storage. It is listed once, when first asked."""

    away: str | None = None

    def __init__(
        self,
        address: Address,
        index: Address,
        *,
        exclude: Sequence[str],
        hidden: bool,
        max_bytes: int,
    ) -> None:
        """`index` is left out where it lies below `address`."""
        self.name = str(address)
        self._bucket = Bucket(address)
        self._index = index.inside(address)
        self._exclude = exclude
        self._hidden = hidden
        self._max_bytes = max_bytes
        self._objects: dict[str, Stored] | None = None

    def scan(self, note: OnError) -> Iterable[FoundFile]:
        """Return the files, in the order of their paths."""
        return _Walk(self._bucket, self._listed(), self._exclude, self._hidden).files(self.name)

    def digest(self, found: FoundFile) -> str:
        """Return the content hash of an object; it is read for that."""
        most = most_bytes(found.path, self._max_bytes)
        return "" if found.size > most else self._bucket.digest(found.path)

    def has(self, path: str) -> bool:
        """Return whether there is such an object."""
        return path in self._listed()

    def _listed(self) -> dict[str, Stored]:
        if self._objects is None:
            own = f"{self._index}/" if self._index is not None else None
            found = {
                item.path: item
                for item in self._bucket.list()
                if _is_file(item.path) and not (own and item.path.startswith(own))
            }
            # Some programs put an empty object where they show a folder.
            folders = {path.rpartition("/")[0] for path in found}
            self._objects = {
                path: item for path, item in found.items() if item.size or path not in folders
            }
        return self._objects


class _Walk:
    """One scan, with the rules of each folder seen so far."""

    def __init__(
        self, bucket: Bucket, objects: dict[str, Stored], exclude: Sequence[str], hidden: bool
    ) -> None:
        self._bucket = bucket
        self._objects = objects
        self._hidden = hidden
        self._ignoring = {path for path in objects if _last(path) in IGNORE_FILES}
        self._rules: dict[str, list[IgnoreFile] | None] = {}
        self._rules[""] = [parse(exclude), *self._own("")]

    def files(self, root: str) -> Iterator[FoundFile]:
        for path in sorted(self._objects):
            folder, name = path[: -len(_last(path))], _last(path)
            rules = self._of(folder)
            if rules is None or not wanted(name, False, self._hidden):
                continue
            if not ignored(rules, path, False):
                item = self._objects[path]
                yield FoundFile(root, path, item.size, item.mtime_ns, elsewhere=path)

    def _of(self, folder: str) -> list[IgnoreFile] | None:
        """Return the rules in a folder ("" or with `/` at its end); `None` where it is left out."""
        missing = []
        while folder not in self._rules:
            missing.append(folder)
            folder = folder[: -len(_last(folder[:-1])) - 1]
        for inner in reversed(missing):
            above = self._rules[folder]
            name = _last(inner[:-1])
            out = (
                above is None
                or not wanted(name, True, self._hidden)
                or ignored(above, inner[:-1], True)
            )
            self._rules[inner] = None if out or above is None else [*above, *self._own(inner)]
            folder = inner
        return self._rules[folder]

    def _own(self, folder: str) -> list[IgnoreFile]:
        """Return the ignore files that lie in a folder."""
        paths = [folder + name for name in IGNORE_FILES if folder + name in self._ignoring]
        return [self._ignore_file(path, folder) for path in paths]

    def _ignore_file(self, path: str, folder: str) -> IgnoreFile:
        small = self._objects[path].size <= _LARGEST_IGNORE
        found = self._bucket.get(path) if small else None
        text = found[0].decode("utf-8", "replace").removeprefix("\ufeff") if found else ""
        return parse(text.split("\n"), folder)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _is_file(path: str) -> bool:
    """Return whether it is a name that a file could have."""
    return all(part not in {"", ".", ".."} for part in path.split("/")) and "\0" not in path
