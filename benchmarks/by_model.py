r"""The same questions with every chat model at hand: right, declined, wrong, seconds.

    python benchmarks/by_model.py examples/household.questions.jsonl examples/household \
        --filter kind=content --models smollm2-135m-instruct qwen2.5-coder-0.5b-instruct

Each model has a process of its own (`manole eval`), one after the other; without `--models` it is
every one of `manole models` that is at hand. A model behind an endpoint is named as for
`manole ask`: `--models openai:NAME`, with `model.base_url` in the settings. Prints a table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

MANOLE = (sys.executable, "-m", "manole.cli.app")


def main() -> None:
    """Ask and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("questions")
    parser.add_argument("files")
    parser.add_argument("--models", nargs="+", default=None)
    parser.add_argument("--filter", action="append", default=[])
    parser.add_argument("--limit", type=int, default=None)
    chosen = parser.parse_args()
    asked = [chosen.questions, "--files", chosen.files]
    asked += [part for name in chosen.filter for part in ("--filter", name)]
    asked += ["--limit", str(chosen.limit)] if chosen.limit else []
    print("| model | questions | right | rightly declined | wrongly declined | wrong |", end="")
    print(" tokens read | first token | seconds, median | p95 |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name in chosen.models or at_hand():
        print(row(name, said("eval", *asked, "--model", name)["summary"]), flush=True)


def at_hand() -> list[str]:
    """The chat models that need no fetching."""
    return [
        model["name"]
        for model in said("models", "list")["models"]
        if model["kind"] == "chat" and model["at_hand"]
    ]


def said(*command: str) -> Any:
    """What a command of the program prints for programs."""
    done = subprocess.run([*MANOLE, *command, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def row(name: str, summary: dict[str, Any]) -> str:
    """One model's line."""
    answers = summary["answers"]
    rightly, wrongly = answers["declined_rightly"], answers["declined_wrongly"]
    right = answers["correct"]["count"]
    wrong = summary["questions"] - right - wrongly["count"]
    return (
        f"| `{name}` | {summary['questions']} | {right} | {rightly['count']} of {rightly['total']} "
        f"| {wrongly['count']} | {wrong} | {answers['tokens_read']:.0f} "
        f"| {answers['first_token_s']['median']:.1f} s | {answers['total_s']['median']:.1f} s "
        f"| {answers['total_s']['p95']:.1f} s |"
    )


if __name__ == "__main__":
    main()
