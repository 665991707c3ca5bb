"""Shows the README of each plug-in as a page of the documentation: a hook of MkDocs.

Pages and READMEs link each other as they lie in the repository, so that the links work there too.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

PLUGINS = Path(__file__).parents[1] / "plugins"


def on_files(files: Files, config: Any) -> Files:
    """Add `plugins/NAME.md` for each `plugins/NAME/README.md`."""
    for page in sorted(PLUGINS.glob("**/README.md")):
        name = "index" if page.parent == PLUGINS else page.parent.name
        text = page.read_text("utf-8").replace("](../docs/", "](../../docs/")
        text = re.sub(r"\]\((?:\.\./)?(\w+)/README\.md", r"](\1.md", text)
        text = text.replace("](../../docs/", "](../").replace("](../README.md", "](index.md")
        files.append(File.generated(config, f"plugins/{name}.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Follow a page's links to READMEs."""
    text = re.sub(r"\]\(\.\./plugins/(\w+)/README\.md", r"](plugins/\1.md", markdown)
    return text.replace("](../plugins/README.md", "](plugins/index.md")
