"""Results in words."""

from __future__ import annotations

import pytest

from agent.plan.catalogs import FILES, asking, catalog
from agent.plan.catalogs import found as field
from manole.agent.languages import ENGLISH, words_of
from manole.agent.plan.query import parse
from manole.agent.plan.query_catalog import found
from manole.agent.plan.repair import check
from manole.agent.plan.verbalize import say
from manole.documents.fields import Fields

CATALOG = catalog()


def answer(sql, question="Zahn Fjord EUR", words=ENGLISH, over=CATALOG):
    plan = check(parse(sql), over, asking(question, "in Arbeit and Photos"))
    return say(plan, found(over, plan), words)


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT count(*) FROM files WHERE extension = 'pdf' AND pages > 3", "2 files fit."),
        ("SELECT count(*) FROM files WHERE kind = 'video'", "You have 0 videos."),
        ("SELECT count(*) FROM files WHERE kind = 'pdf'",
         "You have 4 PDF files: Arbeit 2, Papers 2."),
        ("SELECT count(*) FROM papers WHERE type = 'bill'",
         "You have 1 bill: Papers/airline.pdf [1]"),
        ("SELECT count(DISTINCT issuer) FROM papers", "3 issuers."),
        ("SELECT EXISTS(SELECT path FROM files WHERE kind = 'markdown')",
         "Yes, 2 Markdown files: Arbeit/Entwürfe/notes.md [1], Diary/2024.md [2]"),
        ("SELECT EXISTS(SELECT path FROM files WHERE kind = 'pdf')", "Yes, 4 PDF files."),
        ("SELECT EXISTS(SELECT path FROM files WHERE kind = 'video')",
         "No, there are no such videos."),
        ("SELECT path, size FROM files ORDER BY size DESC LIMIT 1",
         "Arbeit/plan.pdf, 2.5 MB (2,500,000 bytes) [1]"),
        ("SELECT path, pages FROM files ORDER BY pages LIMIT 1", "Papers/dentist.pdf, pages 1 [1]"),
        ("SELECT kind, count(*) AS files FROM files WHERE under('Arbeit') GROUP BY kind ORDER BY 2",
         "3 files:\nmarkdown  1\npdf       2"),
        ("SELECT folder, count(*) AS n, sum(size) AS size FROM files WHERE under('Photos') "
         "GROUP BY folder", "Photos, 2 files, 600.0 kB (600,000 bytes), from 2 files."),
        ("SELECT strftime('%Y', modified) AS year, count(*) FROM files WHERE kind = 'pdf' "
         "GROUP BY year ORDER BY 2", "4 PDF files:\n2023  2\n2024  2"),
        ("SELECT strftime('%Y', date) AS year, sum(total) FROM papers WHERE currency = 'EUR' "
         "GROUP BY year ORDER BY 2 DESC",
         "430.50 EUR in all, from 2 papers:\n2023  310.00 EUR\n2024  120.50 EUR"),
        ("SELECT strftime('%Y', date) AS year, sum(total) FROM papers GROUP BY year",
         "From 3 papers:\n- 2023, 310.00 EUR\n- 2024, 120.50 EUR\n- 2024, 19.90 MYR"),
        ("SELECT strftime('%Y-%m', modified) AS month, count(*) AS n FROM files "
         "WHERE under('Photos') GROUP BY month ORDER BY n",
         "2 files:\nJune 2024  1\nJuly 2024  1"),
        ("SELECT month(modified) AS month, count(*) AS n FROM files WHERE under('Photos') "
         "GROUP BY month", "2 files:\nJune  1\nJuly  1"),
        ("SELECT weekday, count(*) AS n FROM entries GROUP BY weekday ORDER BY weekday",
         "From 3 entries:\nMonday  1\nFriday  1\nSunday  1"),
        ("SELECT sum(total) AS total, currency FROM papers WHERE currency = 'EUR' "
         "GROUP BY currency", "430.50 EUR in all, from 2 papers."),
        ("SELECT sum(total) FROM papers", "430.50 EUR and 19.90 MYR in all, from 3 papers."),
        ("SELECT avg(total) FROM papers WHERE currency = 'EUR'",
         "215.25 EUR on average, from 2 papers."),
        ("SELECT sum(total) FROM papers WHERE type = 'bill'", "310.00 EUR: Papers/airline.pdf [1]"),
        ("SELECT path, total FROM papers WHERE issuer LIKE '%Zahn%'",
         "120.50 EUR, Dr. med. Ute Zahn: Papers/dentist.pdf [1]"),
        ("SELECT path, due, date, issuer FROM papers WHERE issuer LIKE '%Zahn%'",
         "Due 31 December 2024, 1 December 2024, Dr. med. Ute Zahn: Papers/dentist.pdf [1]"),
        ("SELECT path, sender, date FROM messages",
         "Rosa Lind, 4 November 2024: Post/roof.eml [1]"),
        ("SELECT path FROM folders WHERE files = 0", "Photos/Empty"),
        ("SELECT path, depth, files FROM folders WHERE under('Arbeit') ORDER BY depth DESC LIMIT 1",
         "Arbeit/Entwürfe, depth 2, files 2"),
        ("SELECT max(date) AS date FROM entries WHERE mentions('swimming')",
         "10 March 2024: Diary/2024.md [1]"),
        ("SELECT path FROM files WHERE under('Photos') ORDER BY path",
         "2 files:\n- Photos/copy of lake.jpg [1]\n- Photos/lake.jpg [2]"),
        ("SELECT path, date FROM papers WHERE total < 200 ORDER BY date",
         "2 papers:\n- Papers/dentist.pdf, 1 December 2024, Dr. med. Ute Zahn [1]\n- Papers/shop"),
        ("SELECT DISTINCT extension FROM files WHERE under('Arbeit')", "2 in all:\n- "),
    ],
)  # fmt: skip
def test_an_answer_says_what_it_stands_on(sql, text):
    said = answer(sql).text
    assert said.startswith(text) if text[-1] in ": " or "shop" in text else said == text


