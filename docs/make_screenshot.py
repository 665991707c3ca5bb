"""Makes `docs/answer.svg`: a picture of real runs of `manole ask` over the example household.

`python docs/make_screenshot.py [QUESTION ...]` runs the program, reads its events, and shows them
with the program's own screen. Nothing is drawn by hand. The SVG that `rich` writes links a web
font; it is replaced by fonts that the reader's machine has, so that looking at the picture loads
nothing from elsewhere.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

from manole.agent.events import EVENTS
from manole.cli.render import Screen

ROOT = Path(__file__).parents[1]
FOLDER = "examples/household"
QUESTIONS = (
    "What did we spend on electricity per year?",
    "What does error code E07 of the boiler mean?",
)
FONTS = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
COLUMNS = 110
BLANK = "&#160;"
TEXT = re.compile(
    r'x="(?P<x>[\d.]+)" (?P<y>y="[\d.]+") textLength="(?P<width>[\d.]+)"(?P<rest>[^>]*)>'
    r"(?P<text>[^<]*)</text>"
)


def events(question: str) -> list[str]:
    """The lines that `manole ask --json` prints. Raises `CalledProcessError` when it fails."""
    program = Path(sys.executable).parent / "manole"
    done = subprocess.run(
        [program, "ask", question, FOLDER, "--json"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def terminal_output(question: str, lines: list[str]) -> str:
    """What a terminal is sent when `manole ask` shows these events."""
    out = StringIO()
    console = Console(
        file=out, width=COLUMNS, force_terminal=True, force_interactive=False,
        color_system="truecolor", legacy_windows=False,
    )  # fmt: skip
    console.print(Text.assemble(("$ ", "dim"), (f'manole ask "{question}"', "bold"), f" {FOLDER}"))
    screen = Screen(console, lambda file: None)
    for line in lines:
        screen.show(EVENTS.validate_json(line))
    return out.getvalue()


def picture(output: str) -> str:
    """A terminal's output as an SVG that loads nothing."""
    console = Console(
        record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(Text.from_ansi(output))  # wraps long lines, as a terminal does
    return placed(local_fonts(console.export_svg(title="manole", theme=DIMMED_MONOKAI)))


def placed(svg: str) -> str:
    """`svg` with blanks at the edges of each text turned into its place.

    Some viewers drop such blanks, and then words run together.
    """

    def place(match: re.Match[str]) -> str:
        x, width, text = float(match["x"]), float(match["width"]), match["text"]
        blanks = text.split(BLANK)
        before = next((i for i, part in enumerate(blanks) if part), 0)
        after = next((i for i, part in enumerate(reversed(blanks)) if part), 0)
        inner = BLANK.join(blanks[before : len(blanks) - after])
        cell = width / len(html.unescape(text))
        x, width = x + before * cell, width - (before + after) * cell
        return f'x="{x:.1f}" {match["y"]} textLength="{width:.1f}"{match["rest"]}>{inner}</text>'

    return TEXT.sub(place, svg)


def local_fonts(svg: str) -> str:
    """`svg` without web fonts. Raises `ValueError` when something from elsewhere is left."""
    svg = re.sub(r"@font-face\s*\{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family:\s*Fira Code[^;]*;", f"font-family: {FONTS};", svg)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    elsewhere = re.findall(r"https?://(?!www\.w3\.org/)[^\s\"')]+", svg)
    if elsewhere:
        raise ValueError(f"the picture links {elsewhere}")
    return svg


if __name__ == "__main__":
    shown = [terminal_output(asked, events(asked)) for asked in sys.argv[1:] or QUESTIONS]
    (ROOT / "docs" / "answer.svg").write_text(picture("\n".join(shown)), "utf-8")
