"""The head of an HTML page, its words, and those that would be invisible in a browser.

`head_fields` takes title, author and date out of the head, because kreuzberg writes the whole head
into the text; `visible_words` is for pages that a real parser cannot read.

Whether text is visible follows from inline styles, old attributes (`<font color>`, `bgcolor`) and
rules for a single tag, class or id: nothing is laid out and no file is fetched. In doubt text is
visible: a background counts even if its rule names more than one element, and an unknown one, such
as a picture, matches no colour. Elements that are not displayed at all (`display: none`) are left
to the reader of HTML.
"""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass, replace
from html import unescape
from html.parser import HTMLParser
from typing import Any

from PIL import ImageColor

from manole.documents.archive import packed
from manole.documents.model import storable

_WORTH_A_LOOK = re.compile(r"colou?r|opacity|visibility|font|position|indent", re.IGNORECASE)
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
     "source", "track", "wbr"}
)  # fmt: skip
_ENDED_BY = {  # elements whose end may be left out, and what begins after it
    "p": {"p", "div", "ul", "ol", "dl", "table", "h1", "h2", "h3", "h4", "h5", "h6", "section",
          "article", "blockquote", "pre", "hr", "form", "header", "footer"},
    "li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "option": {"option"},
    "td": {"td", "th", "tr", "tbody"}, "th": {"td", "th", "tr", "tbody"}, "tr": {"tr", "tbody"},
}  # fmt: skip
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_AT_BLOCK = re.compile(r"@[^{};]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|/\*.*?\*/", re.DOTALL)
_ONE = re.compile(r"[.#]?[\w-]+")
_SIZE = re.compile(r"(-?[\d.]+)\s*([a-z%]*)")
_LEAST = {"": 2.0, "px": 2.0, "pt": 2.0, "em": 0.15, "rem": 0.15, "%": 15.0}  # legible sizes
_FAR = 500.0  # in any unit: so far to the left or above, text is off the screen
_DEEP = 500  # nested elements that are tracked
_ALIKE = 24  # of 255: two colours that are hard to tell apart
_NOT_SHOWN = frozenset({"script", "style", "template", "noscript", "head", "svg", "math"})
_BLOCKS = frozenset(
    {"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "table", "section",
     "article", "blockquote", "pre", "ul", "ol", "dl", "dt", "dd", "hr"}
)  # fmt: skip
_HEAD_CHARS = 200_000  # in which the head of a page is looked for
_TITLE = re.compile(r"<title\b[^>]*>(.*?)</title\s*>", re.IGNORECASE | re.DOTALL)
_HEAD_TAG = re.compile(r"<(?:meta|base|link)\b[^>]{0,5000}>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_META = {
    "author": "author", "description": "subject", "date": "date", "dc.date": "date",
    "article:published_time": "date", "datepublished": "date",
}  # fmt: skip

Colour = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class _Look:
    """The visible properties of an element's text; children inherit their parent's."""

    colour: Colour = (0, 0, 0)
    ground: Colour = (255, 255, 255)
    visible: bool = True
    legible: bool = True
    away: bool = False  # off the screen or transparent, with everything inside
    gone: bool = False  # not displayed: neither shown nor marked

    @property
    def is_seen(self) -> bool:
        if self.away or not (self.visible and self.legible):
            return False
        if self.colour and len(self.colour) == 4 and self.colour[3] == 0:
            return False
        if self.colour is None or self.ground is None:
            return True
        pairs = zip(self.colour[:3], self.ground[:3], strict=True)
        return any(abs(a - b) >= _ALIKE for a, b in pairs)

    def styled(self, style: dict[str, str]) -> _Look:
        """Return the look of an element with this style inside this one."""
        changes: dict[str, Any] = {}
        if "background" in style or "background-color" in style:
            ground = style.get("background-color") or style["background"]
            changes["ground"] = _colour(ground, self.ground)
        if "background-image" in style:
            changes["ground"] = None
        if "color" in style:
            changes["colour"] = _colour(style["color"], self.colour)
        if "visibility" in style:
            changes["visible"] = style["visibility"] not in ("hidden", "collapse")
        size, unit = _size(style.get("font-size"))
        if size is not None and unit in _LEAST:
            changes["legible"] = size >= _LEAST[unit]
        sides = ["text-indent", "margin-left", "margin-top"]
        if style.get("position") in ("absolute", "fixed", "relative"):
            sides += ["left", "top", "right", "bottom"]
        moves = (_size(style.get(side))[0] for side in sides)
        opacity, _ = _size(style.get("opacity"))
        transparent = opacity is not None and opacity < 0.1
        if transparent or any(move is not None and move <= -_FAR for move in moves):
            changes["away"] = True
        if style.get("display") == "none":
            changes["gone"] = True
        return replace(self, **changes) if changes else self


def without_unseen(page: str) -> tuple[str, str]:
    """Return the page without its invisible text, and that text."""
    if not _WORTH_A_LOOK.search(page):
        return page, ""
    parser = _Seen(page)
    parser.feed(page)
    parser.close()
    parser.take(len(page))
    if not parser.hidden:
        return page, ""
    return "".join(parser.kept), "\n".join(" ".join(text.split()) for text in parser.hidden)