@pytest.mark.parametrize(
    ("sql", "folded"),
    [
        ("SELECT count(*) FROM files WHERE kind = 'pdf'", "4 PDF files"),
        ("SELECT count(DISTINCT issuer) FROM papers", "3 papers"),
        ("SELECT sum(total) FROM papers", "3 papers"),
        ("SELECT kind, count(*) AS n FROM files WHERE under('Arbeit') GROUP BY kind", "3 files"),
    ],
)
def test_the_rows_behind_a_figure_are_named_nowhere_in_its_text(sql, folded):
    given = answer(sql)
    assert given.folded == folded
    assert len(given.objects) == int(folded.split()[0])
    assert not any(row.file in given.text for row in given.objects)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM papers WHERE type = 'bill'",
        "SELECT path, total FROM papers WHERE issuer LIKE '%Zahn%'",
        "SELECT path FROM files WHERE under('Photos')",
        "SELECT EXISTS(SELECT path FROM files WHERE kind = 'markdown')",
    ],
)
def test_what_the_text_names_is_not_folded(sql):
    given = answer(sql)
    assert not given.folded
    assert all(f"[{row.n}]" in given.text for row in given.objects)


@pytest.mark.parametrize(
    ("code", "sql", "text"),
    [
        ("de", "SELECT sum(total) FROM papers WHERE currency = 'EUR'",
         "430,50 EUR insgesamt, für 2 Dokumente."),
        ("es", "SELECT path, due FROM papers WHERE issuer LIKE '%Zahn%'",
         "Vencimiento 31 de diciembre de 2024, Dr. med. Ute Zahn"),
    ],
)  # fmt: skip
def test_figures_and_days_are_in_the_language_s_notation(code, sql, text):
    assert answer(sql, words=words_of(code)).text.startswith(text)


@pytest.mark.parametrize(
    ("sql", "note"),
    [
        ("SELECT sum(total) FROM papers", " 1 of 4 papers has no total and is not in it."),
        ("SELECT sum(total) FROM papers WHERE currency = 'EUR'",
         " 1 of 3 papers has no total and is not in it."),
        ("SELECT path, total, currency FROM papers WHERE type = 'invoice'",
         "\n1 of 2 invoices has no total and is not in it."),
        ("SELECT strftime('%Y', date) AS year, sum(total) FROM papers GROUP BY year",
         "\n1 of 4 papers has no total and is not in it."),
        ("SELECT sum(total) FROM papers WHERE total > 20", " in all, from 2 papers."),
        ("SELECT max(total) FROM papers", "Papers/airline.pdf [1]"),
    ],
)  # fmt: skip
def test_what_has_no_figure_is_said(sql, note):
    more = catalog(**{FILES[0].path: Fields(kind="invoice", issuer=field("Zahn"))})
    assert answer(sql, over=more).text.endswith(note)


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
    plan = check(parse(sql), CATALOG, asking("when is Zahn due?")).whole()
    assert say(plan, found(CATALOG, plan)).text == (
        "Due 31 December 2024, 120.50 EUR, Dr. med. Ute Zahn: Papers/dentist.pdf [1]"
    )
    counted = check(parse("SELECT count(*) FROM papers"), CATALOG, asking("how many?"))
    assert counted.whole() is None
