"""Make `examples/household`, a small believable folder of an invented family's papers.

    python examples/make_household.py               write the folder again, from nothing
    python examples/make_household.py --dates-only  only set the files' modification times

The first needs the packages of the `test` group (reportlab, python-docx, openpyxl,
python-pptx). The second needs nothing but Python, and is what a fresh checkout calls, for git
keeps no times. People, firms, numbers and addresses are invented.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from household_maker import catalogue

FOLDER = Path(__file__).with_name("household")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--into", type=Path, default=FOLDER, help="folder to write (%(default)s)")
    parser.add_argument("--dates-only", action="store_true", help="only set modification times")
    options = parser.parse_args(arguments)
    try:
        if not options.dates_only:
            # Here, not above: with --dates-only the packages that write documents may be absent.
            from household_maker import build

            build.make(options.into)
        catalogue.set_dates(options.into)
    except FileExistsError as error:
        print(f"{error.filename} is {error.strerror}: nothing was written.", file=sys.stderr)
        return 1
    except FileNotFoundError as error:
        print(f"{error.filename} is missing: run again without --dates-only.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
