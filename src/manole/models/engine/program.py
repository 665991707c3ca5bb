"""The program of the usual engine's child: llama.cpp's server, through `xllamacpp`.

    python -m manole.models.engine.program TASK
    python -m manole.models.engine.program --list-devices

`llamacpp.py` starts it. TASK is JSON: the weights and the options. Only this module loads the
engine, and it loads little else, as a start waits for it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from typing import Any

import xllamacpp

_FLASH = {
    "auto": xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_AUTO,
    "on": xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    "off": xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}
_KV = {"f16": xllamacpp.ggml_type.GGML_TYPE_F16, "q8_0": xllamacpp.ggml_type.GGML_TYPE_Q8_0}
_MIB = 2**20


def main() -> None:
    """Open the weights that the command line names, and answer until the parent ends."""
    if sys.argv[1] == "--list-devices":
        for one in _devices():
            room = f"{one['memory_total'] // _MIB} MiB, {one['memory_free'] // _MIB} MiB free"
            print(f"  {one['name']}: {one['description']} ({room})")  # noqa: T201  (to the parent)
        return
    key, task = os.environ.pop("LLAMA_API_KEY"), json.loads(sys.argv[1])
    on_gpu = task["gpu"] and bool(_devices())
    try:
        server = xllamacpp.Server(_params(key, task, on_gpu=on_gpu))
    except Exception as error:
        sys.exit(f"{error}")
    mark = hashlib.sha256(key.encode()).hexdigest()
    ready = f"{mark} {server.listening_address}{' gpu' if on_gpu else ''}"
    print(ready, flush=True)  # noqa: T201  (to the parent)
    threading.Event().wait()


def _params(key: str, task: dict[str, Any], *, on_gpu: bool) -> xllamacpp.CommonParams:
    """Return the engine's parameters for exactly this task, on a free port of loopback."""
    params = xllamacpp.CommonParams()
    params.model.path = task["path"]
    params.n_ctx = task["context"]
    params.n_parallel = task["parallel"]
    params.kv_unified = True
    # Otherwise each call clears the other sequences, with the prefixes kept in them.
    params.cache_idle_slots = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = task["threads"]
    params.n_ubatch = task["ubatch"]
    params.flash_attn_type = _FLASH[task["flash"]]
    params.cache_type_k = params.cache_type_v = _KV[task["kv"]]
    if task["lookup"]:
        params.speculative.types = [
            xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE
        ]
        params.speculative.ngram_simple.size_n = task["lookup"]
        params.speculative.ngram_simple.size_m = task["draft"]
    # The engine works out how many layers have room on the devices, which loads the model twice.
    params.fit_params = on_gpu
    if not on_gpu:  # otherwise a device would still multiply long batches and hold keys and values
        params.n_gpu_layers = 0
        params.split_mode = xllamacpp.llama_split_mode.LLAMA_SPLIT_MODE_NONE
        params.main_gpu = -1
    params.warmup = False
    params.cache_ram_mib = task["cache_mib"]
    if task["prefixes"]:
        params.slot_save_path = f"{task['prefixes']}{os.sep}"
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.cors_origins = ""
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 0
    if task["projector"]:
        params.mmproj.path = task["projector"]
        params.mmproj_use_gpu = on_gpu
    return params


def _devices() -> list[dict[str, Any]]:
    """Return the graphics processors that this build of the engine uses.

    Like the engine, it leaves out those that share the CPU's memory if there are others.
    """
    kinds, found = xllamacpp.ggml_backend_dev_type, xllamacpp.get_device_info()
    for kind in (kinds.GGML_BACKEND_DEVICE_TYPE_GPU, kinds.GGML_BACKEND_DEVICE_TYPE_IGPU):
        if some := [one for one in found if one["type"] == kind]:
            return some
    return []


if __name__ == "__main__":
    main()
