"""llama.cpp inside this process, through `xllamacpp`.

The engine opens an HTTP port on loopback, guarded by a key that is new for each start, and
`LlamaServer` talks to it. Streaming, cancellation (by closing the response) and grammars for JSON
schemas come with that protocol.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from pathlib import Path

# OpenMP reads this when the engine is loaded, so it comes first. Waiting threads sleep instead of
# spinning: on two cores with one other busy program, a prompt of 290 tokens took 12 s instead of
# 30 s; on an idle machine the cost is not measurable.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import xllamacpp

from manole.models.engine.llamaserver import LlamaServer
from manole.models.engine.options import (
    PROMPT_CACHE_MIB,
    EngineOptions,
    check_loopback,
    prepared,
    refused,
)
from manole.models.engine.prefixes import Prefixes
from manole.settings import ModelSettings

VERSION = f"xllamacpp {xllamacpp.__version__}"
_FLASH = {
    "auto": xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_AUTO,
    "on": xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    "off": xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}
_KV = {"f16": xllamacpp.ggml_type.GGML_TYPE_F16, "q8_0": xllamacpp.ggml_type.GGML_TYPE_Q8_0}


class LlamaCpp(LlamaServer):
    """A GGUF model in this process. Use `LlamaCpp.load`, which does not block the event loop.

    The engine trusts its input: `apart.py` is for files that are not of the catalog.
    """

    def __init__(
        self,
        name: str,
        server: xllamacpp.Server,
        key: str,
        settings: ModelSettings,
        prefixes: Prefixes | None = None,
    ) -> None:
        super().__init__(name, server.listening_address, key, settings, prefixes)
        self._server: xllamacpp.Server | None = server

    @classmethod
    async def load(
        cls,
        name: str,
        path: Path,
        settings: ModelSettings,
        options: EngineOptions | None = None,
        prefixes: Prefixes | None = None,
        projector: Path | None = None,
    ) -> LlamaCpp:
        """Load the weights at `path`.

        With `prefixes`, evaluated system messages and worked examples are kept on disk between
        processes. With a `projector`, messages may have pictures. Raises `ModelError` if the
        weights have no room or are not GGUF, or if the engine cannot be reached through loopback.
        """
        options = await asyncio.to_thread(prepared, settings, options, path, projector)
        await asyncio.to_thread(check_loopback)
        key = secrets.token_urlsafe(24)
        folder = prefixes.folder if prefixes else None
        try:
            server = await asyncio.to_thread(
                open_server, path, key, settings, options, folder, projector
            )
        except Exception as error:
            reason = f"{error} Its projector: {projector.name}." if projector else str(error)
            raise refused(path, reason) from None
        return cls(name, server, key, settings, prefixes)

    async def close(self) -> None:
        """Stop the engine and free its memory."""
        await super().close()
        last, self._server = [self._server], None
        await asyncio.to_thread(last.clear)  # off the event loop: the engine joins its threads


def open_server(
    path: Path,
    key: str,
    settings: ModelSettings,
    options: EngineOptions,
    prefixes: Path | None,
    projector: Path | None,
) -> xllamacpp.Server:
    """Start the engine with the weights at `path` and exactly these options, on a free port.

    `prefixes` is the folder of kept prefixes. Raises whatever the engine raises, if it does not
    crash.
    """
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = settings.context
    params.n_parallel = settings.parallel
    params.kv_unified = True
    # Otherwise each call clears the other sequences, with the prefixes kept in them.
    params.cache_idle_slots = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    params.n_ubatch = options.ubatch
    params.flash_attn_type = _FLASH[options.flash]
    params.cache_type_k = params.cache_type_v = _KV[options.kv]
    if options.lookup:
        params.speculative.types = [
            xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE
        ]
        params.speculative.ngram_simple.size_n = options.lookup
        params.speculative.ngram_simple.size_m = options.draft
    params.n_gpu_layers = options.layers
    if options.layers:
        params.fit_params = False  # exactly that many, or an error
    else:  # otherwise a device would still multiply long batches and hold keys and values
        params.split_mode = xllamacpp.llama_split_mode.LLAMA_SPLIT_MODE_NONE
        params.main_gpu = -1
    params.warmup = False
    params.cache_ram_mib = PROMPT_CACHE_MIB
    if prefixes is not None:
        params.slot_save_path = f"{prefixes}{os.sep}"
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.cors_origins = ""
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 0
    if projector is not None:
        params.mmproj.path = str(projector)
        params.mmproj_use_gpu = options.layers > 0
    return xllamacpp.Server(params)
