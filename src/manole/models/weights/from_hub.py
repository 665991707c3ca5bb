"""The program that downloads one file of the model hub, with the hub's own client.

`python -m manole.models.weights.from_hub FOLDER REPO FILENAME REVISION BYTES` writes the file to
`TAG.BYTES.part` in FOLDER, or goes on with it: the tag is the hub's, so that a file that was
exchanged begins anew. A failure is told in the last line, as JSON: whether the bytes are wrong,
message, hint. The program ends with its parent, whose end closes its standard input.

Only here is `huggingface_hub` imported; `import manole` has switched its reports off. It gets its
token from Manole, so that none is taken that another program has left behind.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx2
from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.file_download import http_get

from manole.errors import HashMismatchError, WeightsError
from manole.models.weights.files import check_space, disk_errors
from manole.models.weights.hub import endpoint, part_in

constants.DOWNLOAD_CHUNK_SIZE = 1 << 18  # bytes that are lost at most; set by hand
constants.HF_HUB_DISABLE_PROGRESS_BARS = True
LATER = "Try again later; what has come is kept."


def download(folder: Path, repo: str, filename: str, revision: str, size: int) -> None:
    """Download a file of `size` bytes (0 if not known). Raises `WeightsError`."""
    home, name = endpoint(), f"{filename} of {repo}"
    with disk_errors(name), _in_words(name, repo, urlsplit(home).netloc):
        url, token = hf_hub_url(repo, filename, revision=revision, endpoint=home), _token(home)
        found = get_hf_file_metadata(url, token=token, endpoint=home, retry_on_errors=True)
        if not (found.etag and found.commit_hash):
            raise OSError("no answer of a hub")
        total = found.size or 0
        if size and total and total != size:
            raise HashMismatchError(
                f"{name} has {total:,} bytes at {urlsplit(home).netloc}; published were {size:,}. "
                "It was not fetched.",
                "Its source delivers other files than were published; take them from another.",
            )
        part = folder / f"{quote(found.etag, safe='').replace('.', '%2E')}.{total}.part"
        if (left := part_in(folder)) and left != part:
            left.unlink()
        with part.open("ab" if total else "wb", buffering=0) as file:
            have = file.tell()
            check_space(folder, total - have, name)
            headers = {"Accept-Encoding": "identity"}
            headers |= {"Authorization": f"Bearer {token}"} if token else {}
            try:
                http_get(url, file, resume_size=have, headers=headers, expected_size=total or None)
            except OSError as error:
                if type(error) is OSError and error.errno is None:  # not the bytes it announced
                    part.unlink()
                raise
            os.fsync(file.fileno())


def _token(home: str) -> str | bool:
    """Return `HF_TOKEN` if nobody between can read it, else `False`. Raises `WeightsError`."""
    token = os.environ.get("HF_TOKEN", "").strip()
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise WeightsError("HF_TOKEN is no token.", "Copy it from the hub once more, or unset it.")
    near = urlsplit(home).hostname in ("localhost", "127.0.0.1", "::1")
    return token if token and (near or home.startswith("https:")) else False


@contextmanager
def _in_words(name: str, repo: str, host: str) -> Iterator[None]:
    """Turn errors of the hub's client into errors that a person can act upon."""
    try:
        yield
    except HfHubHTTPError as error:
        raise _refusal(name, repo, error.response) from None
    except httpx2.HTTPError as error:
        why, hint = str(error) or type(error).__name__, LATER
        if "CERTIFICATE" in why.upper():
            hint = "Where a proxy opens connections, name its certificates by SSL_CERT_FILE."
        raise WeightsError(f"{name}: the connection to {host} failed: {why}.", hint) from None
    except ValueError as error:  # of a proxy, say
        raise WeightsError(
            f"The model hub cannot be asked: {error}",
            "Check HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE.",
        ) from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise WeightsError(
            f"{name}: {host} answered with something else in place of the file.",
            "A network that wants a sign-in does that, and a proxy that forbids it: open the "
            "address in a browser. If HF_ENDPOINT is set, check that it names a hub.",
        ) from None


def _refusal(name: str, repo: str, response: httpx2.Response) -> WeightsError:
    status, hint = response.status_code, LATER
    if status in (401, 403):  # the hub answers so for what does not exist, too
        hint = (
            f"Check the page of {repo} on the hub: it may have a licence to accept, or be closed. "
            "Make a token with read access there (Settings, Access Tokens) and set HF_TOKEN."
        )
    if status in (404, 410):
        hint = "It was renamed or taken away, or HF_ENDPOINT names a mirror without it."
    host = response.url.host
    return WeightsError(f"{name}: {host} answered {status}, and gave no file.", hint)


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        folder, repo, filename, revision, size = sys.argv[1:]
        download(Path(folder), repo, filename, revision, int(size))
    except WeightsError as error:
        sys.exit(json.dumps([isinstance(error, HashMismatchError), error.message, error.hint]))
