"""The folders of a library: which may be one, what they lie on, and the paths in them.

What another machine changes in a network folder, or a cloud service in its own, raises no event
here. Such folders are recognised by the type of their file system; they have to be scanned.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from operator import itemgetter
from pathlib import Path

import psutil

from manole.documents.opened import FoundFile
from manole.documents.scan import locate, readable
from manole.errors import UsageError
from manole.index.store.libraries import META, excluded, folder_of, library_name, read_meta
from manole.settings import Settings

_REMOTE = frozenset({
    "nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "ncpfs", "afs", "afpfs", "coda",
    "9p", "drvfs", "davfs", "davfs2", "webdav", "ceph", "glusterfs", "lustre", "beegfs", "gpfs",
    "orangefs", "ocfs2", "gfs2", "vboxsf", "vmhgfs", "prl_fs", "virtiofs", "osxfs", "grpcfuse",
    "sshfs", "rclone", "s3fs", "gcsfuse", "fuse", "macfuse", "osxfuse", "acfs", "shfs",
})  # fmt: skip
_LOCAL_FUSE = frozenset({"fuseblk", "fusectl", "fuse.lxcfs", "fuse.fuse-overlayfs"})

# File systems that show the system's own state: some of their files never end when they are read.
_SYSTEM = frozenset({
    "proc", "procfs", "sysfs", "devtmpfs", "devfs", "devpts", "cgroup", "cgroup2", "debugfs",
    "tracefs", "securityfs", "configfs", "pstore", "bpf", "mqueue", "binfmt_misc", "efivarfs",
})  # fmt: skip
_SYSTEM_PLACES = (Path("/proc"), Path("/sys"), Path("/dev"))
_MEMORY = Path("/dev", "shm")  # which holds ordinary files
# The beginning of an address, also after it went through `Path`.
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def is_address(place: object) -> bool:
    """Return whether `place` is an address (`SCHEME://…`) and not a folder such as `Old:/`."""
    return _ADDRESS.match(str(place)) is not None and not Path(str(place)).exists()


def check_roots(folders: Sequence[Path], settings: Settings) -> list[Path]:
    """Return absolute folders, each once, without those inside another one.

    Raises `UsageError` for a folder that is missing or cannot be read. Of several that have an
    index together, some may be missing: a disk is perhaps not there today, and its files stay.
    """
    if not folders:
        raise UsageError("No folder was named.", "Name one, as in `manole index ~/Documents`.")
    for folder in folders:
        if is_address(folder):
            raise UsageError(
                f"{folder} is an address; this works on folders only.",
                "Name a folder of this machine.",
            )
    found = [
        Path(os.path.abspath(folder.expanduser()))  # noqa: PTH100  (links stay as named)
        for folder in folders
    ]
    kept = [
        path
        for path in dict.fromkeys(found)
        if not any(path != other and path.is_relative_to(other) for other in found)
    ]
    wrong = [error for path in found if (error := _wrong(path))]
    indexed = (folder_of(library_name(kept), settings) / META).is_file()
    if wrong and not (indexed and len(wrong) < len(kept)):
        raise wrong[0]
    return kept


def resolved(roots: Sequence[Path], path: Path | str) -> Path:
    """Return the absolute path of a file or folder below these, symbolic links followed.

    A relative path is looked for in every root; it may be written as in the index, where bytes of a
    name are not UTF-8. Raises `UsageError` if it leads outside, or to nothing.
    """
    given = Path(path)
    candidates = [given] if given.is_absolute() else [locate(root, str(given)) for root in roots]
    inside = False
    for candidate in candidates:
        try:
            real = candidate.resolve()
            if any(real.is_relative_to(root.resolve()) for root in roots):
                inside = True
                if real.exists():
                    return real
        except (OSError, ValueError, RuntimeError):  # a name too long, a null, a loop
            continue
    if inside:
        raise UsageError(f"There is no {given} in this library.", "Check its name.")
    raise UsageError(f"{given} lies outside this library.", "Only its own files can be read.")


def below(roots: Sequence[Path], real: Path) -> FoundFile:
    """Return a path from `resolved` as a file, opened without following a link made since."""
    real_roots = [root.resolve() for root in roots]
    root = next((root for root in real_roots if real.is_relative_to(root)), real.parent)
    inner = readable(real.relative_to(root).as_posix())
    return FoundFile(str(root), inner, 0, 0, elsewhere=str(real))


def left_out(roots: Sequence[Path], settings: Settings, path: Path) -> tuple[str, ...]:
    """Return the patterns that the library with the index in `path` leaves out.

    They are those of the settings, its own, and Manole's own folders below a root: indexing the
    index would never end.
    """
    own = []
    for folder in (settings.data_dir, settings.cache_dir):
        for root in roots:
            if folder.is_relative_to(root) and folder != root:
                inner = folder.relative_to(root).as_posix()
                own.append("/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", inner) + "/")
    return (*settings.index.exclude, *excluded(read_meta(path)), *own)


def is_system(folder: Path, mounts: Iterable[tuple[str, str]] | None = None) -> bool:
    """Return whether a folder is `/`, or shows the state of the system instead of files."""
    real = Path(os.path.realpath(folder))
    placed = any(real.is_relative_to(place) for place in _SYSTEM_PLACES)
    if real == Path("/") or (placed and not real.is_relative_to(_MEMORY)):
        return True
    return _kind_at(real, _known(mounts)) in _SYSTEM


def is_remote(kind: str) -> bool:
    """Return whether files of such a file system may change without an event here."""
    lowered = kind.lower()
    if lowered in _LOCAL_FUSE:
        return False
    return lowered in _REMOTE or lowered.startswith(("fuse.", "osxfuse", "macfuse"))


def remote_folders(root: Path, mounts: Iterable[tuple[str, str]] | None = None) -> dict[Path, str]:
    """Return the folders at or below `root` that have to be scanned, with their types.

    `root` itself stands for what it is mounted on. `mounts` are pairs of a mount point and a type;
    by default those of this machine.
    """
    real = Path(os.path.realpath(root))
    known = _known(mounts)
    found: dict[Path, str] = {}
    if is_remote(kind := _kind_at(real, known)):
        found[root] = kind
    for point, kind in known:
        if point != real and point.is_relative_to(real) and is_remote(kind):
            found[root / point.relative_to(real)] = kind
    return found


def _wrong(path: Path) -> UsageError | None:
    if not path.exists():
        return UsageError(f"There is no folder {path}.", "Check its name.")
    if not path.is_dir():
        return UsageError(f"{path} is not a folder.", f"Name the folder it is in: {path.parent}")
    if is_system(path):
        return UsageError(
            f"{path} holds the system's own state, no documents.", "Name a folder of yours."
        )
    if not os.access(path, os.R_OK | os.X_OK):
        return UsageError(f"{path} cannot be read.", "Check its permissions.")
    return None


def _known(mounts: Iterable[tuple[str, str]] | None) -> list[tuple[Path, str]]:
    """Return these mounts, else those of this machine."""
    if mounts is None:
        try:
            mounts = [(part.mountpoint, part.fstype) for part in psutil.disk_partitions(all=True)]
        except (OSError, psutil.Error):
            mounts = []
    return [(Path(point), kind) for point, kind in mounts]


def _kind_at(real: Path, known: Sequence[tuple[Path, str]]) -> str:
    """Return the type of the file system of a real path; "" if unknown."""
    over = [(len(point.parts), kind) for point, kind in known if real.is_relative_to(point)]
    # Of several at one place the last one hides the others.
    return max(reversed(over), key=itemgetter(0), default=(0, ""))[1]
