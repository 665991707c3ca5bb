"""One strict, typed settings model: defaults < `manole.toml` < `MANOLE_*` < flags."""

from manole.settings.effective import (
    FROM_ANY_FOLDER,
    Settings,
    names_in,
    not_believed,
    without_password,
)
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
    "FROM_ANY_FOLDER",
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
    "not_believed",
    "without_password",
]
