"""One signed request of S3 (AWS signature, version 4), to make a bucket."""

from __future__ import annotations

import hashlib
import hmac
import urllib.request
from datetime import UTC, datetime
from urllib.parse import urlsplit


def signed(method: str, path: str, environment: dict[str, str]) -> urllib.request.Request:
    """A request without a body."""
    endpoint, region = environment["AWS_ENDPOINT_URL"], environment["AWS_REGION"]
    now = datetime.now(UTC)
    stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    empty = hashlib.sha256(b"").hexdigest()
    headers = {
        "host": urlsplit(endpoint).netloc,
        "x-amz-content-sha256": empty,
        "x-amz-date": stamp,
    }
    names = ";".join(sorted(headers))
    listed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    asked = f"{method}\n{path}\n\n{listed}\n{names}\n{empty}"
    scope = f"{day}/{region}/s3/aws4_request"
    to_sign = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(asked.encode()).hexdigest()}"
    key = f"AWS4{environment['AWS_SECRET_ACCESS_KEY']}".encode()
    for part in (day, region, "s3", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
    headers["Authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={environment['AWS_ACCESS_KEY_ID']}/{scope}, "
        f"SignedHeaders={names}, Signature={signature}"
    )
    return urllib.request.Request(endpoint + path, method=method, headers=headers)
