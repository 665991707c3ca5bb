"""The files that a sync is yet to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from manole.documents.model import MEMBERS, Document
from manole.documents.opened import SEPARATOR, FoundFile, lies_in
from manole.index.store.records import FileRecord
from manole.index.sync.plan import Plan, is_whole


class Queued:
    """The files of a plan that are yet to be read; those inside a container follow it at once.

    It may be iterated on after its end, if there is more by then. Each is forgotten when it is
    given out: a million take much room.
    """

    def __init__(self, plan: Plan | None = None) -> None:
        plan = plan or Plan()
        self._files = plan.read[::-1]
        self._inside = plan.inside
        self._again = plan.again
        self.total = len(self._files)

    def __iter__(self) -> Iterator[tuple[FoundFile, FileRecord | None]]:
        return self

    def __next__(self) -> tuple[FoundFile, FileRecord | None]:
        if not self._files:
            raise StopIteration
        return self._files.pop()

    def enter(self, found: FoundFile, document: Document, left: bool) -> list[FileRecord]:
        """Add what is new inside a file that was read; return what is as it was.

        `left` is whether the index keeps what it has of the file.
        """
        outer = found.root, found.path.partition(SEPARATOR)[0]
        known = self._inside.get(outer, {})
        if left:
            for path in [path for path in known if lies_in(path, found.path)]:
                del known[path]
            return []
        same: list[FileRecord] = []
        new: list[tuple[FoundFile, FileRecord | None]] = []
        for member in document.members:
            path = f"{found.path}{SEPARATOR}{member.name}"
            file = found.inside(member.name, member.size, member.mark)
            old = known.pop(path, None)
            holds = old is not None and MEMBERS in old.metadata
            inner = [known[name] for name in known if lies_in(name, path)] if holds else []
            files = [old, *inner] if old else []
            changed = not old or old.content_hash != member.mark or not is_whole(files)
            if changed or any(one.id in self._again for one in files):
                new.append((file, old))
                continue
            for one in inner:
                del known[one.path]
            same += [replace(one, mtime_ns=found.mtime_ns) for one in files]
        self._files += reversed(new)
        self.total += len(new)
        return same

    def gone(self) -> list[FileRecord]:
        """Return the known files that are no longer inside a container that was read."""
        return [file for known in self._inside.values() for file in known.values()]
