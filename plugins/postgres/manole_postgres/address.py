"""The address of a PostgreSQL database, as `conversations.database` gives it.

`postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full&sslrootcert=FILE`, as libpq
writes it: special characters of a password are percent-encoded, `host=/FOLDER` in the query names
the folder of a Unix socket, and without `sslmode` the connection is encrypted where the server can.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from manole.errors import SettingsError

PORT = 5432
MODES = ("disable", "prefer", "require", "verify-ca", "verify-full")
_KNOWN = {"host", "port", "user", "password", "sslmode", "sslrootcert", "application_name"}
_SETTING = "conversations.database"
_FORM = "Write postgresql://USER:PASSWORD@HOST/DATABASE, special characters percent-encoded."


@dataclass(frozen=True, slots=True)
class Address:
    """The place of a database, and the user to use it as."""

    user: str
    host: str
    port: int
    database: str
    password: str | None = field(default=None, repr=False)
    sslmode: str = "prefer"
    sslrootcert: str | None = None
    application: str = "manole"

    @property
    def place(self) -> str:
        """The place for people to read, without the password."""
        where = f"{self.host}/.s.PGSQL.{self.port}" if self._local else f"{self.host}:{self.port}"
        return f"the PostgreSQL database {self.database} at {where}"

    def options(self) -> dict[str, Any]:
        """Return what pg8000 takes to connect. Raises `SettingsError` for a bad certificate."""
        found: dict[str, Any] = {
            "user": self.user,
            "password": self.password,
            "database": self.database,
            "application_name": self.application,
        }
        if self._local:
            socket = f"{self.host}/.s.PGSQL.{self.port}"
            return found | {"unix_sock": socket, "ssl_context": False}
        return found | {"host": self.host, "port": self.port, "ssl_context": self._encryption()}

    @property
    def _local(self) -> bool:
        return self.host.startswith("/")

    def _encryption(self) -> ssl.SSLContext | bool | None:
        if self.sslmode == "disable":
            return False
        if self.sslmode == "prefer":
            return None  # as pg8000 does by itself
        if self.sslmode == "require":
            return True
        try:
            context = ssl.create_default_context(cafile=self.sslrootcert)
        except OSError as error:
            reason = error.strerror or str(error)
            raise SettingsError(
                f"{_SETTING}: sslrootcert={self.sslrootcert} cannot be used: {reason}."
            ) from None
        context.check_hostname = self.sslmode == "verify-full"
        return context


def parsed(text: str) -> Address:
    """Return the address in `text`. Raises `SettingsError`, which never shows it."""
    try:
        parts = urlsplit(text)
        port = parts.port
        given = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    except ValueError:
        raise SettingsError(f"{_SETTING} is no address of a database.", _FORM) from None
    if parts.fragment or ("@" in text and "@" not in parts.netloc):
        raise SettingsError(f"{_SETTING} is no address of a database.", _FORM)
    unknown = sorted(given.keys() - _KNOWN)
    if unknown:
        raise SettingsError(
            f"{_SETTING}: {', '.join(unknown)} is not known.", f"Known are {', '.join(_KNOWN)}."
        )
    mode = given.get("sslmode", "prefer")
    if mode not in MODES:
        raise SettingsError(f"{_SETTING}: sslmode={mode} is none of {', '.join(MODES)}.")
    user = unquote(parts.username or "") or given.get("user") or "postgres"
    number = str(port or given.get("port") or PORT)
    if not number.isdigit() or not 0 < int(number) < 65536:
        raise SettingsError(f"{_SETTING}: {number} is no port.", _FORM)
    password = parts.password if parts.password is not None else given.get("password")
    return Address(
        user=user,
        host=unquote(parts.hostname or "") or given.get("host") or "localhost",
        port=int(number),
        database=unquote(parts.path.lstrip("/")) or user,
        password=unquote(password) if parts.password is not None and password else password,
        sslmode=mode,
        sslrootcert=given.get("sslrootcert"),
        application=given.get("application_name", "manole"),
    )
