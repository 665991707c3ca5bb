"""Results in words."""

from __future__ import annotations

import pytest

from agent.plan.catalogs import TODAY, catalog
from manole.agent.plan.query import parse
from manole.agent.plan.query_catalog import found
from manole.agent.plan.repair import check
from manole.agent.plan.verbalize import say

CATALOG = catalog()


def answer(sql, question="Zahn Fjord EUR"):
    plan = check(parse(sql), CATALOG, question, TODAY, "in Arbeit and Photos")
    return say(plan, found(CATALOG, plan))


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT count(*) FROM files WHERE extension = 'pdf' AND pages > 3",
         "2 files fit: Arbeit/Entwürfe/plan alt.pdf [1], Arbeit/plan.pdf [2]"),
        ("SELECT count(*) FROM files WHERE kind = 'video'", "You have 0 videos."),
        ("SELECT EXISTS(SELECT path FROM files WHERE kind = 'markdown')",
         "Yes, 2 files: Arbeit/Entwürfe/notes.md [1], Diary/2024.md [2]"),
        ("SELECT EXISTS(SELECT path FROM files WHERE kind = 'video')",
         "No, there are no such files."),
        ("SELECT path, size FROM files ORDER BY size DESC LIMIT 1",
         "Arbeit/plan.pdf, size 2.5 MB (2,500,000 bytes) [1]"),
        ("SELECT path, pages FROM files ORDER BY pages LIMIT 1", "Papers/dentist.pdf, pages 1 [1]"),
        ("SELECT kind, count(*) AS files FROM files WHERE under('Arbeit') GROUP BY kind ORDER BY 2",
         "\n- markdown, 1 file\n- pdf, 2 files\nfrom 3 files: "),
        ("SELECT sum(total) AS total, currency FROM papers WHERE currency = 'EUR' "
         "GROUP BY currency",
         "430.50 EUR (from 2 papers): Papers/dentist.pdf [1], Papers/airline.pdf [2]"),
        ("SELECT sum(total) FROM papers", "\n- 430.50 EUR\n- 19.90 MYR\nfrom 3 papers: "),
        ("SELECT path, total FROM papers WHERE type = 'invoice'",
         "Papers/dentist.pdf, 120.50 EUR, issuer Dr. med. Ute Zahn [1]"),
        ("SELECT path, due, date, issuer FROM papers WHERE issuer LIKE '%Zahn%'",
         "Papers/dentist.pdf, due 2024-12-31, date 2024-12-01, issuer Dr. med. Ute Zahn [1]"),
        ("SELECT path FROM folders WHERE files = 0", "Photos/Empty"),
        ("SELECT path, depth, files FROM folders WHERE under('Arbeit') ORDER BY depth DESC LIMIT 1",
         "Arbeit/Entwürfe, depth 2, files 2"),
        ("SELECT max(date) AS date FROM entries WHERE mentions('swimming')",
         "2024-03-10: Diary/2024.md [1]"),
        ("SELECT path FROM files WHERE under('Photos') ORDER BY path",
         "2 files:\n- Photos/copy of lake.jpg [1]\n- Photos/lake.jpg [2]"),
        ("SELECT count(*) FROM files WHERE kind = 'pdf'", "You have 4 PDF files.\n- "),
        ("SELECT count(*) FROM papers WHERE type = 'invoice'", "You have 1 invoice: Papers/"),
        ("SELECT count(*) FROM files", "You have "),
        ("SELECT DISTINCT extension FROM files WHERE under('Arbeit')", "2 in all:\n- "),
    ],
)  # fmt: skip
def test_an_answer_says_what_it_stands_on(sql, text):
    assert answer(sql).text.startswith(text)


@pytest.mark.parametrize(
    ("sql", "groups"),
    [
        ("SELECT kind, count(*) AS files FROM files WHERE under('Arbeit') GROUP BY kind ORDER BY 2",
         [("markdown", 1, "1"), ("pdf", 2, "2")]),
        ("SELECT issuer, sum(total) AS total, currency FROM papers WHERE currency = 'EUR' "
         "GROUP BY issuer, currency ORDER BY total",
         [("Dr. med. Ute Zahn", 120.5, "120.50 EUR"), ("Air Fjord AS", 310.0, "310.00 EUR")]),
        ("SELECT sum(total) FROM papers", []),  # in two currencies
        ("SELECT count(*) FROM files", []),
        ("SELECT folder, count(*) AS n, sum(size) AS size FROM files GROUP BY folder", []),
    ],
)  # fmt: skip
def test_groups_can_be_compared(sql, groups):
    found = [(g["name"], g["value"], g["said"]) for g in answer(sql).groups]
    assert found == groups


def test_a_citation_opens_the_line():
    (cited,) = answer("SELECT max(date) AS date FROM entries WHERE mentions('dinner')").objects
    assert (cited.file, cited.page, cited.line) == ("Diary/2024.md", None, 3)
    (cited,) = answer("SELECT path, total FROM papers WHERE issuer LIKE '%Fjord%'").objects
    assert cited.file == "Papers/airline.pdf"


def test_nothing_to_add_up_is_no_answer():
    assert answer("SELECT sum(total) FROM papers WHERE total > 1000").text == ""


def test_a_paper_is_told_whole_and_each_amount_by_its_name():
    sql = "SELECT due FROM papers WHERE issuer LIKE '%Zahn%'"
    plan = check(parse(sql), CATALOG, "when is Zahn due?", TODAY).whole()
    assert say(plan, found(CATALOG, plan)).text == (
        "Papers/dentist.pdf, due 2024-12-31, issuer Dr. med. Ute Zahn, date 2024-12-01, "
        "total 120.50 EUR [1]"
    )
    counted = check(parse("SELECT count(*) FROM papers"), CATALOG, "how many?", TODAY)
    assert counted.whole() is None
