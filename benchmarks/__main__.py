"""The short benchmarks, one after the other: `python -m benchmarks`. Run it on an idle machine.

`answers.py` and `toolchoice.py` take question files and hours, and are run by name.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAMS = ("starting", "search", "indexing", "asking")

for name in PROGRAMS:
    print(f"\n## {name}\n", flush=True)
    subprocess.run([sys.executable, str(Path(__file__).parent / f"{name}.py")], check=True)
