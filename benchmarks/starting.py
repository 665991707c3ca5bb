"""How long the program takes to start, what importing loads, and how big an install is.

    python benchmarks/starting.py [--runs 11]

Each time is the median of whole processes. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

HEAVY = ("lancedb", "onnxruntime", "xllamacpp", "kreuzberg", "pypdfium2", "pyarrow", "numpy")


def seconds(command: list[str], runs: int) -> float:
    """Median wall time of `command`."""
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def loaded(statement: str) -> list[str]:
    """Which heavy packages are in memory after `statement`."""
    code = f"{statement}\nimport sys\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    output = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    return [name.strip(" '") for name in output.strip().strip("[]").split(",") if name]


def size(folder: Path) -> int:
    """Bytes of everything below a folder."""
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file() and not f.is_symlink())


def main(runs: int) -> None:
    """Measure and print."""
    program = str(Path(sys.executable).parent / "manole")
    bare = seconds([sys.executable, "-c", "pass"], runs)
    print("| what | measured |")
    print("|---|---|")
    print(f"| `python -c pass` | {bare:.2f} s |")
    print(f"| `manole --help` | {seconds([program, '--help'], runs):.2f} s |")
    print(f"| `import manole` | {seconds([sys.executable, '-c', 'import manole'], runs):.2f} s |")
    heavy = loaded("import manole, manole.cli.app")
    print(f"| heavy packages loaded by `manole --help` | {', '.join(heavy) or 'none'} |")
    packages = size(Path(sysconfig.get_paths()["purelib"]))
    print(f"| installed packages of this environment | {packages / 1e6:.0f} MB |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11)
    main(parser.parse_args().runs)
