"""The settings that a page may change, with where each came from."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field, StrictBool, StrictInt

from manole.config_files import own_path
from manole.serve.base import Asked, Sent
from manole.serve.http.depends import LOCAL_ONLY, REFUSED, ServiceDep
from manole.serve.http.description import responses
from manole.serve.preferences import OtherSetting, SettingItem, changeable, others
from manole.serve.service import Service
from manole.settings import Strategy

router = APIRouter(prefix="/settings", tags=["settings"], responses=responses(400))


ModelName = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[^\x00-\x1f\x7f]+$")]


class SettingsChange(Asked):
    """New values by name. Null takes a setting out of the file, back to its default."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"agent.thorough": True}]}
    )

    ocr: StrictBool | None = Field(None, alias="index.ocr")
    pages: Literal["lines", "off"] | None = Field(None, alias="index.pages")
    thorough: StrictBool | None = Field(None, alias="agent.thorough")
    strategy: Strategy | None = Field(None, alias="agent.strategy")
    max_iterations: Annotated[StrictInt, Field(ge=1, le=20)] | None = Field(
        None, alias="agent.max_iterations"
    )
    model: ModelName | None = Field(None, alias="model.name")
    vision: ModelName | None = Field(None, alias="vision.name")
    keep_conversations: StrictBool | None = Field(None, alias="agent.keep_conversations")
    watch: StrictBool | None = Field(None, alias="watch.enabled")
    on_battery: Literal["pause", "go-on"] | None = Field(None, alias="watch.on_battery")
    gpu: Literal["auto", "off"] | None = Field(None, alias="model.gpu")
    download: StrictBool | None = Field(None, alias="model.download")

    def changes(self) -> dict[str, Any]:
        """Return the given values by the settings' own names."""
        return self.model_dump(by_alias=True, exclude_unset=True)


class SettingsList(Sent):
    """The settings that may be changed, the others, and the file that changes are written to."""

    settings: list[SettingItem]
    others: list[OtherSetting]
    file: str = Field(examples=["/home/mara/.config/manole/manole.toml"])


@router.get("", summary="Settings that may be changed")
async def list_settings(service: ServiceDep) -> SettingsList:
    """List each setting with its value, its default, what is allowed, and when it takes effect."""
    return await asyncio.to_thread(_listed, service)


@router.patch("", summary="Change settings", dependencies=LOCAL_ONLY, responses=REFUSED)
async def change_settings(wanted: SettingsChange, service: ServiceDep) -> SettingsList:
    """Write settings to manole.toml, whose comments stay: all of them, or none.

    Settings from the environment or a flag cannot be changed here, because they override that file.
    """
    await service.change(wanted.changes())
    return await asyncio.to_thread(_listed, service)


def _listed(service: Service) -> SettingsList:
    items, rest = changeable(service.settings, service.flags), others(service.flags)
    return SettingsList(settings=items, others=rest, file=str(own_path()))