def book_without_unseen(data: bytes) -> tuple[bytes, str]:
    """Do the same for the chapters of an EPUB. Raises `BrokenArchiveError`."""
    hidden: list[str] = []
    out = io.BytesIO()
    with packed(data, "epub") as old, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as new:
        for item in old.infolist():
            content = old.read(item)
            if item.filename.lower().endswith((".xhtml", ".html", ".htm")):
                kept, words = without_unseen(content.decode("utf-8", "surrogateescape"))
                hidden += [words] * bool(words)
                content = kept.encode("utf-8", "surrogateescape")
            new.writestr(item, content)
    return (out.getvalue(), storable("\n".join(hidden))) if hidden else (data, "")


class _Seen(HTMLParser):
    """Divides a page's source into visible and invisible parts, at tags, texts and comments."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.kept: list[str] = []
        self.hidden: list[str] = []
        self._page = page
        self._lines = [0, *(match.end() for match in re.finditer("\n", page))]
        self._at = 0
        self._drop = False
        self._open: list[tuple[str, _Look]] = []
        self._rules: dict[str, dict[str, str]] = {}

    def take(self, until: int, *, drop: bool = False) -> None:
        """End the current part at `until`; with `drop`, the next one is invisible."""
        part = self._page[self._at : until]
        if self._drop and part.strip():
            self.hidden.append(unescape(part))
            part = " "
        self.kept.append(part)
        self._at, self._drop = until, drop

    @property
    def _here(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.take(self._here)
        if tag in _VOID:
            return
        while self._open and tag in _ENDED_BY.get(self._open[-1][0], ()):
            self._open.pop()
        if len(self._open) < _DEEP:
            look = self._open[-1][1] if self._open else _Look()
            self._open.append((tag, look.styled(self._style(tag, dict(attrs)))))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.take(self._here)

    def handle_endtag(self, tag: str) -> None:
        self.take(self._here)
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at][0] == tag:
                del self._open[at:]
                break

    def handle_data(self, data: str) -> None:
        tag, look = self._open[-1] if self._open else ("", _Look())
        if tag == "style":
            self._learn(data)
        out = not look.gone and tag not in ("style", "script", "title")
        self.take(self._here, drop=out and not look.is_seen)

    def handle_comment(self, data: str) -> None:
        self.take(self._here)

    handle_pi = unknown_decl = handle_comment

    def handle_decl(self, decl: str) -> None:
        self.take(self._here)

    def _style(self, tag: str, attrs: dict[str, str | None]) -> dict[str, str]:
        """Return an element's style; more specific declarations override more general ones."""
        style: dict[str, str] = {}
        for name, key in (("color", "color"), ("bgcolor", "background"), ("text", "color")):
            if value := attrs.get(name):
                style[key] = value.lower()
        if attrs.get("background"):
            style["background-image"] = "url"
        names = [tag, *("." + name for name in (attrs.get("class") or "").split())]
        for name in (*names, f"#{attrs.get('id')}"):
            style |= self._rules.get(name, {})
        return style | _declared(attrs.get("style") or "")

    def _learn(self, sheet: str) -> None:
        for selectors, body in _RULE.findall(_AT_BLOCK.sub("", sheet)):
            declared = _declared(body)
            grounds = {key: v for key, v in declared.items() if key.startswith("background")}
            for selector in selectors.split(","):
                if _ONE.fullmatch(selector.strip()):
                    self._rules.setdefault(selector.strip(), {}).update(declared)
                elif grounds and (last := _ONE.findall(selector)):
                    self._rules.setdefault(last[-1], {}).update(grounds)


def _declared(style: str) -> dict[str, str]:
    """Return the declarations of a style, in lower case."""
    pairs = (part.partition(":") for part in style.lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, _, value in pairs}


def _colour(text: str, inherited: Colour) -> Colour:
    """Return the colour that a value names, `inherited` if none, `None` if it is unknown."""
    if text in ("inherit", "currentcolor", "none", "", "initial", "unset"):
        return inherited
    if text == "transparent":
        return (0, 0, 0, 0)
    try:
        return ImageColor.getrgb(text)
    except ValueError:
        return None


def _size(text: str | None) -> tuple[float | None, str]:
    """Return the number and unit that a value begins with; `None` if it has no number."""
    found = _SIZE.match(text or "")
    if found is None:
        return None, ""
    try:
        return float(found[1]), found[2]
    except ValueError:  # such as "1.2.3"
        return 0.0, found[2]


def head_fields(page: str) -> tuple[str, dict[str, str]]:
    """Return the page without its title and meta tags, and their title, author, subject, date."""
    head, rest = page[:_HEAD_CHARS], page[_HEAD_CHARS:]
    fields: dict[str, str] = {}
    title = _TITLE.search(head)
    if title:
        fields["title"] = unescape(title[1])
        head = head[: title.start()] + head[title.end() :]
    for tag in _HEAD_TAG.findall(head):
        found = {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(tag)}
        key = found.get("name") or found.get("property") or found.get("itemprop") or ""
        if key.lower() in _META and found.get("content"):
            fields.setdefault(_META[key.lower()], unescape(found["content"]))
    cleaned = {name: " ".join(value.split())[:300] for name, value in fields.items()}
    return _HEAD_TAG.sub("", head) + rest, {name: text for name, text in cleaned.items() if text}


def visible_words(page: str) -> str:
    """Return the text outside scripts, styles and comments, a line per block. Never raises."""
    words = _Words()
    words.feed(page)
    words.close()
    lines = (" ".join(line.split()) for line in "".join(words.parts).split("\n"))
    return "\n".join(line for line in lines if line)


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _NOT_SHOWN:
            self._hidden.append(tag)
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and tag == self._hidden[-1]:
            self._hidden.pop()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)
