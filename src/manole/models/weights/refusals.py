"""What a hub means when it refuses a file, and what to do about it.

The Hugging Face hub says more in `X-Error-Code` than its status does: it answers 401 for what does
not exist as well as for what wants a token.
"""

from __future__ import annotations

import httpx

from manole.errors import WeightsError

_ADVICE = "Make a token with read access on the hub (Settings, Access Tokens) and set HF_TOKEN"


def refusal(response: httpx.Response, name: str, repo: str, with_token: bool) -> WeightsError:
    """The error for an answer that is no file. `name`: of the file; `with_token`: one was sent."""
    status, code = response.status_code, response.headers.get("X-Error-Code", "")
    host = response.url.host
    if code == "GatedRepo":
        return WeightsError(
            f"{name}: the publisher gives it to those who accept its licence ({status}).",
            f"Open the page of {repo} on the hub and accept it. {_ADVICE}, then fetch again.",
        )
    if status == 401:
        said = (
            "does not accept HF_TOKEN" if with_token else "has no such repository, or a closed one"
        )
        return WeightsError(
            f"{name}: {host} {said} (401).",
            f"{_ADVICE} anew."
            if with_token
            else f"Check the name {repo}. {_ADVICE} if it is closed.",
        )
    if status == 403:
        return WeightsError(
            f"{name}: {host} does not allow it (403).",
            f"The page of {repo} may have a licence to accept, or HF_TOKEN no right to read it.",
        )
    if status in (404, 410):
        missing = {"EntryNotFound": "file", "RevisionNotFound": "revision"}.get(
            code, "file or repository"
        )
        return WeightsError(
            f"{name}: {host} has no such {missing} ({status}).",
            "It was renamed or taken away, or HF_ENDPOINT names a mirror without it.",
        )
    return WeightsError(f"{name}: {host} answered {status}, and gave no file.")
