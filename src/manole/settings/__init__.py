"""One strict, typed settings model: defaults < `manole.toml` < `MANOLE_*` < flags."""

from manole.settings.effective import Settings, names_in, without_password
from manole.settings.sections import (
    SECRETS,
    AgentSettings,
    ConversationsSettings,
    ExtractSettings,
    IndexSettings,
    ModelSettings,
    Section,
    ServeSettings,
    Strategy,
    VisionSettings,
    VoiceSettings,
    WatchSettings,
)

__all__ = [
    "SECRETS",
    "AgentSettings",
    "ConversationsSettings",
    "ExtractSettings",
    "IndexSettings",
    "ModelSettings",
    "Section",
    "ServeSettings",
    "Settings",
    "Strategy",
    "VisionSettings",
    "VoiceSettings",
    "WatchSettings",
    "names_in",
    "without_password",
]
