"""The speech models of the catalog: Whisper, in the files of whisper.cpp."""

from __future__ import annotations

from manole.models.catalog.specs import HubSource, ModelSpec, WeightFile


def _whisper(size: str, sha256: str, preference: int) -> ModelSpec:
    """A multilingual Whisper, which only the model hub has."""
    source = HubSource("ggerganov/whisper.cpp", f"ggml-{size}-q5_1.bin")
    return ModelSpec(
        name=f"whisper-{size}-q5_1",
        kind="voice",
        files=(WeightFile("model.bin", 0, sha256, (source,)),),
        licence="MIT",
        description=f"Whisper {size}, Q5_1: writes down what is said in recordings; model hub only",
        preference=preference,
        pinned_by="the LocalAI gallery",
    )


VOICE = (
    _whisper("base", "422f1ae452ade6f30a004d7e5c6a43195e4433bc370bf23fac9cc591f01a8898", 20),
    _whisper("tiny", "818710568da3ca15689e31a743197b520007872ff9576237bda97bd1b469c3d7", 10),
)
