"""Settings whose values are one of the core's own and those that plug-ins bring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manole.hooks import Hook

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema


class OneOf:
    """Annotates a field: the core's `own` value, or a name that plug-ins bring."""

    def __init__(self, own: str, hook: Hook[Any]) -> None:
        self.own = own
        self.hook = hook

    @property
    def values(self) -> tuple[str, ...]:
        """All values that are allowed here."""
        return self.own, *self.hook.names()

    def check(self, value: str) -> str:
        """Return the value. Raises what Pydantic raises for a `Literal`."""
        if value == self.own or value in self.hook.names():
            return value
        from pydantic_core import PydanticKnownError

        *most, last = map(repr, self.values)
        allowed = f"{', '.join(most)} or {last}" if most else last
        raise PydanticKnownError("literal_error", {"expected": allowed})

    def __get_pydantic_core_schema__(self, source: Any, inner: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core.core_schema import no_info_after_validator_function

        return no_info_after_validator_function(self.check, inner(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, inner: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return inner(schema) | {"enum": list(self.values)}
