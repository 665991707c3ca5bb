"""Checks of the models: weights in the cache, models that the settings name, the GPU's share.

A quick check compares a file's size and times with the record of its hash; a thorough one hashes it
again. Nothing is fetched or loaded, and no network is used.
"""

from __future__ import annotations

import contextlib
import shutil
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from manole import private
from manole.care.findings import (
    REPAIR,
    Finding,
    Fix,
    Tell,
    command,
    good,
    is_locked,
    problem,
    warning,
)
from manole.errors import ManoleError
from manole.models.catalog.table import ModelSpec, WeightFile
from manole.models.choose import chat_at_hand
from manole.models.endpoints import ENDPOINTS, chosen_embedder, endpoint_of
from manole.models.voice import EXTRA, reads_recordings, voice_at_hand
from manole.models.weights.cache import Weights
from manole.models.weights.files import (
    folder_bytes,
    human_size,
    is_verified,
    read_record,
    sha256_of,
)
from manole.settings import Settings

WEIGHTS, GRAPHICS = "weights", "graphics processor"
PARTIAL = ".partial"


def check_weights(settings: Settings, tell: Tell, *, thorough: bool = False) -> list[Finding]:
    """Check every model with files in the cache, and those that the settings name.

    `tell` gets the name of each file that is hashed.
    """
    weights = Weights(settings.weights_dir)
    found: list[Finding] = []
    for spec in weights.catalog.values():
        folder = weights.cache_dir / spec.name
        if folder.is_dir():
            found += _model(weights, spec, folder, tell, thorough)
    return [*_wanted(settings, weights), *found]


def check_graphics(settings: Settings) -> list[Finding]:
    """Check whether models failed on a graphics processor, and whether the chat model uses one."""
    from manole.models.gpu.start import failed, failure

    again = Fix(GRAPHICS, partial(_try_again, settings.cache_dir))
    remedy = f"{REPAIR} tries it anew."
    found = [
        warning(GRAPHICS, failure(name), remedy=remedy, fix=again)
        for name in sorted(set(failed(settings.cache_dir).values()))
    ]
    return found or _graphics(settings)


def _graphics(settings: Settings) -> list[Finding]:
    if endpoint_of(settings.model.name)[0]:
        return []
    from manole.models.gpu.report import gpu_report

    weights = Weights(settings.weights_dir)
    name = settings.model.name
    if name == "auto":
        taken = chat_at_hand(settings, weights)
        name = taken[0].name if taken else ""
    try:
        files = weights.path(name) if name else None
        if not files:
            return []
        found = gpu_report(name, next(iter(files.values())), settings.cache_dir, settings.model)
    except (OSError, ManoleError):
        return []  # the check of the weights reports it
    return [good(GRAPHICS, found.text)]


def _model(
    weights: Weights, spec: ModelSpec, folder: Path, tell: Tell, thorough: bool
) -> list[Finding]:
    found = []
    there = [file for file in spec.files if (folder / file.name).is_file()]
    for file in there:
        finding = _file(weights, spec, file, folder / file.name, tell, thorough)
        if finding is not None:
            found.append(finding)
    fetch = command("manole", "models", "fetch", spec.name)
    if there and len(there) < len(spec.files):
        lacking = ", ".join(file.name for file in spec.files if file not in there)
        found.append(problem(WEIGHTS, f"{spec.name} lacks {lacking}", folder, f"{fetch} gets it."))
    elif there and not found:
        how = "hashed again" if thorough else "size and time as verified"
        found.append(
            good(WEIGHTS, f"{spec.name}: {human_size(folder_bytes(folder))}, {how}", folder)
        )
    left = folder / PARTIAL
    if left.is_dir():
        if is_locked(_lock(weights, spec), unreadable=True):  # perhaps another user's fetch
            found.append(good(WEIGHTS, f"{spec.name} is being fetched", folder))
        else:
            text = f"{spec.name}: {human_size(folder_bytes(left))} of a fetch that did not end"
            again = f"{fetch} goes on; {REPAIR} removes it."
            fix = Fix(f"partial {spec.name}", partial(_drop_partial, weights, spec))
            found.append(warning(WEIGHTS, text, left, again, fix))
    return found


def _file(
    weights: Weights, spec: ModelSpec, file: WeightFile, place: Path, tell: Tell, thorough: bool
) -> Finding | None:
    """Check a file; return `None` if nothing is wrong."""
    again = command("manole", "models", "fetch", spec.name)
    verify = Fix(f"verify {spec.name}", partial(_verify, weights, spec))
    there = place.stat().st_size
    if file.size and there != file.size:
        text = f"{spec.name}: {file.name} has {there:,} bytes, not {file.size:,}"
        return problem(WEIGHTS, text, place, f"{again} gets it anew.", verify)
    expected = file.sha256 or read_record(place).get("sha256")
    if thorough and expected:
        tell(f"{spec.name}/{file.name}")
        if sha256_of(place) != expected:
            text = f"{spec.name}: {file.name} has other bytes than were published"
            return problem(WEIGHTS, text, place, f"{again} gets it anew.", verify)
    if not is_verified(place, file.sha256):
        text = f"{spec.name}: {file.name} was changed, or never verified"
        again = f"{command('manole', 'models', 'verify', spec.name)} hashes it."
        return warning(WEIGHTS, text, place, again, verify)
    return None


