"""Private keys are known by what they hold, whatever they are called."""

from __future__ import annotations

import pytest

from manole.documents.limits import Limits
from manole.documents.model import PRIVATE_KEY, Status
from reading_here import read_document

BODY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ" * 3
KEYS = {
    "openssh": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}\n-----END OPENSSH PRIVATE KEY-----\n",
    "rsa": f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{BODY}\n",
    "after a header": f"Bag Attributes\n    localKeyID: 01\n-----BEGIN PRIVATE KEY-----\n{BODY}\n",
    "pgp": f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n{BODY}\n",
    "pgp without headers": f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{BODY}\n",
    "putty": f"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n{BODY}\n",
    "windows": f"-----BEGIN EC PRIVATE KEY-----\r\n{BODY}\r\n",
}
TEXTS = {
    "public": f"-----BEGIN PUBLIC KEY-----\n{BODY}\n-----END PUBLIC KEY-----\n",
    "certificate": f"-----BEGIN CERTIFICATE-----\n{BODY}\n-----END CERTIFICATE-----\n",
    "told of": "A key file begins with -----BEGIN PRIVATE KEY----- and ends likewise.\n",
    "shown without a key": "It looks so:\n-----BEGIN RSA PRIVATE KEY-----\n...\n",
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_private_key_is_not_read(tmp_path, kind):
    (tmp_path / "holiday.txt").write_bytes(KEYS[kind].encode())
    document = read_document(tmp_path / "holiday.txt", Limits())
    assert (document.status, document.reason, document.pages) == (Status.SKIPPED, PRIVATE_KEY, ())


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_no_private_key_is_read(tmp_path, kind):
    (tmp_path / "a.txt").write_text(TEXTS[kind])
    assert read_document(tmp_path / "a.txt", Limits()).status is Status.INDEXED
