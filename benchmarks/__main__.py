"""The short ones, one after the other: `python -m benchmarks`. Run it on an idle machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

for name in ("house", "starting", "retrieval", "sentences", "speed"):
    print(f"\n## {name}\n", flush=True)
    subprocess.run([sys.executable, str(Path(__file__).parent / f"{name}.py")], check=True)
