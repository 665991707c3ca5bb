"""Requests and responses about choosing folders, and about changing libraries."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

FOLDER = r"^(~|~?/[^\x00]*)$"

Pattern = Annotated[
    str, Field(min_length=1, max_length=500, pattern=r"^[^\x00\r\n]*[^\x00\r\n\t ][^\x00\r\n]*$")
]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Response(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class NewLibrary(_Request):
    """A folder of this machine that is to be a library."""

    folder: str = Field(
        max_length=4000, pattern=FOLDER, description="its whole path, or one that begins with ~",
        examples=["~/Documents"],
    )  # fmt: skip


class LibraryChange(_Request):
    """What a library leaves out."""

    exclude: list[Pattern] = Field(
        max_length=200,
        description="patterns as in .gitignore; they take the place of those given before",
        examples=[["/photos/", "*.log"]],
    )


class Reread(_Request):
    """A file that is to be read again."""

    path: str = Field(max_length=4096, description="a `file` of the list, as it stands there")


class FolderItem(_Response):
    """A folder to choose, or to look into."""

    name: str
    path: str
    files: int | None = Field(description="what Manole would look at; null where that takes long")


class FolderList(_Response):
    """The folders in `path`."""

    path: str = Field(examples=["/home/mara"])
    parent: str | None = Field(description="the folder above; null at the top")
    home: str
    folders: list[FolderItem]