def _wanted(settings: Settings, weights: Weights) -> list[Finding]:
    """Check the models that the settings name: chat, embedder, reranker, vision and speech."""
    return [
        _chat(settings, weights),
        _embedder(settings, weights),
        *_reranker(settings, weights),
        *_vision(settings, weights),
        *_voice(settings, weights),
    ]


def _chat(settings: Settings, weights: Weights) -> Finding:
    name = settings.model.name
    if name.startswith(ENDPOINTS):
        return good(WEIGHTS, f"the chat model is {name}, an endpoint; it was not asked")
    if name != "auto":
        return _named(weights, "chat model", name, "model.name")
    if found := chat_at_hand(settings, weights):
        return good(WEIGHTS, f"the chat model {found[0].name} is at hand")
    text = "no chat model is at hand; files can be searched, not asked"
    return warning(WEIGHTS, text, weights.cache_dir, command("manole", "models", "fetch"))


def _embedder(settings: Settings, weights: Weights) -> Finding:
    name = chosen_embedder(settings)
    if name.startswith(ENDPOINTS):
        return good(WEIGHTS, f"the embedder is {name}, an endpoint; it was not asked")
    return _named(weights, "embedder", name, "index.embedder")


def _reranker(settings: Settings, weights: Weights) -> list[Finding]:
    name = settings.index.reranker
    return [] if name == "off" else [_named(weights, "reranker", name, "index.reranker")]


def _named(weights: Weights, what: str, name: str, setting: str) -> Finding:
    """Check whether the model that a setting names is at hand."""
    try:
        at_hand = weights.path(name) is not None
    except ManoleError as error:
        return problem(WEIGHTS, error.message, setting, error.hint or "")
    if at_hand:
        return good(WEIGHTS, f"the {what} {name} is at hand")
    fetch = command("manole", "models", "fetch", name)
    return warning(WEIGHTS, f"the {what} {name} is not at hand", setting, fetch)


def _vision(settings: Settings, weights: Weights) -> list[Finding]:
    name = settings.vision.name
    if name == "off":
        return []
    if name != "auto":
        return [good(WEIGHTS, f"photos are described by {name}")]
    at_hand = [
        spec.name
        for spec in weights.catalog.values()
        if spec.kind == "vision" and weights.path(spec.name) is not None
    ]
    if at_hand:
        return [good(WEIGHTS, f"the vision model {at_hand[0]} is at hand")]
    return [good(WEIGHTS, "no vision model is at hand: photos are found by words, date and place")]


def _voice(settings: Settings, weights: Weights) -> list[Finding]:
    try:
        name = voice_at_hand(settings, weights)
    except ManoleError as error:
        return [problem(WEIGHTS, error.message, "voice.name", error.hint or "")]
    if settings.voice.name == "off":
        return []
    if name is None:
        return [good(WEIGHTS, "no speech model is at hand: recordings are found by name and date")]
    remote = bool(endpoint_of(name)[0])
    reader = reads_recordings(engine=not remote)
    if reader is None:
        text = f"recordings are not read by {name}: nothing here decodes sound, or runs the model"
        return [warning(WEIGHTS, text, "voice.name", EXTRA)]
    try:
        if name in weights.catalog and weights.path(name) is None:
            text, fetch = f"the speech model {name} is not at hand", f"manole models fetch {name}"
            return [warning(WEIGHTS, text, "voice.name", f"`{fetch}` fetches it.")]
        if not remote and name not in weights.catalog:
            reader.check(Path(name).expanduser())
    except ManoleError as error:
        return [problem(WEIGHTS, error.message, "voice.name", error.hint or "")]
    return [good(WEIGHTS, f"what is said in recordings is written down by {name}")]


def _lock(weights: Weights, spec: ModelSpec) -> Path:
    return weights.cache_dir / ".locks" / f"{spec.name}.lock"


async def _drop_partial(weights: Weights, spec: ModelSpec) -> str:
    lock, left = _lock(weights, spec), weights.cache_dir / spec.name / PARTIAL
    try:
        private.make(lock.parent)
        with FileLock(lock).acquire(timeout=0):
            freed = folder_bytes(left)
            with contextlib.suppress(FileNotFoundError):  # it ended meanwhile
                shutil.rmtree(left)
    except Timeout:
        return f"{spec.name} is being fetched; nothing was removed."
    except OSError as error:
        raise ManoleError(f"{left} cannot be removed: {error.strerror}.") from None
    return f"{spec.name}: {human_size(freed)} of a fetch that did not end removed."


async def _try_again(cache: Path) -> str:
    """Drop the notes on models that failed on a graphics processor."""
    from manole.models.gpu.start import FILE_NAME, forget

    try:
        forget(cache)
    except OSError as error:
        raise ManoleError(f"{cache / FILE_NAME} cannot be removed: {error.strerror}.") from None
    return "The graphics processor is tried again at the next start."


async def _verify(weights: Weights, spec: ModelSpec) -> str:
    """Hash a model's files again; one with wrong bytes is removed, as it can be fetched."""
    try:
        weights.verify(spec.name)
    except ManoleError as error:
        return f"{error.message} {command('manole', 'models', 'fetch', spec.name)} gets it anew."
    return f"{spec.name}: hashed again, it is the published file."
