"""What the model writes is read, mended where that is safe, and refused where it is not."""

from __future__ import annotations

import re

import pytest

from agent.plan.catalogs import asking, catalog
from manole.agent.plan.query import PlanError, UnknownWordsError, parse
from manole.agent.plan.repair import check
from manole.agent.plan.write import FIND, examples

CATALOG = catalog()
NAMED = "Work, Drafts, Holidays, Lavoro, Music"  # folders of the examples
ANY = "plan, bridge, Zahn, Fjord, shop, lake, and what not"


def rows(sql, question=ANY, before="", **more):
    if question == ANY:
        before, more = before or "in 2023", {"insists": True} | more
    checked = check(parse(sql), CATALOG, asking(question, before), **more)
    return CATALOG.run(checked.sql)[1]


def paths(condition, question=ANY):
    found = rows(f"SELECT path FROM files WHERE {condition} ORDER BY path", question)
    return [path.rsplit("/", 1)[-1] for (path,) in found]


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("kind = 'photo' OR kind = 'pictures'", ["copy of lake.jpg", "lake.jpg", "shop.jpg"]),
        ("kind = 'md'", ["notes.md", "2024.md"]),
        ("extension = '.MD'", ["notes.md", "2024.md"]),
        ("extension = 'markdown'", ["notes.md", "2024.md"]),
        ("size > '2 MB'", ["plan.pdf"]),
        ("size BETWEEN '280 kB' AND '0.4 MB'", ["copy of lake.jpg", "lake.jpg"]),
        ("under('entwurfe')", ["notes.md", "plan alt.pdf"]),  # another spelling
        ("folder = 'Arbeit' AND NOT under('Entwürfe')", ["plan.pdf"]),
        ("folder != 'Photos' AND kind = 'picture'", ["shop.jpg"]),
        ("name LIKE '%PLAN%'", ["plan alt.pdf", "plan.pdf"]),
        ("name LIKE 'l%'", ["lake.jpg"]),
        ("title LIKE '%lake%'", []),
        ("title LIKE '%bridge%'", ["plan.pdf"]),  # no title, but words of the text
        ("during(modified, 'yesterday')", ["notes.md"]),
        ("during(modified, 'last month')", ["2024.md", "dentist.pdf", "shop.jpg"]),
        ("during(modified, '2023')", ["plan alt.pdf", "airline.pdf"]),
        ("during(modified, '2023-03')", ["plan alt.pdf"]),
        ("year(modified) = '2023'", ["plan alt.pdf", "airline.pdf"]),
        ("year(modified) = 2023 AND month(modified) IN (3, 4)", ["plan alt.pdf"]),
        ("modified < '2024'", ["plan alt.pdf", "airline.pdf"]),
        ("mentions('dusseldorf')", ["plan.pdf"]),
        ("mentions('bridges')", ["plan.pdf"]),  # another form of the word
        ("copy > 1", ["copy of lake.jpg"]),
        ("words > 5", ["plan.pdf"]),
    ],
)  # fmt: skip
def test_a_value_is_what_the_catalog_has_for_it(condition, names):
    assert sorted(paths(condition)) == sorted(names)


def test_a_number_takes_the_unit_that_the_question_has_behind_it():
    question = "pdfs between 60 kB and 100 kB"
    condition = "extension = 'pdf' AND size BETWEEN 60 AND 100"
    assert paths(condition, question) == ["plan alt.pdf", "airline.pdf"]


@pytest.mark.parametrize(
    ("condition", "issuers"),
    [
        ("issuer LIKE '%Zahn%'", ["Dr. med. Ute Zahn"]),
        ("issuer = 'SHOP'", ["S. H. O. P. (M) Ltd"]),
        ("issuer LIKE '%fjrod%'", []),  # nothing is called so, nor nearly
        ("issuer NOT LIKE '%Zahn%' AND currency = '€'", ["Air Fjord AS"]),
        ("type = 'bills'", ["Air Fjord AS"]),
        ("type = 'receipt'", ["S. H. O. P. (M) Ltd"]),  # a till slip that says "invoice"
        ("total > '100 euros'", ["Dr. med. Ute Zahn", "Air Fjord AS"]),
        ("currency = 'RM'", ["S. H. O. P. (M) Ltd"]),
        ("due <= '2024-12-31'", ["Dr. med. Ute Zahn"]),
    ],
)
def test_papers_are_found_by_what_they_say(condition, issuers):
    question = "Zahn, Fjord, fjrod, shop, and what not"
    found = rows(f"SELECT issuer FROM papers WHERE {condition}", question, insists=True)
    assert sorted(issuer for (issuer,) in found) == sorted(issuers)


