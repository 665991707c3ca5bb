"""Commands that plug-ins bring: looked up where all are listed, or the core has none of a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from typer.core import TyperGroup

from manole.hooks import COMMANDS

if TYPE_CHECKING:
    from typer._click import Command, Context  # as Typer's own signatures have it


class WithPlugins(TyperGroup):
    """The program's own commands, and behind them those of plug-ins."""

    def list_commands(self, ctx: Context) -> list[str]:
        """Their names, as help shows them."""
        return [*super().list_commands(ctx), *COMMANDS.names()]

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The command of a name."""
        return super().get_command(ctx, cmd_name) or _brought(cmd_name)


def _brought(name: str) -> Command | None:
    function = COMMANDS.get(name)
    if function is None:
        return None
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name)(function)
    return typer.main.get_command(alone)
