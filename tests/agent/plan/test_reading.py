"""A plan in words."""

from __future__ import annotations

import re

import pytest

from manole.agent.plan.reading import reading
from manole.agent.plan.write import examples


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT count(*) FROM files WHERE kind = 'pdf' AND NOT under('Work')",
         "files, kind = “pdf”, not in “Work”; counted"),
        ("SELECT EXISTS(SELECT path FROM files WHERE kind = 'video' OR size > '3 MB')",
         "files, kind = “video” or size > “3 MB”; whether there are any"),
        ("SELECT path, size FROM files ORDER BY size DESC LIMIT 3",
         "files; most size first, the first 3"),
        ("SELECT sum(total) AS total, currency FROM papers WHERE issuer NOT LIKE '%Dell%' "
         "GROUP BY currency", "papers, issuer not like “Dell”; total added up, by currency"),
        ("SELECT count(DISTINCT date) FROM entries WHERE mentions('chess') "
         "AND during(date, 'March')",
         "diary entries that mention “chess”, of date: March; different dates counted"),
        ("SELECT path FROM files", "files; listed"),
        ("SELECT count(*) FROM papers WHERE type = 'invoice' AND during(date, '2023') > 2",
         "papers, type = “invoice”, of date: 2023; counted"),
        ("SELECT path FROM papers WHERE type IN ('invoice', 'bill') AND date IS NULL",
         "papers, type = “invoice” / “bill”, date = –; listed"),
        ("SELECT path FROM papers WHERE total BETWEEN 10 AND 20 AND NOT due IS NULL",
         "papers, total from 10 to 20, due ≠ –; listed"),
        ("SELECT substr(modified, 1, 4) AS year, count(*) AS files FROM files "
         "WHERE modified < '2012' GROUP BY substr(modified, 1, 4) HAVING count(*) > 1",
         "files, modified < 2012; counted, by year"),
        ("SELECT path FROM files WHERE length(name) > 12 OR name GLOB 'x*'",
         "files, a calculation > 12 or a further condition; listed"),
        ("SELECT issuer FROM papers GROUP BY issuer ORDER BY sum(total) DESC",
         "papers; by issuer, most total added up first"),
    ],
)  # fmt: skip
def test_the_reading_says_every_condition(sql, words):
    assert reading(sql) == f"read as: {words}"


def test_what_cannot_be_read_is_not_explained():
    assert reading("nonsense") == "what the catalog knows"


@pytest.mark.parametrize("plan", [planned for _, planned in examples() if planned != "FIND"])
def test_no_reading_shows_a_query(plan):
    assert not re.search(r"[A-Z]{2,}\(|[*%]|SELECT|_|\w\(", reading(plan).replace("“7”", ""))
