"""The bill of materials of a wheel, as CycloneDX 1.6 JSON.

It names what `locks/runtime.txt` pins, with the hashes of every file that may be installed, and
the packages that the page is built of. A licence is what the package's own metadata says; of a
package that is for other systems than this one nothing is installed to ask, and none is named.
"""

from __future__ import annotations

import importlib.metadata as metadata
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from needed import ROOT, closure, key, licence

PINNED = re.compile(r"^(\S+?)==(\S+)(?: ; (.+?))? \\$((?:\n    --hash=sha256:\S+(?: \\)?)+)", re.M)
PACKAGE = re.compile(r"^## (\S+) (\S+) \(([^)]+)\)$", re.MULTILINE)
PAGE = ROOT / "src/manole/serve/http/web/third-party.md"


def sbom(version: str, made: int) -> str:
    """The whole document; `made` is the time of the release in seconds."""
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(made, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": _component("application", "manole", version, "Apache-2.0", "pypi"),
        },
        "components": [*_python(ROOT / "locks/runtime.txt"), *_page(PAGE)],
    }
    return json.dumps(document, indent=1) + "\n"


def _python(lock: Path) -> Iterator[dict[str, Any]]:
    wanted = closure()
    for name, version, marker, hashes in PINNED.findall(lock.read_text("utf-8")):
        here = key(name) in wanted
        if not here and not marker:
            continue  # it builds the wheel, and is not installed with it
        named = licence(name) if here or _installed(name) else ""
        component = _component("library", name, version, named, "pypi")
        component["scope"] = "required" if here else "optional"
        component["hashes"] = [
            {"alg": "SHA-256", "content": found} for found in re.findall(r"sha256:(\w+)", hashes)
        ]
        if marker:
            component["properties"] = [{"name": "manole:only-where", "value": marker}]
        yield component


def _page(told: Path) -> Iterator[dict[str, Any]]:
    for name, version, named in PACKAGE.findall(told.read_text("utf-8")):
        yield _component("library", name, version, named, "npm")


def _component(kind: str, name: str, version: str, named: str, where: str) -> dict[str, Any]:
    address = f"pkg:{where}/{key(name) if where == 'pypi' else name.replace('@', '%40')}@{version}"
    made: dict[str, Any] = {
        "type": kind, "bom-ref": address, "name": name, "version": version, "purl": address,
    }  # fmt: skip
    if named:
        made["licenses"] = [{"license": {"name": named}}]
    return made


def _installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True
