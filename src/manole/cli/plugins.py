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
        return list(dict.fromkeys((*super().list_commands(ctx), *COMMANDS.names())))

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The command of a name."""
        known = super().get_command(ctx, cmd_name)
        if known is None and (function := COMMANDS.get(cmd_name)):
            alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
            alone.command(cmd_name)(function)
            known = self.commands[cmd_name] = typer.main.get_command(alone)
        return known
