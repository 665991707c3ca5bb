"""Writes `dist/`: sdist and wheel, `sbom.cdx.json`, `SHA256SUMS`, and a signature of the sums.

    python locks/release.py [FOLDER]

SIGN_SSH=KEYFILE signs with OpenSSH (`SHA256SUMS.sig`, namespace `manole`),
SIGN_GPG=KEY with GnuPG (`SHA256SUMS.asc`). Without either nothing is signed, which is said.
The same commit gives the same bytes: times are those of the commit (SOURCE_DATE_EPOCH), or of 2020
outside of git.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from needed import ROOT
from sbom import sbom

NAMESPACE = "manole"
OURS = ("manole-*.whl", "manole-*.tar.gz", "sbom.cdx.json", "SHA256SUMS*")


def main(dist: Path) -> None:
    """Make the release. A tool that fails ends it, with what the tool said."""
    dist.mkdir(parents=True, exist_ok=True)
    for old in [file for pattern in OURS for file in dist.glob(pattern)]:
        old.unlink()
    made = os.environ.get("SOURCE_DATE_EPOCH") or _committed() or "1577836800"
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(dist.resolve())]
    run(build, cwd=ROOT, env=os.environ | {"SOURCE_DATE_EPOCH": made})
    (wheel,) = dist.glob("manole-*.whl")
    (dist / "sbom.cdx.json").write_text(sbom(wheel.name.split("-")[1], int(made)), "utf-8")
    sums = dist / "SHA256SUMS"
    files = sorted(file for pattern in OURS for file in dist.glob(pattern))
    sums.write_text("".join(f"{_sha256(file)}  {file.name}\n" for file in files), "utf-8")
    print(sums.read_text("utf-8"), end="")
    print(_signed(sums))


def _signed(sums: Path) -> str:
    """Sign it where there is a key; what came of it, in a sentence."""
    if ssh := os.environ.get("SIGN_SSH"):
        run(["ssh-keygen", "-q", "-Y", "sign", "-f", ssh, "-n", NAMESPACE, str(sums)])
        return f"{sums.name}.sig: signed with {ssh}."
    if gpg := os.environ.get("SIGN_GPG"):
        run(["gpg", "--batch", "--yes", "--armor", "--local-user", gpg, "--detach-sign", str(sums)])
        return f"{sums.name}.asc: signed with {gpg}."
    return "Not signed: neither SIGN_SSH nor SIGN_GPG names a key."


def run(command: list[str], **more: object) -> None:
    """Run a program; it may fail, and then this ends."""
    done = subprocess.run(command, capture_output=True, text=True, **more)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{command[0]} failed: {(done.stderr or done.stdout).strip()}")


def _committed() -> str:
    command = ["git", "log", "-1", "--format=%ct"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def _sha256(file: Path) -> str:
    with file.open("rb") as reading:
        return hashlib.file_digest(reading, "sha256").hexdigest()


if __name__ == "__main__":
    main(Path(*(sys.argv[1:] or ["dist"])))