def test_a_paper_goes_by_several_names():
    sql = "SELECT issuer FROM papers WHERE type = 'receipt' AND currency = 'EUR'"
    plan = check(parse(sql), CATALOG, asking("euro receipts"))
    assert CATALOG.run(plan.sql)[1] == []
    assert len(CATALOG.run(plan.wider().sql)[1]) == 2
    assert check(parse("SELECT path FROM files"), CATALOG, asking("files")).wider() is None


def test_days_without_a_year_are_those_that_the_diary_has():
    condition = "mentions('swimming') AND during(date, 'March')"
    assert rows(f"SELECT count(*) FROM entries WHERE {condition}") == [(2,)]
    condition = "during(date, '1 March', '5 March')"
    (found,) = rows(f"SELECT date FROM entries WHERE {condition}")
    assert found == ("2024-03-04", "I went swimming with Ana.")  # which says more than the day


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("FIND", "no SELECT"),
        ("DROP TABLE files", "no SELECT"),
        ("SELECT * FROM sqlite_master", "no table sqlite_master"),
        ("SELECT count(*) FROM invoices", "no table invoices"),
        ("SELECT path FROM files WHERE colour = 'red'", "no column colour"),
        ("SELECT path FROM files WHERE kind = 'zebra'", "no folder zebra"),
        ("SELECT path FROM files WHERE under('Nowhere')", "no folder Nowhere"),
        ("SELECT path FROM files WHERE size > 'much'", "no size"),
        ("SELECT path FROM files WHERE during(modified, 'someday')", "no period"),
        ("SELECT path FROM papers WHERE issuer LIKE '%Acme%'", "does not speak of Acme"),
        ("SELECT path FROM papers WHERE total > 'a lot'", "no number"),
        ("SELECT path FROM files WHERE " + "(" * 200 + "1" + ")" * 200, "nested|read"),
        ("SELECT", "no table"),
    ],
)
def test_what_cannot_be_trusted_is_refused(sql, why):
    with pytest.raises(PlanError, match=why):
        rows(sql)


def test_a_plan_speaks_of_no_folder_that_the_question_does_not_name():
    sql = "SELECT path FROM files WHERE kind = 'picture' AND under('Arbeit')"
    with pytest.raises(PlanError, match="Arbeit"):
        rows(sql, "pictures")


def test_a_type_of_paper_that_nobody_has_is_no_word_to_look_for():
    sql = "SELECT path FROM papers WHERE type = 'contract'"
    found = check(parse(sql), CATALOG, asking("contracts"))
    assert found.empty == ["contract"]


def test_a_type_that_no_paper_has_stands_in_the_paper():
    question = "which papers are not about the Füllung?"
    found = rows("SELECT path FROM papers WHERE type != 'Füllung'", question)
    assert {path for path, _ in found} == {"Papers/airline.pdf", "Papers/shop.jpg"}


def test_the_year_that_a_question_names_has_an_end():
    found = rows("SELECT path FROM files WHERE modified >= '2023'", "What changed in 2023?")
    assert len(found) == 2


def test_a_file_is_known_by_the_words_of_its_name():
    found = rows("SELECT path FROM files WHERE path = 'plan-alt.pdf'", "How big is the alt plan?")
    assert found == [("Arbeit/Entwürfe/plan alt.pdf",)]


@pytest.mark.parametrize(("question", "plan"), examples())
def test_every_worked_example_can_be_run(question, plan):
    if plan == FIND:
        return
    try:
        rows(plan, question, before=f"without, {NAMED}", insists="without" in question)
    except PlanError as error:
        assert re.search(
            "no folder|no table sales|no entry has", str(error)
        )  # those of nobody's files


def test_the_examples_speak_several_languages():
    said = " ".join(question for question, _ in examples()).split()
    assert {"the", "wie", "quel", "¿Cuál", "Quanto", "wanneer"} <= set(said)


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT path FROM entries WHERE during(date, '4 March 2024')",
         [("Diary/2024.md", "I went swimming with Ana.")]),
        ("SELECT name, count(*) AS n FROM people WHERE mentions('swimming') GROUP BY name",
         [("Ana", 1)]),
        ("SELECT max(date) - min(date) FROM entries WHERE mentions('Ana')", [(151.0,)]),
    ],
)  # fmt: skip
def test_of_a_diary(sql, found):
    assert rows(sql) == found


@pytest.mark.parametrize(
    ("condition", "days"),
    [
        ("mentions('swimming') AND mentions('Ana')", 1),
        ("mentions('swimming') OR mentions('Ana')", 3),
        ("mentions('rain') AND mentions('dinner')", 0),
    ],
)
def test_what_happened_is_counted_by_its_days(condition, days):
    assert rows(f"SELECT count(*) FROM entries WHERE {condition}") == [(days,)]


