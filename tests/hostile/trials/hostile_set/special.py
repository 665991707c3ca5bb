"""What is no regular file, may not be read, or has a time that cannot be."""

from __future__ import annotations

import contextlib
import os
import socket
import stat

from hostile_set import Making, hostile


@hostile("FIFO, device, socket, links in a ring", "indexed skipped failed", left=True)
def _nodes(making: Making) -> None:
    folder = making.folder
    os.mkfifo(folder / "pipe.txt")
    for name, minor in (("zero.txt", 5), ("random.pdf", 8)):
        with contextlib.suppress(OSError):  # only root may
            os.mknod(folder / name, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
    listener = socket.socket(socket.AF_UNIX)
    with contextlib.suppress(OSError):  # its path may be too long for a socket
        here = os.open(folder, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{here}/socket.txt")
        os.close(here)
    listener.close()
    (folder / "ring").symlink_to("ring")
    (folder / "up").symlink_to("..")
    (folder / "gone.txt").symlink_to("nowhere.txt")
    (folder / "outside.txt").symlink_to(making.secret)
    (folder / "processes").symlink_to("/proc")
    making.write("regular.txt", "the one regular file")
    os.link(folder / "regular.txt", folder / "the same again.txt")
    (folder / "folder.pdf").mkdir()
    (folder / ".gitignore").symlink_to("/dev/zero")
    (folder / ".manoleignore").mkdir()


@hostile("files and folders that may not be read", "indexed failed", left=True)
def _closed(making: Making) -> None:
    making.write("closed.txt", "closed words").chmod(0)
    making.write("closed.pdf", "closed words").chmod(0)
    for name, mode in (("no x", 0o600), ("no r", 0o300), ("nothing", 0o000)):
        folder = making.folder / name
        folder.mkdir()
        (folder / "inside.txt").write_text("words inside")
        folder.chmod(mode)
    making.write("open.txt", "open words")


@hostile("times from 1901 to 2446", "indexed")
def _times(making: Making) -> None:
    for name, seconds in {
        "1901": -(2**31), "1969": -1, "1970": 0, "2038": 2**31, "2106": 2**32,
        "2446": 15_032_385_535, "far": 2**40, "before": -(2**36),
    }.items():  # fmt: skip
        path = making.write(f"{name}.txt", f"words of {name}")
        with contextlib.suppress(OSError, OverflowError):
            os.utime(path, ns=(seconds * 10**9, seconds * 10**9))


@hostile("ignore files that are bombs", "indexed", left=True)
def _ignores(making: Making) -> None:
    rules = ["a*" * 40 + "b", "**/" * 200 + "x", "[" * 500, "[z-a]", "!" * 100, "\\", "(?:a+)+$",
             "{" + "a," * 1000 + "}", "?*" * 60]  # fmt: skip
    making.write(".gitignore", "\n".join(rules))
    making.write(".manoleignore", b"\xff\xfe\0[" * 1000)
    making.write("a" * 50 + ".txt", "words beside a hostile ignore file")
