"""Requests and responses about choosing folders, and about changing libraries."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator

from manole.agent.about import Sort
from manole.index.store.libraries import STEERING, TITLE
from manole.serve.http.base import Asked, Sent

TITLED = f"^ *[^{STEERING}]{{0,{TITLE}}} *$"
FOLDER = r"^(~|~?/[^\x00]*)$"

Pattern = Annotated[
    str, Field(min_length=1, max_length=500, pattern=r"^[^\x00\r\n]*[^\x00\r\n\t ][^\x00\r\n]*$")
]


class NewLibrary(Asked):
    """A folder of this machine that is to be a library."""

    folder: str = Field(
        max_length=4000, pattern=FOLDER, description="its whole path, or one that begins with ~",
        examples=["~/Documents"],
    )  # fmt: skip


class LibraryChange(Asked):
    """New patterns of files that a library leaves out, a new title, or both."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    exclude: list[Pattern] = Field(
        [],
        max_length=200,
        description="patterns as in .gitignore; they take the place of those given before",
        examples=[["/photos/", "*.log"]],
    )
    title: str | None = Field(
        None,
        description="what people see in place of its folders' names; empty or null: those again",
        examples=["Papers of the flat"],
        # Described here, and checked where it is kept, which says in words what is wrong.
        json_schema_extra={"anyOf": [{"type": "string", "pattern": TITLED}, {"type": "null"}]},
    )

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("exclude or title is needed")
        return self


class Suggested(Sent):
    """A question by its sort and what it names, and in English."""

    sort: Sort
    names: list[str]
    text: str


class AboutLibrary(Sent):
    """The contents of a library. `unread`: files that nothing could be read of."""

    questions: list[Suggested] = Field(description="which its own contents suggest")
    kinds: dict[str, int] = Field(description="files by kind, most first")
    years: Annotated[list[int], Field(min_length=2, max_length=2)] | None = Field(
        description="the first and last that anything is of"
    )
    firms: list[str]
    people: list[str]
    unread: int


class Reread(Asked):
    """A file that is to be read again."""

    path: str = Field(max_length=4096, description="a `file` of the list, as it stands there")


class FolderItem(Sent):
    """A folder to choose, or to look into."""

    name: str
    path: str
    files: int | None = Field(description="what Manole would look at; null where that takes long")


class FolderList(Sent):
    """The folders in `path`."""

    path: str = Field(examples=["/home/mara"])
    parent: str | None = Field(description="the folder above; null at the top")
    home: str
    folders: list[FolderItem]
