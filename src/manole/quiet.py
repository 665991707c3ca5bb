"""Disables the telemetry of dependencies.

Some of them report how they are used unless an environment variable says no, and read it once, when
they are loaded; onnxruntime also keeps a device id and a queue of events in the user's cache. Every
way into Manole imports the package `manole` first, worker processes too, and the package imports
this module before anything else, so here is the one place.

The variables are set whatever they were, because "nothing leaves this machine" is promised without
conditions. A process that loaded onnxruntime before Manole cannot be helped: its events began then.
"""

from __future__ import annotations

import os

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime since 1.29: device id, queue, uploads
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub, hf_xet, transformers
    "RAY_USAGE_STATS_ENABLED": "0",
}

os.environ.update(SWITCHES)