@pytest.mark.parametrize(
    ("question", "sql", "found"),
    [
        ("total from Zahn", "SELECT sum(total) FROM papers WHERE issuer LIKE '%Zahn%' "
         "AND currency = 'USD'", 120.5),
        ("any MP3s or PDFs?", "SELECT count(*) FROM files WHERE kind IN ('audio', 'pdf')", 4),
        ("how many entries are there?", "SELECT count(*) FROM entries", 3),
        ("list what is in Papers", "SELECT path FROM files WHERE kind = 'bill'",
         "Papers/airline.pdf"),
        ("Who came for dinner?", "SELECT name FROM people WHERE mentions('dinner')", "2024-08-02"),
        ("deepest folder below Arbeit",
         "SELECT path FROM folders WHERE parent = 'Arbeit' ORDER BY depth DESC LIMIT 1",
         "Arbeit/Entwürfe"),
        ("bills of MYR or under 50", "SELECT count(*) FROM papers WHERE type = 'invoice' AND "
         "currency = 'EUR' OR currency = 'MYR' AND total < 50", 2),
        ("is there an invoice of Zahn?", "SELECT EXISTS(SELECT 1 FROM papers WHERE "
         "issuer LIKE '%Zahn%')", 1),
        ("which folder is the smallest?", "SELECT path, size FROM files ORDER BY size LIMIT 1",
         "Photos/Empty"),
        ("which bills lack a due date?", "SELECT issuer FROM papers WHERE type = 'bill' AND "
         "due IS NULL", "Air Fjord AS"),
        ("mail of 2024", "SELECT sender FROM messages WHERE during(date, '2024')",
         "Rosa Lind <rosa@lind.example>"),
        ("how many times as much did Zahn cost as Fjord?", "SELECT 1000 * sum(total) / (SELECT "
         "sum(total) FROM papers WHERE issuer LIKE '%Fjord%') FROM papers "
         "WHERE issuer LIKE '%Zahn%'", pytest.approx(388.7, abs=0.1)),
        ("bills of 2023", "SELECT count(*) FROM papers WHERE type = 'bill' AND year = '2023'", 1),
    ],
)  # fmt: skip
def test_what_is_meant_beyond_doubt_is_mended(question, sql, found):
    assert rows(sql, question)[0][0] == found


def test_a_diary_is_asked_for_all_that_the_question_says_of_it():
    sql = "SELECT count(*) FROM entries WHERE mentions('swimming')"
    assert rows(sql, "how often did I go swimming?") == [(2,)]
    assert rows(sql, "how often did I go swimming with Ana?") == [(1,)]


def test_a_plan_is_loose_where_no_note_has_all_that_is_asked():
    sql = "SELECT date, text FROM entries WHERE mentions('swimming')"
    assert not check(parse(sql), CATALOG, asking("When did I swim with Ana?")).loose
    assert check(parse(sql), CATALOG, asking("When did I swim with Tom?")).loose


def test_several_things_that_are_asked_for_at_once_are_one():
    sql = "SELECT text FROM entries WHERE mentions('swimming') AND mentions('ana')"
    assert rows(sql, "with Ana I went swimming") == [("I went swimming with Ana.",)]


def test_a_name_in_an_alternative_is_no_folders():
    assert paths("name LIKE '%Photos%' OR name LIKE '%plan%'") == ["plan alt.pdf", "plan.pdf"]


def test_where_no_note_mentions_it_all_notes_of_those_days_may_be_told():
    sql = "SELECT text FROM entries WHERE mentions('dancing') AND during(date, 'August 2024')"
    asked = "did I go dancing in August 2024?"
    with pytest.raises(UnknownWordsError, match="no entry has “dancing”"):
        check(parse(sql), CATALOG, asking(asked))
    plan = check(parse(sql), CATALOG, asking(asked), insists=True)
    assert CATALOG.run(plan.sql)[1] == []
    assert [text for (text,) in CATALOG.run(plan.wider().sql)[1]] == [
        "Ana and Tom came for dinner."
    ]
    sql = sql.replace("text", "count(*)", 1)
    counted = check(parse(sql), CATALOG, asking("August 2024"), insists=True)
    assert counted.wider() is None


def test_a_kind_that_nobody_named_is_known_as_such():
    sql = "SELECT path FROM files WHERE kind = 'audio'"
    assert check(parse(sql), CATALOG, asking("where does the left motor go?")).unsaid
    assert not check(parse(sql), CATALOG, asking("any mp3s?")).unsaid


def test_a_folder_is_asked_as_one():
    assert rows("SELECT size FROM files WHERE path = 'photos'", "size of Photos") == [(600_000,)]
    counted = rows("SELECT count(*) FROM files WHERE path = 'Photos'", "how many in Photos")
    assert counted == [(2,)]
