"""A tiny model whose parts lie in tiny wheels, for real pip to fetch."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

from manole.models.catalog.table import ModelSpec, WeightFile, WheelPart, WheelSource

PARTS = [bytes([n]) * 50_000 for n in (1, 2, 3)]
WHOLE = b"".join(PARTS)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_wheel(folder: Path, project: str, members: dict[str, bytes]) -> Path:
    package = project.replace("-", "_")
    info = f"{package}-1.0.dist-info"
    path = folder / f"{package}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in members.items():
            wheel.writestr(name, data)
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {project}\nVersion: 1.0\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return path


def write_part(folder: Path, n: int, data: bytes) -> Path:
    return write_wheel(folder, f"tiny-part{n}", {f"tiny_part{n}/data/part{n:02d}.bin": data})


TINY_SOURCE = WheelSource(
    (
        WheelPart("tiny-part1", "1.0", "tiny_part1/data/part01.bin"),
        WheelPart("tiny-part2", "1.0", "tiny_part2/data/*.bin"),
        WheelPart("tiny-part3", "1.0", "tiny_part3/data/part03.bin"),
    )
)


def model(name: str = "tiny", *, preference: int = 1, **file) -> ModelSpec:
    fields = {"size": len(WHOLE), "sha256": sha(WHOLE), "sources": (TINY_SOURCE,)} | file
    return ModelSpec(name, "chat", (WeightFile("model.gguf", **fields),), "MIT", "tiny", preference)


def catalog(*specs: ModelSpec) -> dict[str, ModelSpec]:
    return {spec.name: spec for spec in specs or (model(),)}
