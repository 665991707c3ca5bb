"""What lies inside itself many times over: markup, data, mail, lists, page trees."""

from __future__ import annotations

from hostile_set import Making, hostile
from hostile_set.packages import BODIES, DECLARED, package
from hostile_set.zips import archive, plain

_ANY = "indexed partial skipped failed"


@hostile("deeply nested JSON, XML, HTML, SVG", _ANY)
def _markup(making: Making) -> None:
    deep, wide = making.scale.deep, making.scale.wide
    making.write("deep.json", "[" * wide + "]" * wide)
    making.write("deep.ipynb", '{"a":' * wide + "1" + "}" * wide)
    making.write("deep.xml", "<a>" * deep + "word" + "</a>" * deep)
    making.write("deep.html", "<html><body>" + "<div>" * deep + "word" + "</div>" * deep)
    making.write("bold.html", "<html><body>" + "<b>word " * deep)
    making.write("table.html", "<html><body>" + "<table><tr><td>" * (deep // 4) + "word")
    making.write("deep.svg", f"<svg><text>{'<g>' * deep}word{'</g>' * deep}</text></svg>")
    making.write("deep.rtf", "{\\rtf1 " + "{\\b " * deep + "word" + "}" * deep + "}")
    making.write("deep.toml", "a = " + "[" * wide + "]" * wide)
    making.write("deep.yaml", "".join(" " * n + "a:\n" for n in range(min(deep, 2000))))


@hostile("deeply nested Office file", _ANY)
def _office(making: Making) -> None:
    deep = making.scale.deep // 4
    inside = {
        "docx": ("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"),
        "odt": ("<text:span>", "</text:span>"),
        "epub": ("<span>", "</span>"),
        "xlsx": ("<a>", "</a>"),
        "pptx": ("<a:x>", "</a:x>"),
    }
    for format_, (name, head, tail) in BODIES.items():
        opened, closed = inside[format_]
        body = DECLARED + head + opened * deep + "word" + closed * deep + tail
        making.write(f"deep.{format_}", package(format_, plain(name, body)))
    cell, end = "<w:tbl><w:tr><w:tc><w:p/>", "</w:tc></w:tr></w:tbl>"
    name, head, tail = BODIES["docx"]
    start = head.partition("<w:p>")[0]
    body = DECLARED + start + cell * deep + end * deep + "</w:body></w:document>"
    making.write("tables.docx", package("docx", plain(name, body)))
    name, head, tail = BODIES["odt"]
    lists = "<text:list><text:list-item>" * deep + "</text:list-item></text:list>" * deep
    start, end = head.removesuffix("<text:p>"), tail.removeprefix("</text:p>")
    making.write("lists.odt", package("odt", plain(name, DECLARED + start + lists + end)))


@hostile("mail in mail, parts in parts", _ANY)
def _mail(making: Making) -> None:
    deep = min(making.scale.deep // 20, 20_000)
    head = "From: a@example.org\nSubject: {}\nMIME-Version: 1.0\n"
    parts = "".join(
        f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(deep)
    )
    making.write("parts.eml", head.format("parts") + parts + "Content-Type: text/plain\n\nword\n")
    inner = "Content-Type: message/rfc822\n\n" * deep
    making.write("mails.eml", head.format("mails") + inner + "Subject: inside\n\nword\n")
    many = "--b\nContent-Type: text/plain\n\nword\n" * min(making.scale.deep, making.scale.wide)
    making.write(
        "many.eml", head.format("many") + 'Content-Type: multipart/mixed; boundary="b"\n\n' + many
    )
    making.write("headers.eml", "X-A: b\n" * min(making.scale.deep, 200_000) + "\nword\n")
    making.write("comment.eml", "From: " + "(" * making.scale.deep + "\nDate: " + "(" * 50_000)


@hostile("zip with folders 1,000 deep", "indexed skipped")
def _zip(making: Making) -> None:
    data = b"word"
    for level in range(1000):
        data = archive(plain(f"{level}.zip", data))
    making.write("deep.zip", data)
    making.write("folders.zip", archive(plain("a/" * 30_000 + "b", "word")))


@hostile("Markdown made to be slow", _ANY)
def _markdown(making: Making) -> None:
    size = making.scale.wide
    for name, text in {
        "brackets": "[" * size,
        "links": "[a](" * size,
        "quotes": "> " * size + "word",
        "lists": "".join(" " * (2 * n) + "- a\n" for n in range(min(size, 300))),
        "stars": "*a **b " * size,
        "ticks": "`" * size + "a" + "`" * (size - 1),
        "backslashes": "\\" * size,
        "pipes": "|" * size + "\n" + "|-" * size + "\n" + "|" * size,
        "rules": "|" + ":-" * size + "\n" + "- " * size,
        "hashes": "#" * size + "\n" + "# a\n" * min(size, 5_000),
        "fences": "```\n" * size,
        "front matter": "---\n" + "a: b\n" * size,
        "entities": "&" * size + "&amp" * size,
        "html": "<a " * size,
        "spaces": " " * size + "\n" + "\t" * size + "a",
    }.items():
        making.write(f"{name}.md", text)
