"""The exceptions Manole raises on purpose.

Each carries what happened, to which file or field, and what to do next. The command line prints
the two and ends with `exit_code`; a traceback is left for errors that are ours.
"""

from __future__ import annotations


class ManoleError(Exception):
    """Something failed that the user can understand and act upon.

    `message` says what happened and to what; `hint` says what to do next.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class UsageError(ManoleError):
    """The request itself is wrong: a missing folder, an empty question, a bad flag."""

    exit_code = 2


class SettingsError(UsageError):
    """A setting is unknown or out of range; the message names the field and where it was set."""


class LibraryError(ManoleError):
    """A library cannot be opened: no index yet, another version's index, in use by a writer."""


class NotIndexedError(LibraryError):
    """The folder has no index yet."""


class IndexVersionError(LibraryError):
    """The index was written by an incompatible version and has to be rebuilt."""


class IndexBusyError(LibraryError):
    """Another process is writing this index."""


class WouldDropError(LibraryError):
    """More than half of a library's files are gone from the disk; nothing was changed."""


class StoreError(ManoleError):
    """The store failed: no disk space, a damaged table, a failed commit."""


class PausedError(ManoleError):
    """A background sync was put off until the machine is on mains power; it goes on by itself."""


class ExtractionError(ManoleError):
    """One file's content cannot be read; it never stops a sync."""


class NotNowError(ExtractionError):
    """A file cannot be read for a reason that may pass: it is gone, locked, another one by now."""


class WeightsError(ManoleError):
    """Model weights cannot be obtained."""


class HashMismatchError(WeightsError):
    """Weights arrived whose SHA-256 is not the one in the table; they are refused."""


class ModelError(ManoleError):
    """The engine failed to load a model or to answer."""


class ModelUnavailableError(ModelError):
    """No chat model is at hand and none can be fetched."""


class BusyError(ManoleError):
    """So many questions wait that no further one is taken; `retry_after` is in seconds."""

    def __init__(self, message: str, hint: str | None = None, *, retry_after: float = 10.0) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


class ConversationError(ManoleError):
    """A conversation is unknown, or cannot be kept."""


class UnknownConversationError(ConversationError):
    """No conversation, or no turn of it, has that name."""

    exit_code = 2
