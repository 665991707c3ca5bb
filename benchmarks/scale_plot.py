"""Draw what `scale.py` measured: time of a question and memory, by size of the library.

    python benchmarks/scale_plot.py --cache FOLDER --out docs/scale.svg

Needs matplotlib (`benchmarks/scale_requirements.in`). Both axes count in powers of ten, so that
what grows with the library is a rising line, and what does not is a level one.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

SHOWN = {
    "Manole": "#2f6f4f",
    "numpy, all vectors": "#8a8a8a",
    "faiss, all vectors": "#b7793a",
    "faiss, IVF-RaBitQ, 200 rescored": "#5a6fb0",
    "LEANN, HNSW, no recomputing": "#a34f6f",
}
GREY = "#7d848c"  # readable on light and on dark pages
PANELS = (("p50", "a question's vectors, ms (median)", 1.0), ("memory", "memory, MiB", 2**20))


def measured(cache: Path) -> dict[str, dict[int, dict[str, Any]]]:
    """Rows of `scale.py` by name and size."""
    found: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    for path in cache.glob("*-*.json"):
        size = int(path.stem.rpartition("-")[2])
        for row in json.loads(path.read_text()):
            found[row["name"]][size] = row
    return found


def draw(found: dict[str, dict[int, dict[str, Any]]], out: Path) -> None:
    """Two panels side by side, as SVG."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    mpl.rcParams.update({
        "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10,
        "text.color": GREY, "axes.labelcolor": GREY, "axes.edgecolor": GREY,
        "xtick.color": GREY, "ytick.color": GREY, "axes.spines.top": False,
        "axes.spines.right": False,
    })  # fmt: skip
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    for panel, (key, title, unit) in zip(axes, PANELS, strict=True):
        for name, colour in SHOWN.items():
            sizes = sorted(found.get(name, {}))
            values = [found[name][size][key] / unit for size in sizes]
            width = 2.6 if name == "Manole" else 1.4
            panel.loglog(sizes, values, marker="o", color=colour, linewidth=width, label=name)
        panel.set(xlabel="passages", title=title)
        panel.grid(color=GREY, alpha=0.15)
    lines, names = axes[0].get_legend_handles_labels()
    figure.legend(lines, names, frameon=False, fontsize=8, loc="lower center", ncols=len(names))
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(out, transparent=True, metadata=nothing)


def main() -> None:
    """Read the command line, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path("scale-cache"))
    parser.add_argument("--out", type=Path, default=Path("scale.svg"))
    options = parser.parse_args()
    draw(measured(options.cache), options.out)


if __name__ == "__main__":
    main()
