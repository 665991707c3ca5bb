"""Imports every module of Manole as on a system without POSIX; prints those that fail, as JSON.

    python elsewhere.py

What Manole is built on is imported before, as it is here: what is asked is whether Manole's own
modules need at import what Windows lacks.
"""

from __future__ import annotations

import builtins
import importlib
import json
import os
import pkgutil
import signal
import sys
from typing import Any

POSIX = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "readline", "syslog"}
CALLS = (
    "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_PATH", "geteuid",
    "getuid", "getpgid", "killpg", "fork", "nice", "mkfifo", "sched_getaffinity", "statvfs",
    "sysconf", "fchmod", "posix_fadvise",
)  # fmt: skip
SIGNALS = ("SIGKILL", "SIGHUP", "SIGUSR1", "SIGALRM", "SIGCHLD", "SIGPIPE", "SIGSTOP")


def modules() -> list[str]:
    import manole

    return [found.name for found in pkgutil.walk_packages(manole.__path__, "manole.")]


def failing(names: list[str]) -> dict[str, str]:
    failed = {}
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"
    return failed


def forget_posix() -> None:
    """From here on, Manole's own modules find neither POSIX's modules nor its calls."""
    real = builtins.__import__

    def checked(name: str, scope: Any = None, *rest: Any) -> Any:
        if name in POSIX and scope and str(scope.get("__name__")).startswith("manole"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, scope, *rest)

    builtins.__import__ = checked
    for name in CALLS:
        if hasattr(os, name):
            delattr(os, name)
    for name in SIGNALS:
        delattr(signal, name)


if __name__ == "__main__":
    names = modules()
    here = failing(names)  # what needs an extra that is not installed
    for name in [name for name in sys.modules if name.partition(".")[0] == "manole"]:
        del sys.modules[name]
    forget_posix()
    failed = {name: why for name, why in failing(names).items() if name not in here}
    json.dump({"modules": len(names), "extras": sorted(here), "failed": failed}, sys.stdout)
