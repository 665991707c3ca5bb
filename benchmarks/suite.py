"""Where the time of the tests goes: `python benchmarks/suite.py [--runs N] [TARGET …]`.

It runs `make check` and `make test` (or the targets named) and prints how long each run took, and
of the last the tests' own seconds by tier, over all of pytest's workers. Run it in a fresh clone,
after `make dev`, on an idle machine; `taskset -c 0,1` leaves it two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[1]
TIERS = ("pure", "store", "server", "model", "browser")
LOG = "SUITE_LOG"


class Timing:
    """A plugin of pytest that writes one line a phase of a test."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called by pytest."""
        tier = next((name for name in TIERS if name in report.keywords), "")
        line = {"test": report.nodeid, "when": report.when, "tier": tier}
        line["seconds"] = report.duration
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"{json.dumps(line)}\n")


def pytest_configure(config: pytest.Config) -> None:
    """Called by pytest, which loads this file as a plugin: its workers leave it to their parent."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Timing(Path(os.environ[LOG])))


def run(target: str, log: Path) -> float:
    """Seconds that `make target` takes; its phases are written to `log`. Ends where it fails."""
    log.write_text("")
    environment = os.environ | {
        LOG: str(log),
        "PYTEST_PLUGINS": "suite",
        "PYTHONPATH": str(Path(__file__).parent),
    }
    begun = time.perf_counter()
    done = subprocess.run(["make", target], cwd=ROOT, env=environment, stdout=sys.stderr)
    if done.returncode:
        sys.exit(f"make {target} failed.")
    return time.perf_counter() - begun


def table(log: Path) -> list[str]:
    """Rows of Markdown: tests and seconds of each tier, and its slowest file."""
    tests, seconds, files = Counter(), Counter(), {tier: Counter() for tier in TIERS}
    for line in map(json.loads, log.read_text(encoding="utf-8").splitlines()):
        tier, spent = line["tier"], line["seconds"]
        tests[tier] += line["when"] == "call"
        seconds[tier] += spent
        files[tier][line["test"].partition("::")[0]] += spent
    rows = ["| tier | tests | seconds | most of it |", "|---|---:|---:|---|"]
    for tier in filter(tests.get, TIERS):
        most = ", ".join(f"`{name}` {spent:.0f}" for name, spent in files[tier].most_common(3))
        rows.append(f"| {tier} | {tests[tier]:,} | {seconds[tier]:,.0f} | {most} |")
    return rows


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*", default=["check", "test"])
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        for target in chosen.targets:
            took = [run(target, log) for _ in range(chosen.runs)]
            times = ", ".join(f"{seconds:.0f}" for seconds in took)
            print(f"\n`make {target}`: {times} s (median {median(took):.0f})\n")
            print(*table(log), sep="\n", flush=True)


if __name__ == "__main__":
    main()
