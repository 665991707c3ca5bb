"""What the tests need beside Python, and the line that helps where it is missing.

python tests/browsers.py            Node, a browser and, on Linux, user name spaces
python tests/browsers.py node       one of them: node, browser, spaces
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

NODE = 20
PROGRAMS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "microsoft-edge-stable", "msedge",
)  # fmt: skip
BUNDLES = ("Google Chrome", "Chromium", "Microsoft Edge")  # of macOS
INSTALL = {"apt-get": "sudo apt-get install {}", "dnf": "sudo dnf install {}",
           "pacman": "sudo pacman -S {}", "zypper": "sudo zypper install {}",
           "brew": "brew install {}"}  # fmt: skip
SPACES = ("unshare", "--user", "--map-root-user", "--net", "--mount", "true")
REFUSING = (  # settings of Linux, what they are where they refuse, and the line that allows
    ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),  # Debian
    ("kernel/apparmor_restrict_unprivileged_userns", "1",
     "kernel.apparmor_restrict_unprivileged_userns=0"),  # Ubuntu
    ("user/max_user_namespaces", "0", "user.max_user_namespaces=10000"),
)  # fmt: skip


def browser() -> str | None:
    """A Chromium, Chrome or Edge of this machine."""
    bundles = (f"/Applications/{name}.app/Contents/MacOS/{name}" for name in BUNDLES)
    there = (name for name in bundles if Path(name).is_file())
    return next(filter(None, map(shutil.which, PROGRAMS)), None) or next(there, None)


def node() -> int:
    """The major version of Node with npm; 0 without."""
    if not (shutil.which("node") and shutil.which("npm")):
        return 0
    said = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    found = re.match(r"v(\d+)", said)
    return int(found[1]) if found else 0


def refused() -> str:
    """What `unshare` says where user name spaces are refused; empty where they work."""
    tried = subprocess.run(SPACES, capture_output=True, text=True)
    return (tried.stderr.strip() or "no reason given") if tried.returncode else ""


def allowing(settings: Path = Path("/proc/sys")) -> str:
    """The line that allows user name spaces here; empty where no setting refuses them."""
    lines = [line for name, value, line in REFUSING if _setting(settings / name) == value]
    return f"sudo sysctl {' '.join(lines)}" if lines else ""


def lacking(*needs: str) -> list[str]:
    """What is missing of `needs`, of all if none is named, each with the line that helps."""
    found = (LOOKS[need]() for need in needs or LOOKS)
    return [line for line in found if line]


def _no_node() -> str:
    return "" if node() >= NODE else f"Node {NODE} or later with npm: {_install('nodejs npm')}"


def _no_browser() -> str:
    chromium = "--cask google-chrome" if platform.system() == "Darwin" else "chromium"
    return "" if browser() else f"Chromium, Chrome or Edge: {_install(chromium)}"


def _no_spaces() -> str:
    """Of Linux only: elsewhere there are none."""
    if platform.system() != "Linux":
        return ""
    if not shutil.which(SPACES[0]):
        return f"unshare of util-linux: {_install('util-linux')}"
    said = refused()
    helps = allowing() or "a container needs --security-opt seccomp=unconfined"
    return f"User name spaces, refused here ({said}): {helps}" if said else ""


def _install(packages: str) -> str:
    tool = next(filter(shutil.which, INSTALL), "")
    return INSTALL.get(tool, "install {}").format(packages)


def _setting(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""


LOOKS: dict[str, Callable[[], str]] = {
    "node": _no_node,
    "browser": _no_browser,
    "spaces": _no_spaces,
}


if __name__ == "__main__":
    if missing := lacking(*sys.argv[1:]):
        sys.exit("The tests need what this machine lacks:\n  " + "\n  ".join(missing))
