"""What a person reads who typed a wrong name, or whose store is away: at once, and what to do."""

from __future__ import annotations

import os
import subprocess

import pytest
from seaweed import free_ports, program

from manole_cluster.address import Address
from manole_cluster.bucket import Bucket


def manole(*arguments: str, **changed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program("manole"), *arguments],
        env=os.environ | changed, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "changed", "code", "said"),
    [
        (["index", "s3://no-such-bucket/x"], {}, 2, "There is no bucket no-such-bucket"),
        (["search", "x", "s3://no-such-bucket/x"], {}, 2, "There is no bucket no-such-bucket"),
        (["search", "x", "{documents}"], {}, 1, "has no index yet"),
        (["index", "{documents}"], {"AWS_SECRET_ACCESS_KEY": "wrong"}, 1, "AWS_SECRET_ACCESS_KEY"),
        (["status", "{documents}"], {"AWS_ACCESS_KEY_ID": "nobody"}, 1, "AWS_ACCESS_KEY_ID"),
        (["index", "{documents}"], {"AWS_ENDPOINT_URL": "{nobody}"}, 1, "does not answer"),
        (["search", "x", "s3://Wrong_Name"], {}, 2, "s3://bucket/documents"),
        (
            ["--set", "cluster.ray={nobody}", "index", "{documents}"],
            {},
            2,
            "No Ray cluster answers",
        ),
        (["index", "{documents}", "--store", "leann"], {}, 2, "cannot be kept by leann"),
        (["index", "--watch", "{documents}/made"], {}, 2, "object storage"),
        (["stdio", "{documents}/made"], {}, 2, "folders of this machine"),
    ],
)
def test_it_says_what_to_do(
    documents: Address,
    bucket: Bucket,
    arguments: list[str],
    changed: dict[str, str],
    code: int,
    said: str,
) -> None:
    bucket.put("a.md", b"words")
    bucket.put("made/meta.json", b'{"format": 1, "roots": ["s3://no-such-bucket"]}')
    free = f"127.0.0.1:{free_ports(1)[0]}"

    def filled(text: str, scheme: str = "") -> str:
        return text.replace("{documents}", str(documents)).replace("{nobody}", scheme + free)

    done = manole(
        *map(filled, arguments),
        **{name: filled(value, "http://") for name, value in changed.items()},
    )
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert said in done.stderr.replace("\n        ", " ")
    assert "Traceback" not in done.stderr
