"""`make release`: what it writes, what that says, and whether it can be checked."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from manole import __version__

from .conftest import ROOT, closure, ran

WEB = ROOT / "src/manole/serve/http/web"
NAMED = re.compile(r"^## (\S+) (\S+) \((.+)\)\n\n(.+)", re.MULTILINE)


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    key = tmp_path_factory.mktemp("key") / "key"
    ran("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
    return key


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Path:
    dist = tmp_path_factory.mktemp("dist")
    (dist / "notes.txt").write_text("mine")
    made(dist, SIGN_SSH=str(key))
    return dist


def made(dist: Path, **more: str) -> str:
    where = {"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "1700000000"}
    return ran(sys.executable, ROOT / "locks/release.py", dist, env=where | more).stdout


def test_sums_are_those_of_the_files(release: Path) -> None:
    lines = (release / "SHA256SUMS").read_text().splitlines()
    told = {name: found for found, name in (line.split("  ") for line in lines)}
    assert {Path(name).suffix for name in told} == {".whl", ".gz", ".json"}
    assert all(f"-{__version__}" in name or name == "sbom.cdx.json" for name in told)
    for name, found in told.items():
        assert hashlib.sha256((release / name).read_bytes()).hexdigest() == found


def test_signature_is_that_of_the_key(release: Path, key: Path, tmp_path: Path) -> None:
    signers = tmp_path / "signers"
    signers.write_text(f"me {key.with_suffix('.pub').read_text()}")
    check = ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", "me", "-n", "manole",
             "-s", release / "SHA256SUMS.sig"]  # fmt: skip
    sums = (release / "SHA256SUMS").read_bytes()
    assert subprocess.run(check, input=sums, capture_output=True).returncode == 0
    assert subprocess.run(check, input=sums + b"x", capture_output=True).returncode != 0


def test_same_source_gives_the_same_bytes_and_says_that_none_signed(
    release: Path, tmp_path: Path
) -> None:
    assert "Not signed" in made(tmp_path)
    assert (tmp_path / "SHA256SUMS").read_text() == (release / "SHA256SUMS").read_text()
    assert not (tmp_path / "SHA256SUMS.sig").exists()
    assert (release / "notes.txt").read_text() == "mine"


def test_bill_of_materials_is_whole_and_valid(release: Path) -> None:
    text = (release / "sbom.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill = json.loads(text)
    assert bill["metadata"]["component"]["version"] == __version__
    python = [part for part in bill["components"] if part["purl"].startswith("pkg:pypi/")]
    lock = (ROOT / "locks/runtime.txt").read_text()
    for part in python:
        start = lock.index(f"{part['name']}=={part['version']} ")
        pinned = lock[start:].split("\n", 1)[1].partition("==")[0]
        assert [h["content"] for h in part["hashes"]] == re.findall(r"sha256:(\w{64})", pinned)
    required = {part["name"] for part in python if part["scope"] == "required"}
    assert required == set(closure())
    assert all(part["licenses"] for part in python if part["name"] in required)
    page = {part["name"] for part in bill["components"]} - {part["name"] for part in python}
    assert {"react", "@fontsource/source-serif-4"} <= page


def test_licences_of_the_page_are_those_of_all_that_it_is_built_of(tmp_path: Path) -> None:
    """Source maps say what a build took up; of fonts it has the files."""
    modules = ROOT / "web/node_modules"
    ran("npx", "vite", "build", "--sourcemap", "--outDir", tmp_path, "--logLevel", "error",
        cwd=ROOT / "web")  # fmt: skip
    sources = {
        source
        for found in (tmp_path / "assets").glob("*.map")
        for source in json.loads(found.read_text("utf-8"))["sources"]
    }
    package = re.compile(r".*node_modules/((?:@[^/]+/)?[^/]+)/")
    used = {found[1] for source in sources if (found := package.match(source))}
    fonts = {file.name.rsplit("-", 1)[0] for file in (WEB / "assets").glob("*.woff2")}
    used |= {
        f"@fontsource/{folder.name}"
        for folder in (modules / "@fontsource").iterdir()
        if any((folder / "files" / f"{font}.woff2").is_file() for font in fonts)
    }
    assert len(used) > 60
    told = {name: text for name, _, _, text in NAMED.findall((WEB / "third-party.md").read_text())}
    assert used - set(told) == set()
    assert all(text.strip() for text in told.values())
