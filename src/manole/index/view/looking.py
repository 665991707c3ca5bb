"""A page of a PDF, or a picture, shown to the vision model with a question."""

from __future__ import annotations

from manole.documents.extract import Extractor
from manole.documents.opened import FoundFile
from manole.errors import ExtractionError
from manole.models.vision import SIDE, Sight, VisionModel
from manole.settings import ExtractSettings


async def look(
    vision: VisionModel, settings: ExtractSettings, file: FoundFile, page: int | None, question: str
) -> Sight:
    """What the model answers, or why the page cannot be drawn."""
    try:
        with Extractor(settings) as extractor:
            picture = await extractor.shrunk(file, page, SIDE)
    except ExtractionError as error:
        return Sight(reason=error.message)
    return await vision.ask(picture, question)
