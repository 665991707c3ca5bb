"""Text of an HTML page that a browser would not let anybody see, taken out of the page.

Looked at are inline styles, old attributes (`<font color>`, `bgcolor`) and rules for a single tag,
class or id: nothing is laid out and no file is fetched. In doubt text is seen: a background also
counts when its rule names more than one element, and one that cannot be told, a picture for one,
is like no colour. What is not displayed at all (`display: none`) is left to the reader of HTML.
"""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass, replace
from html import unescape
from html.parser import HTMLParser

from PIL import ImageColor

from manole.documents.markup import packed

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
_LEAST = {"": 2.0, "px": 2.0, "pt": 2.0, "em": 0.15, "rem": 0.15, "%": 15.0}  # that can be read
_FAR = 500.0  # in any unit: so far to the left or above, nobody sees it
_DEEP = 500  # elements within each other
_ALIKE = 24  # of 255: two colours that are hard to tell apart

Colour = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class _Look:
    """What is known of an element's text; children begin with their parent's."""

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
        """The look of an element with that style inside this one."""
        look = self
        if "background" in style or "background-color" in style:
            ground = style.get("background-color") or style["background"]
            look = replace(look, ground=_colour(ground, look.ground))
        if "background-image" in style:
            look = replace(look, ground=None)
        if "color" in style:
            look = replace(look, colour=_colour(style["color"], look.colour))
        if "visibility" in style:
            look = replace(look, visible=style["visibility"] not in ("hidden", "collapse"))
        if "font-size" in style and (size := _SIZE.match(style["font-size"])):
            least = _LEAST.get(size[2])
            if least is not None:
                look = replace(look, legible=_number(size[1]) >= least)
        moved = style.get("position") in ("absolute", "fixed", "relative")
        sides = [
            "text-indent",
            "margin-left",
            "margin-top",
            *("left", "top", "right", "bottom") * moved,
        ]
        far = any(
            (size := _SIZE.match(style.get(side, ""))) and _number(size[1]) <= -_FAR
            for side in sides
        )
        opacity = _SIZE.match(style.get("opacity", ""))
        if far or (opacity and _number(opacity[1]) < 0.1):
            look = replace(look, away=True)
        if style.get("display") == "none":
            look = replace(look, gone=True)
        return look


def without_unseen(page: str) -> tuple[str, str]:
    """The page without the text that is not seen, and that text."""
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
    """The same for the chapters of an EPUB. Raises `BrokenArchiveError`."""
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
    words = "\n".join(hidden).encode("utf-8", "replace").decode()
    return (out.getvalue(), words) if hidden else (data, "")


class _Seen(HTMLParser):
    """Parts a page's source in what stays and what nobody sees, at the beginnings of its parts."""

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
        """Settle the part that ends at `until`; `drop`: the one that begins there is not seen."""
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

    def handle_decl(self, decl: str) -> None:
        self.take(self._here)

    def handle_pi(self, data: str) -> None:
        self.take(self._here)

    def unknown_decl(self, data: str) -> None:
        self.take(self._here)

    def _style(self, tag: str, attrs: dict[str, str | None]) -> dict[str, str]:
        """What is said of an element's style, the more particular over the more general."""
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
    """The declarations of a style, in lower case."""
    pairs = (part.partition(":") for part in style.lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, _, value in pairs}


def _colour(text: str, inherited: Colour) -> Colour:
    """The colour a value names, `inherited` where it names none, `None` if it cannot be told."""
    if text in ("inherit", "currentcolor", "none", "", "initial", "unset"):
        return inherited
    if text == "transparent":
        return (0, 0, 0, 0)
    try:
        return ImageColor.getrgb(text)
    except ValueError:
        return None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
