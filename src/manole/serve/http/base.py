"""Base models of requests (unknown fields refused) and responses (every field present)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Asked(BaseModel):
    """A request's body. A field that is not known is an error, as it would do nothing."""

    model_config = ConfigDict(extra="forbid")


class Sent(BaseModel):
    """A response's body. Fields with a default are sent as well."""

    model_config = ConfigDict(
        from_attributes=True, json_schema_serialization_defaults_required=True
    )
