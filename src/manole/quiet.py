"""The switches that turn the telemetry of dependencies off.

Some of them report their use unless an environment variable forbids it, which they read once, when
they are loaded; onnxruntime also keeps a device id and a queue of events in the user's cache. Every
entry to Manole, also in worker processes, imports the package `manole` first, and the package
imports this module before anything else.

The variables are set whatever their values were, because "nothing leaves this machine" is promised
without conditions. If a process loads onnxruntime before Manole, its events have already begun.
"""

from __future__ import annotations

import os

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime since 1.29: device id, queue, uploads
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub, hf_xet, transformers
    "RAY_USAGE_STATS_ENABLED": "0",
}

os.environ.update(SWITCHES)
