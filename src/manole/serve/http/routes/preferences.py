"""The settings that a page may change, with where each came from."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from manole.config_files import own_path
from manole.serve.http.depends import ServiceDep
from manole.serve.http.description import responses
from manole.serve.http.local_only import LOCAL_ONLY, REFUSED
from manole.serve.http.settings_models import SettingItem, SettingsChange, SettingsList
from manole.serve.preferences import is_pending
from manole.serve.service import Service
from manole.settings_file import changeable

router = APIRouter(prefix="/settings", tags=["settings"], responses=responses(400))


@router.get("", summary="Settings that may be changed")
async def list_settings(service: ServiceDep) -> SettingsList:
    """Each with its value, its default, what is allowed, and when a change takes effect."""
    return await asyncio.to_thread(_listed, service)


@router.patch("", summary="Change settings", dependencies=LOCAL_ONLY, responses=REFUSED)
async def change_settings(wanted: SettingsChange, service: ServiceDep) -> SettingsList:
    """Write them to manole.toml, whose comments stay. All of them are taken, or none.

    What the environment, a flag or the working folder's file set cannot be changed here: it would
    go before the user's own file.
    """
    await service.change(wanted.changes())
    return await asyncio.to_thread(_listed, service)


def _listed(service: Service) -> SettingsList:
    items = [SettingItem.model_validate(item) for item in changeable(service.flags)]
    for item in items:
        item.pending = is_pending(service.settings, item.name, item.value)
    return SettingsList(settings=items, file=str(own_path()))
