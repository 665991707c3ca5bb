"""What is built has the page in it: without `make web` before, a build ends and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = "src/manole/serve/http/web"
FILES = ("index.html", "third-party.md")


class PageIsThere(BuildHookInterface[Any]):
    """Looks before a wheel or an sdist is written. An editable install may do without."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raise `RuntimeError` where the page was not built."""
        lacking = [name for name in FILES if not Path(self.root, PAGE, name).is_file()]
        if lacking and version != "editable":
            raise RuntimeError(f"{PAGE} lacks {', '.join(lacking)}: run `make web` first.")
