"""Base models of requests and responses, and texts for people in the language they asked for.

Requests refuse fields that are not known, so that a misspelt one is noticed; responses have every
field. The language is that of `Accept-Language`, which `Guard` reads.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, computed_field

from manole.agent import events
from manole.models.chat.protocol import Message
from manole.sentences import said

Spoken = Annotated[str, PlainSerializer(said, return_type=str)]


class Asked(BaseModel):
    """A request's body. A field that is not known is an error, as it would do nothing."""

    model_config = ConfigDict(extra="forbid")


class HistoryMessage(Asked):
    """A message that came before."""

    role: Literal["user", "assistant"]
    content: str = Field(max_length=20_000)

    def message(self) -> Message:
        """Return the message as the agent reads it."""
        return Message(self.role, self.content)


class Sent(BaseModel):
    """A response's body. Fields with a default are sent as well."""

    model_config = ConfigDict(
        from_attributes=True, json_schema_serialization_defaults_required=True
    )


class Reasoned(Sent):
    """The outcome of reading a file; `reason` is for programs, the same in every language."""

    reason: str | None = None

    @computed_field(description="the reason, for people")  # type: ignore[prop-decorator]
    @property
    def why(self) -> str | None:
        """The reason in the language of the request."""
        return self.reason and said(self.reason)


def translated(event: events.Event) -> events.Event:
    """Translate an event's sentences into the language of the request.

    A model's answer stays as it is: it is in the question's language, and quotes documents. Only an
    answer that the program wrote itself is translated.
    """
    match event:
        case events.Decision():
            return event.model_copy(update={"reasoning": said(event.reasoning)})
        case events.StatusEvent() | events.ChoicesEvent():
            return event.model_copy(update={"message": said(event.message)})
        case events.ErrorEvent():
            hint = event.suggestion and said(event.suggestion)
            return event.model_copy(update={"message": said(event.message), "suggestion": hint})
        case events.ResultEvent():  # the lines after the first come from files
            first, *rest = event.message.split("\n", 1)
            return event.model_copy(update={"message": "\n".join([said(first), *rest])})
        case events.Complete(of_code=True):
            return event.model_copy(update={"answer": said(event.answer)})
    return event


def translated_report(report: dict[str, Any] | None) -> dict[str, Any] | None:
    """Translate the notice and the folders' reasons of a sync's report (`report_json`)."""
    if report is None:
        return None
    folders = [{**item, "reason": said(item["reason"])} for item in report["unreadable"]]
    return report | {"notice": report["notice"] and said(report["notice"]), "unreadable": folders}
