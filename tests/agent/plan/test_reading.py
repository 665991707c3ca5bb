"""A plan in words."""

from __future__ import annotations

import pytest

from manole.agent.plan.reading import reading


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT count(*) FROM files WHERE kind = 'pdf' AND NOT under('Work')",
         "files, kind is “pdf”, not in “Work”; counted"),
        ("SELECT EXISTS(SELECT path FROM files WHERE kind = 'video' OR size > '3 MB')",
         "files, kind is “video” or size above “3 MB”; whether there are any"),
        ("SELECT path, size FROM files ORDER BY size DESC LIMIT 3",
         "files; most size first, the first 3"),
        ("SELECT sum(total) AS total, currency FROM papers WHERE issuer NOT LIKE '%Dell%' "
         "GROUP BY currency", "papers, issuer not like “Dell”; total added up, by currency"),
        ("SELECT count(DISTINCT date) FROM entries WHERE mentions('chess') "
         "AND during(date, 'March')",
         "diary entries, that mention “chess”, of date: March; different dates counted"),
        ("SELECT path FROM files", "files; listed"),
    ],
)  # fmt: skip
def test_the_reading_says_every_condition(sql, words):
    assert reading(sql) == f"read as: {words}"


def test_what_cannot_be_read_is_not_explained():
    assert reading("nonsense") == "what the catalog knows"
