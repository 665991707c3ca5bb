"""Help costs no Markdown parser, and whoever wants one gets it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HELP = """
import contextlib, io, sys
from manole.cli.app import main
sys.argv = ["manole", "--help"]
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as shown:
    main()
assert "Usage:" in shown.getvalue()
assert "typer.rich_utils" in sys.modules
"""


@pytest.mark.parametrize(
    "after",
    [
        'assert not {"markdown_it", "asyncio"} & set(sys.modules)',
        "from rich.markdown import Markdown\n"
        "from rich.console import Console\n"
        'Console(file=(out := io.StringIO())).print(Markdown("**so**"))\n'
        'assert out.getvalue().strip() == "so"\n'
        "from rich.markdown import Heading",
    ],
    ids=["no parser", "the real one when it is called"],
)
def test_help(after):
    done = subprocess.run([sys.executable, "-c", HELP + after], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
