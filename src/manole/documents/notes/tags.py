"""The tags and the properties of a note: `#health` in its text, and its front matter.

The front matter is read as people write it, not as YAML defines it: `title: a: b` and `tags: #a`
are broken there. Values nested below a key, but for a list of words, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from manole.documents.code_lines import without_code
from manole.documents.fields.model import TextLine
from manole.documents.text import front_matter_end

_TAG = re.compile(r"(?<![\w#&/:.=?])(?<!\]\()(?<!\[\[)#(?=[\w/-]*[^\W\d_])(\w[\w/-]*)")
_COLOUR = re.compile(r"(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)
_REPEATED = re.compile(r"(.{1,3})\1+", re.IGNORECASE)  # of letters: `fff`, `fafafa`; not `facade`
_CODE = re.compile(r"(?<!`)`++[^`]++`++")
_ADDRESS = re.compile(r"\b\w+://\S+")
_KEY = re.compile(r"""["']?([^\W\d][\w .-]{0,40}?)["']?[ \t]*:(?:[ \t]+(.*))?$""")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_COMMENT = re.compile(r"\s#\s.*$")
_QUOTES = "\"'"
_TAGS = frozenset({"tag", "tags", "keywords", "schlagworte"})


def hashtags(text: str) -> list[str]:
    """Return the tags in one line of text, without their `#`; colours and anchors are none."""
    if "#" not in text:
        return []
    bare = _ADDRESS.sub(" ", _CODE.sub(" ", text))
    tags = (tag.rstrip("-/") for tag in _TAG.findall(bare))
    return [tag for tag in tags if not is_colour(tag)]


def is_colour(word: str) -> bool:
    """Return whether a word is a colour in hexadecimal; `facade` and `bed` are words."""
    if not _COLOUR.fullmatch(word):
        return False
    return any(sign.isdigit() for sign in word) or _REPEATED.fullmatch(word) is not None


def properties_in(lines: Sequence[TextLine]) -> list[tuple[str, str]]:
    """Return the keys, in lower case, and values of a front matter; of a list each value.

    `lines` are a whole file's, from its first one on.
    """
    found: list[tuple[str, str]] = []
    key = ""
    for line in lines[1 : max(1, _front_end(lines) - 1)]:
        if named := _KEY.match(line.text):
            key = named[1].strip().lower()
            found += [(key, value) for value in _values(named[2] or "")]
        elif key and (item := _ITEM.match(line.text)):
            found += [(key, value) for value in _values(item[1]) if not _KEY.match(item[1])]
    return found


def tags_in(lines: Sequence[TextLine], format_: str) -> list[str]:
    """Return the tags of a note, each once, as they are first written."""
    front = (v for key, value in properties_in(lines) if key in _TAGS for v in _split(value))
    tags = [value.strip("#@ ") for value in front]
    if format_ == "org":
        tags += _org_tags(lines)
    else:
        marked = [line for line in lines[_front_end(lines) :] if "#" in line.text]
        if any(hashtags(line.text) for line in marked):
            shown = {line.line for line in without_code(lines, format_)}
            tags += [tag for line in marked if line.line in shown for tag in hashtags(line.text)]
    first: dict[str, str] = {}
    for tag in filter(None, tags):
        first.setdefault(tag.casefold(), tag)
    return list(first.values())


def _org_tags(lines: Sequence[TextLine]) -> list[str]:
    """Return the tags at the ends of headings (`* Roof :home:urgent:`) and `#+filetags:`."""
    marked = (
        re.search(r"^(?:\*+ .*\s|#\+filetags:\s*):([\w@:]+):\s*$", line.text, re.IGNORECASE)
        for line in lines
    )
    return [tag for found in marked if found for tag in found[1].split(":")]


def _front_end(lines: Sequence[TextLine]) -> int:
    """Return the number of the lines that are a front matter."""
    if not lines or lines[0].line != 1 or lines[0].text.rstrip() != "---":
        return 0
    return front_matter_end([line.text for line in lines])


def _values(written: str) -> list[str]:
    """Return the values that are written behind a key: `a`, `"a b"`, `[a, b]`."""
    text = written.strip()
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [bare for part in text[1:-1].split(",") if (bare := part.strip().strip(_QUOTES))]
    if text[:1] not in _QUOTES or not text:
        text = _COMMENT.sub("", f" {text}").strip()
    text = text.strip(_QUOTES)
    return [text] if text and text not in {"|", ">", "|-", ">-", "~", "null", "{}"} else []


def _split(value: str) -> list[str]:
    """Return the tags that one value lists: `a, b` or `a b`."""
    return value.split(",") if "," in value else value.split()
