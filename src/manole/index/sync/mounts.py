"""Which folders lie on file systems that do not tell of every change.

What another machine changes on a network folder, or a cloud service in its own, raises no event
here. Such folders are told by the type of their file system; they have to be scanned.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import psutil

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


def is_system(folder: Path, mounts: Iterable[tuple[str, str]] | None = None) -> bool:
    """Whether a folder is the root of all, or shows the state of the system instead of files."""
    real = Path(os.path.realpath(folder))
    placed = any(real.is_relative_to(place) for place in _SYSTEM_PLACES)
    if real == Path("/") or (placed and not real.is_relative_to(_MEMORY)):
        return True
    known = [(Path(point), kind) for point, kind in (_mounts() if mounts is None else mounts)]
    over = [(len(point.parts), kind) for point, kind in known if real.is_relative_to(point)]
    return bool(over) and max(reversed(over), key=lambda item: item[0])[1] in _SYSTEM


def is_remote(kind: str) -> bool:
    """Whether a file system of this type changes without telling."""
    lowered = kind.lower()
    if lowered in _LOCAL_FUSE:
        return False
    return lowered in _REMOTE or lowered.startswith(("fuse.", "osxfuse", "macfuse"))


def remote_folders(root: Path, mounts: Iterable[tuple[str, str]] | None = None) -> dict[Path, str]:
    """The folders at or below `root` that have to be scanned, with their file systems' types.

    `root` itself stands for what it is mounted on. `mounts` are pairs of a mount point and a type;
    by default those of this machine.
    """
    real = Path(os.path.realpath(root))
    known = [(Path(point), kind) for point, kind in (_mounts() if mounts is None else mounts)]
    found: dict[Path, str] = {}
    over = [(len(point.parts), kind) for point, kind in known if real.is_relative_to(point)]
    if over:
        deepest = max(depth for depth, _ in over)
        # Of several at one place the last one hides the others.
        kind = next(kind for depth, kind in reversed(over) if depth == deepest)
        if is_remote(kind):
            found[root] = kind
    for point, kind in known:
        if point != real and point.is_relative_to(real) and is_remote(kind):
            found[root / point.relative_to(real)] = kind
    return found


def _mounts() -> list[tuple[str, str]]:
    try:
        return [(part.mountpoint, part.fstype) for part in psutil.disk_partitions(all=True)]
    except (OSError, psutil.Error):
        return []
