"""Archives and XML that grow without end, and XML that asks for files outside of itself."""

from __future__ import annotations

import gzip

from hostile_set import Making, hostile
from hostile_set.packages import BODIES, DECLARED, document, package
from hostile_set.zips import archive, bomb, plain

_MEMBER_MB = 4000  # one member with an honest header of 32 bits


@hostile("zip that unpacks to gigabytes", "failed skipped")
def _zip(making: Making) -> None:
    size = min(making.scale.bomb_mb, _MEMBER_MB)
    data = archive(*(bomb(f"{n}.txt", "", "a", "", size, lying=False) for n in range(3)))
    making.write("bomb.zip", data)
    making.write("bomb.txt.gz", gzip.compress(b"a" * 10_000_000))
    making.write("bomb without extension", data)


@hostile("zip in zip in zip", "indexed skipped")
def _nested(making: Making) -> None:
    data = archive(bomb("bomb.txt", "", "a", "", min(making.scale.bomb_mb, 1000), lying=True))
    for level in range(6):
        data = archive(*(plain(f"{level}-{n}.zip", data) for n in range(8)))
    making.write("nested.zip", data)


@hostile("Office file, book, slides: one member unpacks to gigabytes", "failed partial")
def _office(making: Making) -> None:
    for lying in (False, True):
        for format_, (name, head, tail) in BODIES.items():
            size = making.scale.bomb_mb if lying else min(making.scale.bomb_mb, _MEMBER_MB)
            inner = bomb(name, DECLARED + head, "a", tail, size, lying)
            said = "lying" if lying else "honest"
            making.write(f"{said}.{format_}", package(format_, inner))


@hostile("Office file with 60,000 members", "indexed failed")
def _members(making: Making) -> None:
    name, head, tail = BODIES["docx"]
    many = [plain(f"word/extra{n}.xml", "<a/>") for n in range(60_000)]
    body = plain(name, DECLARED + head + "words" + tail)
    making.write("many.docx", archive(*many, body))


def laughs(levels: int = 10) -> str:
    """A document type whose entity `&l9;` grows to gigabytes."""
    rows = ['<!ENTITY l0 "ha">']
    rows += [f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels)]
    return f"<!DOCTYPE bomb [{''.join(rows)}]>\n"


def _in_everything(making: Making, inside: str, doctype: str) -> None:
    for format_ in BODIES:
        making.write(f"in.{format_}", document(format_, inside, doctype))
    making.write("in.xml", f"{DECLARED}{doctype}<bomb>{inside}</bomb>")
    making.write("in.html", f"{doctype}<html><body><p>{inside}</p></body></html>")
    making.write(
        "in.svg",
        f'{DECLARED}{doctype}<svg xmlns="http://www.w3.org/2000/svg"><text>{inside}</text></svg>',
    )
    making.write(
        "in.fb2", f"{DECLARED}{doctype}<FictionBook><body><p>{inside}</p></body></FictionBook>"
    )


@hostile("billion laughs in eight formats", "indexed skipped failed")
def _billion(making: Making) -> None:
    _in_everything(making, "&l9;", laughs())


@hostile("quadratic blow-up in eight formats", "indexed partial skipped failed")
def _quadratic(making: Making) -> None:
    long = "x" * 100_000
    _in_everything(making, "&a;" * making.scale.wide, f'<!DOCTYPE bomb [<!ENTITY a "{long}">]>\n')


@hostile("external entities that name a local file", "indexed skipped failed")
def _external(making: Making) -> None:
    target = making.secret.as_uri()
    _in_everything(making, "&outside;", f'<!DOCTYPE b [<!ENTITY outside SYSTEM "{target}">]>\n')
    making.write(
        "parameter.svg",
        f'<!DOCTYPE svg [<!ENTITY % all SYSTEM "{target}"> %all;]><svg><text>a</text></svg>',
    )
    making.write("include.html", f'<html><iframe src="{target}"></iframe><p>words</p></html>')
    making.write(
        "include.xml",
        f'<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{target}"/></a>',
    )
    making.write("include.tex", f"\\input{{{making.secret}}}\nwords\n")
    making.write("include.rst", f".. include:: {making.secret}\n\nwords\n")
