"""The rows of the table of `hostile.py`, and the file that keeps them from run to run."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

HEAD = "| input | size | what it gets | why | seconds | memory, MiB |\n|---|---|---|---|---:|---:|"


@dataclass(slots=True)
class Row:
    """What one input got, and what is wrong in it. `peak` is in bytes."""

    name: str
    size: str
    gets: str
    why: str = ""
    seconds: float = 0.0
    peak: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def line(self) -> str:
        """A line of the table."""
        said = (self.name, self.size, self.gets, self.why)
        cells = [" ".join(text.replace("|", " ").split()) for text in said]
        cells += [f"{self.seconds:,.1f}", f"{self.peak / 2**20:,.0f}"]
        return f"| {' | '.join(cells)} |"


class Kept:
    """Rows by name; with a file, those of the runs before, too.

    A file is of one scale, by name. Raises `ValueError` where it is of another.
    """

    def __init__(self, path: Path | None, scale: str) -> None:
        self._path = path
        self._scale = scale
        self.rows: dict[str, Row] = {}
        if path and path.exists():
            held = json.loads(path.read_text("utf-8"))
            if held["scale"] != scale:
                raise ValueError(f"{path} holds results of another scale; name another file.")
            self.rows = {row["name"]: Row(**row) for row in held["rows"]}

    def put(self, row: Row) -> None:
        """Keep this row, in place of one of the same name."""
        self.rows[row.name] = row
        if self._path:
            held = {"scale": self._scale, "rows": [asdict(row) for row in self.rows.values()]}
            part = self._path.with_name(f"{self._path.name}.part")
            part.write_text(json.dumps(held, indent=1), "utf-8")
            os.replace(part, self._path)  # noqa: PTH105
