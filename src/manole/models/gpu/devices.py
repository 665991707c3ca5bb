"""The graphics processors that an engine can use, and a mark of their drivers."""

from __future__ import annotations

import hashlib
import platform
import re
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_LISTED = re.compile(r"^\s+(\S+): (.+) \((\d+) MiB, (\d+) MiB free\)\s*$", re.MULTILINE)
_MIB = 2**20
_LIST_S = 20.0  # seconds; set by hand, for a driver that hangs
# Files that change with a driver: Vulkan's manifests, NVIDIA's and AMD's kernel modules.
_DRIVERS = (
    "/usr/share/vulkan/icd.d/*.json",
    "/usr/local/share/vulkan/icd.d/*.json",
    "/etc/vulkan/icd.d/*.json",
    "/proc/driver/nvidia/version",
    "/sys/module/amdgpu/version",
)


@dataclass(frozen=True, slots=True)
class Gpu:
    """A graphics processor, with the engine's names; `free` and `total` memory in bytes."""

    name: str  # "Vulkan0"
    description: str  # "Intel(R) Iris(R) Xe Graphics"
    free: int
    total: int


def devices() -> tuple[Gpu, ...]:
    """List the devices of the engine in this process: Metal's, or those of the installed build.

    Like the engine, it leaves out a device that shares the CPU's memory if there are others.
    """
    import xllamacpp

    kinds = xllamacpp.ggml_backend_dev_type
    for kind in (kinds.GGML_BACKEND_DEVICE_TYPE_GPU, kinds.GGML_BACKEND_DEVICE_TYPE_IGPU):
        found = tuple(
            Gpu(item["name"], item["description"], item["memory_free"], item["memory_total"])
            for item in xllamacpp.get_device_info()
            if item["type"] == kind
        )
        if found:
            return found
    return ()


def listed(program: Path) -> tuple[Gpu, ...]:
    """List the devices of a compiled `llama-server`; none if it fails or hangs."""
    from manole.models.engine.child import environment

    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [str(program), "--list-devices"],
            capture_output=True,
            text=True,
            errors="replace",
            env=environment(),
            timeout=_LIST_S,
            check=True,
        )
        return tuple(
            Gpu(name, description, int(free) * _MIB, int(total) * _MIB)
            for name, description, total, free in _LISTED.findall(done.stdout)
        )
    return ()


def driver() -> str:
    """Return 16 hex digits that change with the driver, which may change results or room."""
    parts = [platform.system(), platform.release(), platform.version(), platform.mac_ver()[0]]
    for pattern in _DRIVERS:
        for file in sorted(Path("/").glob(pattern.removeprefix("/"))):
            with suppress(OSError):
                info = file.stat()
                # Files of /proc get a new time with every look.
                age = "" if file.is_relative_to("/proc") else info.st_mtime_ns
                text = file.read_text("utf-8", "replace")
                parts.append(f"{file} {age} {text}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
