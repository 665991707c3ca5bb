"""E-mail (RFC 5322, MIME), read by the standard library's parser, which keeps the body's lines.

Subject, sender, recipients, date and the names of the attachments come first, because people ask
for them; then the plain-text body, or the HTML one as text. `members.py` reads the attachments.
"""

from __future__ import annotations

import email
import email.policy
import hashlib
import re
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

from manole.documents.model import Document, Page, storable
from manole.documents.office import read_html
from manole.documents.opened import OpenFile
from manole.documents.text import decode

_LONG_HEADER = 20_000  # characters
_FIELDS = ("Subject", "From", "To", "Cc", "Date")
_LINKS = ("message-id", "in-reply-to", "references")
_LAST, _LONG_ID = 5, 200  # ids of a header that are kept besides the first; characters of one


def read_mail(file: OpenFile, max_chars: int) -> Document:
    """Read an `.eml` file as one unnumbered page. One without headers and body is skipped."""
    data = file.read()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in data[:200]:
        text, _ = decode(data)
        if text is None:
            return Document.failed("email", "binary content, not an e-mail")
        data = text.encode("utf-8")
    message = email.message_from_bytes(data, policy=email.policy.default)
    headers = {name: _header(message, name) for name in _FIELDS}
    body = _body(message, max_chars)
    attachments = _attachments(message)
    lines = [f"{name}: {value}" for name, value in headers.items() if value]
    if attachments:
        lines.append("Attachments: " + ", ".join(attachments))
    text = "\n".join(lines) + ("\n\n" if lines and body else "") + body
    metadata = {name.lower(): value for name, value in headers.items() if value}
    metadata |= {name: ids for name in _LINKS if (ids := _ids(message, name))}
    if _is_automatic(message):
        metadata["automatic"] = "yes"
    if attachments:
        metadata["attachments"] = ", ".join(attachments)[:1000]
    if sent := _sent(headers["Date"]):
        metadata["created"] = sent
    cut_at = max_chars if len(text) > max_chars else None
    title = headers["Subject"] or None
    return Document.finished(
        "email", [Page(text[:max_chars])], metadata, title=title, cut_at=cut_at
    )


def _header(message: EmailMessage, name: str) -> str:
    raw = next((v for k, v in message.raw_items() if k.lower() == name.lower()), None)
    try:
        # The parser of structured headers takes minutes for a header of a megabyte ...
        value = raw if raw and len(raw) > _LONG_HEADER else message.get(name)
    except Exception:  # ... and raises many kinds of errors for broken ones
        value = raw
    return " ".join(str(value).split())[:2000] if value else ""


def _ids(message: EmailMessage, name: str) -> str:
    """Return the ids of a header with blanks between: the first, and the last few.

    They are read from its source, as the parser of structured headers is slow. A long one is
    hashed.
    """
    raw = next((str(v) for k, v in message.raw_items() if k.lower() == name), "")
    found = ["".join(one.split()) for one in re.findall(r"<([^<>]+)>", raw)] or raw.split()[:1]
    few = dict.fromkeys(filter(None, (*found[:1], *found[1:][-_LAST:])))
    return " ".join(
        one if len(one) <= _LONG_ID else hashlib.blake2b(one.encode(), digest_size=16).hexdigest()
        for one in map(storable, few)
    )


def _is_automatic(message: EmailMessage) -> bool:
    """Return whether a program sent it: a newsletter, a notice of absence (RFC 2369, 3834)."""
    known = {name.lower(): str(value)[:20].strip().lower() for name, value in message.raw_items()}
    bulk = known.get("precedence") in {"bulk", "junk"} or "list-unsubscribe" in known
    return bulk or known.get("auto-submitted", "no") != "no"


def _body(message: EmailMessage, max_chars: int) -> str:
    plain: list[str] = []
    rich: list[str] = []
    for part in message.walk():
        if part.is_multipart() or part.get_content_disposition() == "attachment":
            continue
        kind = part.get_content_type()
        if kind not in ("text/plain", "text/html"):
            continue
        text = _part_text(part)
        if text and kind == "text/plain":
            plain.append(text)
        elif text:
            rich += (page.text for page in read_html(text, max_chars).pages)
    return "\n\n".join(text.strip("\n") for text in plain or rich)


def _part_text(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    charset = part.get_content_charset()
    if charset:
        try:
            return payload.decode(charset).replace("\r\n", "\n")
        except (LookupError, UnicodeDecodeError):
            pass
    return decode(payload)[0] or ""


def _attachments(message: EmailMessage) -> list[str]:
    names = (part.get_filename() for part in message.walk() if not part.is_multipart())
    return [" ".join(name.split())[:200] for name in names if name]


def _sent(value: str) -> str | None:
    try:
        return parsedate_to_datetime(value).isoformat() if value else None
    except (ValueError, TypeError, IndexError):
        return None
