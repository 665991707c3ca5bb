"""E-mails: header lines and a text become a MIME message of the standard library."""

from __future__ import annotations

from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path


def write(target: Path, source: str, date: datetime) -> None:
    """Write `source` (header lines, an empty line, the text) as the message `target`."""
    head, _, body = source.partition("\n\n")
    message = EmailMessage()
    for line in head.splitlines():
        name, _, value = line.partition(": ")
        message[name] = value
    message["Date"] = format_datetime(date)
    message["Message-ID"] = f"<{target.stem}@mail.example.com>"
    message.set_content(body)
    target.write_bytes(message.as_bytes())
