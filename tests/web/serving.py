"""`manole serve` as a process of its own, which can be killed and started again."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from manole.settings import Settings

_MANOLE = (sys.executable, "-c", "from manole.cli.app import main; main()")
_START_S = 180.0  # on a machine with other work


class Server:
    """A server over a folder, on a port that it keeps when it is started again."""

    def __init__(self, settings: Settings, folder: Path | None, model: str, **more: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [*_MANOLE, "serve", "--port", str(self.port)]
        self._command += [str(folder), "--reuse"] if folder else []
        own = {key: value for key, value in os.environ.items() if not key.startswith("MANOLE_")}
        self._environment = own | {
            "MANOLE_DATA_DIR": str(settings.data_dir),
            "MANOLE_CACHE_DIR": str(settings.cache_dir),
            "MANOLE_MODEL__NAME": model,
            "MANOLE_CONFIG": str(_config(settings)),
            **more,
        }
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(
            self._command, env=self._environment, cwd=Path(__file__).parent, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/", timeout=5) as answer:
                    assert re.search(rb"<title>Manole</title>", answer.read())
                    return
            except OSError:
                if self._process.poll() is not None:
                    break
                time.sleep(0.1)
        self.kill()
        raise RuntimeError(self._process.stdout.read() if self._process.stdout else "no output")

    def kill(self) -> None:
        """End it at once, as a crash would."""
        assert self._process
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()


def _config(settings: Settings) -> Path:
    """A settings file of the tests' own, so that none of the person's is read or changed."""
    path = settings.data_dir / "web-manole.toml"
    if not path.exists():
        path.write_text("", "utf-8")
    return path
