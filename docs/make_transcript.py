"""Makes `docs/transcript.md` from a real `manole chat` over the example household.

`python docs/make_transcript.py` types the questions below into the program, one after the other,
and writes down what it printed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = "examples/household"
QUESTIONS = (
    "What is the notice period of the rental contract?",
    "And what is the deposit?",
    "How many invoices do I have?",
    "Which of them is the newest?",
    "What is Jonas allergic to?",
    "And Ida?",
    "What is our wi-fi password?",
)
HEAD = """\
# A conversation

What `manole chat examples/household` printed, word for word, when these questions were typed.
`docs/make_transcript.py` makes this page anew. A question that leans on the conversation is made
whole first ("Understood as: ..."); what is not in the files is said not to be there. Nothing was
chosen or mended: the two answers about allergies mix up neighbouring records of one list, which a
model of this size does now and then. The quoted source shows it.

"""


def main() -> None:
    """Run the talk and write the page."""
    program = Path(sys.executable).parent / "manole"
    done = subprocess.run(
        [program, "chat", FOLDER],
        input="\n".join([*QUESTIONS, "/quit", ""]),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={"COLUMNS": "100", "PATH": "", "HOME": str(Path.home())},
    )
    lines = (line.rstrip() for line in done.stdout.splitlines())
    talk = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    (ROOT / "docs" / "transcript.md").write_text(f"{HEAD}```text\n{talk}\n```\n", encoding="utf-8")


if __name__ == "__main__":
    main()
