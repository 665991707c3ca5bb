"""`manole config`: the effective settings and where each came from."""

from __future__ import annotations

from typing import Any

from manole.cli.output import Json, print_json, printable


def config(as_json: Json = False) -> None:
    """Show every setting, its value, and where it came from.

    Order: defaults < your manole.toml < MANOLE_* in the environment < flags.
    """
    from manole.cli.options import flags
    from manole.config_files import own_path
    from manole.settings import Settings
    from manole.settings_file import shown

    settings, origins = Settings.explain(flags(), every=True)
    rows: dict[str, tuple[Any, str]] = settings.describe()
    if as_json:
        print_json(
            {
                name: {
                    "value": list(value) if isinstance(value, tuple) else value,
                    "origin": origins.get(name, "default"),
                    "description": about,
                }
                for name, (value, about) in rows.items()
            }
        )
        return
    from rich.console import Console
    from rich.text import Text

    from manole.cli.rows import print_rows

    lines = []
    for name, (value, about) in rows.items():
        origin = origins.get(name, "default")
        style = "" if origin == "default" else "bold"
        cells = Text(name, style), Text(printable(shown(value)), style), Text(origin, "dim")
        lines.append((*cells, about))
    console = Console()
    print_rows(("setting", "value", "from", "meaning"), lines, console=console)
    file = own_path()
    console.print(Text(f"\nFile: {printable(str(file)) if file.exists() else 'none'}", style="dim"))
