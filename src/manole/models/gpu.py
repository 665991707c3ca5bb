"""The graphics processors that the installed engine can use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gpu:
    """One of them, as the engine names it; `free` and `total` memory in bytes, as it claims."""

    name: str  # "Vulkan0"
    description: str  # "Intel(R) Iris(R) Xe Graphics"
    free: int
    total: int


def devices() -> tuple[Gpu, ...]:
    """Those of the engine inside this process: Metal's, or of whichever build is installed."""
    import xllamacpp

    kinds = xllamacpp.ggml_backend_dev_type
    wanted = (kinds.GGML_BACKEND_DEVICE_TYPE_GPU, kinds.GGML_BACKEND_DEVICE_TYPE_IGPU)
    return tuple(
        Gpu(item["name"], item["description"], item["memory_free"], item["memory_total"])
        for item in xllamacpp.get_device_info()
        if item["type"] in wanted
    )
