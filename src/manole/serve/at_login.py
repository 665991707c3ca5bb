"""Starting `manole serve` at login: a user unit of systemd on Linux, a launchd agent on macOS.

Only files in the person's own folders are written; no service has to run, and no password is
needed. A file that is already there is replaced or removed only if Manole wrote it, which its
second line says (`OURS`).
"""

from __future__ import annotations

import plistlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_config_path

from manole.errors import ManoleError, UsageError
from manole.files import write_file

OURS = "Written by Manole, to be started at login; installing it again writes this anew."
_MASK = 0o077  # what the server writes is its owner's alone
_END = "launchctl bootout gui/$(id -u)/manole"  # fails where none runs
_UNIT = """[Unit]
# {ours}
Description=Manole answers questions about your files
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
ExecStart={command}
{environment}WorkingDirectory=~
Restart=on-failure
RestartSec=5
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """The file that starts Manole at login. `link` is where systemd looks for enabled units."""

    file: Path
    text: bytes
    start: str
    stop: str
    link: Path | None = None

    def install(self) -> str:
        """Write the file; return what was done. Raises `UsageError` for somebody else's file."""
        before = self._there()
        try:
            if before != self.text:
                write_file(self.file, self.text, make=True)
            if self.link is not None and not self.link.is_symlink():
                self.link.parent.mkdir(parents=True, exist_ok=True)
                self.link.symlink_to(self.file)
        except OSError as error:
            raise _failed(f"{self.file} cannot be written", error) from None
        if before == self.text:
            return f"{self.file} was there already, and is as it should be."
        return f"{self.file} was {'written' if before is None else 'written anew'}."

    def remove(self) -> str:
        """Remove the file; return what was done. Raises `UsageError` for somebody else's file."""
        there = self._there()
        try:
            if self.link is not None and self.link.is_symlink():
                self.link.unlink()
            if there is None:
                return f"There is no {self.file}: nothing starts Manole at login."
            self.file.unlink()
        except OSError as error:
            raise _failed(f"{self.file} cannot be removed", error) from None
        return f"{self.file} was removed."

    def _there(self) -> bytes | None:
        """Return the file's content, if it exists. Raises `UsageError` for somebody else's file."""
        try:
            text = self.file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _failed(f"{self.file} cannot be read", error) from None
        if OURS.encode() not in text:
            raise UsageError(
                f"{self.file} was not written by Manole, and stays as it is.",
                "Move it away first if Manole shall be started at login.",
            )
        return text


def _failed(what: str, error: OSError) -> ManoleError:
    return ManoleError(f"{what}: {error.strerror or error}.", "Check that folder.")


def at_login(
    arguments: Sequence[str], environment: Mapping[str, str], platform: str = sys.platform
) -> Entry:
    """Return the entry that starts `manole` with these words and variables. Raises `UsageError`."""
    words = [*program(), *arguments]
    if platform == "linux":
        folder = user_config_path("systemd") / "user"
        return Entry(
            file=folder / "manole.service",
            text=unit(words, environment).encode(),
            start="systemctl --user daemon-reload && systemctl --user restart manole",
            stop="systemctl --user stop manole && systemctl --user daemon-reload",
            link=folder / "default.target.wants" / "manole.service",
        )
    if platform == "darwin":
        home = Path.home()
        file = home / "Library" / "LaunchAgents" / "manole.plist"
        return Entry(
            file=file,
            text=agent(words, environment, home / "Library" / "Logs" / "manole.log"),
            start=f'{_END} 2>/dev/null; launchctl bootstrap gui/$(id -u) "{file}"',
            stop=_END,
        )
    raise UsageError(
        "Manole is started at login by systemd (Linux) or launchd (macOS) only.",
        "Start `manole serve` by what your system has for that.",
    )


def program() -> list[str]:
    """Return the command that runs this installation from any folder."""
    script = Path(sys.executable).parent / "manole"
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "manole.cli.app"]


def unit(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return a user unit (systemd.service(5), systemd.syntax(7))."""
    variables = [
        f"Environment={_quoted(f'{name}={value}')}\n" for name, value in environment.items()
    ]
    first, *rest = map(_quoted, words)  # systemd expands variables behind the program
    command = " ".join([first, *(word.replace("$", "$$") for word in rest)])
    return _UNIT.format(ours=OURS, command=command, environment="".join(variables))


def _quoted(word: str) -> str:
    """Quote a word for systemd: with the escapes of C, and `%` doubled."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "%": "%%"}
    return f'"{"".join(escapes.get(char, char) for char in word)}"'


def agent(words: Sequence[str], environment: Mapping[str, str], log: Path) -> bytes:
    """Return a property list (launchd.plist(5))."""
    entry = {
        "Label": "manole",
        "ProgramArguments": list(words),
        "EnvironmentVariables": dict(environment),
        "WorkingDirectory": str(Path.home()),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Interactive",
        "Umask": _MASK,
        "StandardOutPath": str(log),
        "StandardErrorPath": str(log),
    }
    first, rest = plistlib.dumps(entry, sort_keys=False).split(b"\n", 1)
    return b"\n".join([first, f"<!-- {OURS} -->".encode(), rest])
