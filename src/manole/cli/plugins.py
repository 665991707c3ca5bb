"""Commands that plug-ins bring: looked up where all are listed, or the core has none of a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import typer
from typer.core import TyperGroup

from manole.errors import UsageError
from manole.hooks import COMMANDS, MODEL_COMMANDS, Hook

if TYPE_CHECKING:
    from typer._click import Command, Context  # as Typer's own signatures have it


class WithPlugins(TyperGroup):
    """The program's own commands, and behind them those of plug-ins."""

    hook: ClassVar[Hook[Callable[..., None]]] = COMMANDS

    def list_commands(self, ctx: Context) -> list[str]:
        """Their names, as help shows them."""
        return [*super().list_commands(ctx), *self.hook.names()]

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The command of a name."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or (function := self.hook.get(cmd_name)) is None:
            return own
        alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
        alone.command(cmd_name)(function)
        return typer.main.get_command(alone)

    def invoke(self, ctx: Context) -> Any:
        """Run a command. Raises `UsageError` for an option that became a setting of a plug-in."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            from manole.settings.effective import new_name

            # Typer's error for an unknown option has this; its class is private.
            old = getattr(error, "option_name", None)
            if old is None or (new := new_name(old)) is None:
                raise
            raise UsageError(
                f"{old} is a setting now.",
                f"Write `manole --set {new}=VALUE` and the command behind it.",
            ) from None


class ModelsWithPlugins(WithPlugins):
    """The commands of `manole models`, and behind them those of plug-ins."""

    hook = MODEL_COMMANDS
