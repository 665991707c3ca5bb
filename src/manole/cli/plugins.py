"""Commands of plug-ins, looked up only for the list and for names that the core does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import typer
from typer.core import TyperGroup

from manole.hooks import COMMANDS, MODEL_COMMANDS, Hook

if TYPE_CHECKING:
    from typer._click import Command, Context  # as Typer's own signatures have it


class WithPlugins(TyperGroup):
    """The program's own commands, followed by those of plug-ins."""

    hook: ClassVar[Hook[Callable[..., None]]] = COMMANDS

    def list_commands(self, ctx: Context) -> list[str]:
        """Return the commands' names in the order of the help."""
        return [*super().list_commands(ctx), *self.hook.names()]

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Return the command with a name, `None` where there is none."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or (function := self.hook.get(cmd_name)) is None:
            return own
        alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
        alone.command(cmd_name)(function)
        return typer.main.get_command(alone)


class ModelsWithPlugins(WithPlugins):
    """The commands of `manole models`, followed by those of plug-ins."""

    hook = MODEL_COMMANDS
