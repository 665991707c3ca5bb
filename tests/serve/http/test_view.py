"""A file's text around a place that was cited, and the picture of its page."""

from __future__ import annotations

import http.client
import io
import os

import pytest
from PIL import Image
from reportlab.pdfbase.pdfmetrics import stringWidth

from serve.test_http_ask import problem

from .conftest import HOSTILE, LONG


def view(server, path, **params):
    got = server.client.get(f"{server.library}/view", params={"path": path} | params)
    assert got.status_code == 200, got.text
    return got.json()


def marked(seen):
    return [seen["text"][start:end] for start, end in seen["marks"]]


# -- pages -------------------------------------------------------------------------------------


def test_a_page_of_a_pdf_with_the_lines_that_were_quoted(shelf):
    seen = view(shelf, "report.pdf", page=3, quote="rent of the hall:   410.00 EUROS")
    assert marked(seen) == ["Rent of the hall: 410.00 euros"]
    assert (seen["kind"], seen["format"]) == ("pdf", "pdf")
    assert (seen["page"], seen["pages"], seen["first_line"]) == (3, 3, 1)
    assert seen["indexed"]
    (box,) = seen["boxes"]
    left, top, right, bottom = box
    assert left == pytest.approx(30 / 400, abs=0.02)
    assert top < 1 - 260 / 300 < bottom + 0.02
    assert right > left + 0.3


def test_a_word_that_is_cut_at_the_end_of_a_line_is_found_whole(shelf):
    seen = view(shelf, "report.pdf", quote="The treasurer was discharged unanimously.")
    assert seen["page"] == 2
    (text,) = marked(seen)
    assert text.startswith("The treasurer was dis")
    assert text.endswith("unanimously.")
    assert len(seen["boxes"]) == 2


def test_signs_of_quotation_do_not_matter(shelf):
    seen = view(shelf, "report.pdf", quote='"the "roof" was mended')
    assert (seen["page"], marked(seen)) == (3, ["The “roof” was mended"])


def test_without_a_place_it_is_the_first_page_even_one_without_words(shelf):
    seen = view(shelf, "report.pdf")
    assert (seen["page"], seen["pages"], seen["text"]) == (1, 3, "")
    assert seen["marks"] == seen["boxes"] == []
    assert view(shelf, "report.pdf", page=2)["text"].startswith("Annual report")


def test_lines_are_marked_where_the_quotation_is_not_there(shelf):
    seen = view(shelf, "report.pdf", page=3, quote="nothing of that kind", line=2)
    assert marked(seen) == ["The “roof” was mended in May."]
    assert len(seen["boxes"]) == 1
    assert view(shelf, "report.pdf", page=3, quote="nothing of that kind")["marks"] == []
    assert view(shelf, "report.pdf", page=3, line=77)["marks"] == []


@pytest.mark.parametrize("path", ["report.pdf", "long.txt", "plan.png", "budget.xlsx"])
def test_a_page_out_of_range_is_not_found(shelf, path):
    got = shelf.client.get(f"{shelf.library}/view", params={"path": path, "page": 4})
    assert problem(got, 404)["code"] == "not_found"


# -- text --------------------------------------------------------------------------------------


def test_of_a_long_text_what_is_around_the_line(shelf):
    seen = view(shelf, "long.txt", line=800, line_end=801)
    assert (seen["kind"], seen["page"], seen["pages"]) == ("text", None, 1)
    assert marked(seen) == ["\n".join(LONG.split("\n")[799:801])]
    assert len(seen["text"]) <= 60_000
    assert seen["more_before"]
    assert seen["more_after"]
    lines = LONG.split("\n")[seen["first_line"] - 1 :]
    assert lines[: seen["text"].count("\n") + 1] == seen["text"].split("\n")


def test_both_ends_of_a_long_text(shelf):
    start = view(shelf, "long.txt")
    assert (start["first_line"], start["more_before"], start["more_after"]) == (1, False, True)
    end = view(shelf, "long.txt", line=1600)
    assert (end["more_before"], end["more_after"]) == (True, False)
    assert end["text"].endswith(LONG.split("\n")[-1])


def test_a_quotation_is_found_far_from_the_lines_it_was_said_to_be_on(shelf):
    quote = "On day 1599 the kettle of room 11193 was descaled by hand."
    for place in ({}, {"line": 3}):
        seen = view(shelf, "long.txt", quote=quote, **place)
        assert marked(seen) == [quote]


def test_of_several_places_the_one_nearest_to_the_line(shelf):
    seen = view(shelf, "long.txt", quote="was descaled by hand", line=900)
    before = seen["text"][: seen["marks"][0][0]]
    assert before.count("\n") + seen["first_line"] == 900


def test_where_only_a_part_stands_there_that_is_marked(shelf):
    quote = "We say that on day 77 the kettle of room 539 was descaled by machine, not at all"
    seen = view(shelf, "long.txt", quote=quote)
    assert marked(seen) == ["On day 77 the kettle of room 539 was descaled by"]


def test_hostile_text_is_nothing_but_text(shelf):
    seen = view(shelf, "hostile.md", quote=HOSTILE)
    assert HOSTILE in seen["text"]
    assert marked(seen) == [HOSTILE]
    got = shelf.client.get(f"{shelf.library}/view?path=hostile.md")
    assert got.headers["content-type"] == "application/json"
    assert got.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert view(shelf, "hostile.md", line=6)["marks"][0][1] > 0


@pytest.mark.parametrize("quote", ["", "   ", "***", "…", "\x00", "\u202e", "a" * 1000, "(" * 1000])
def test_a_quotation_that_says_nothing_marks_nothing(shelf, quote):
    assert view(shelf, "long.txt", quote=quote)["marks"] == []


def test_a_quotation_of_a_hundred_thousand_characters_is_refused_at_once(shelf):
    for size in (1001, 10_000, 100_000):
        link = http.client.HTTPConnection(shelf.client.base_url.netloc.decode())
        link.request("GET", f"{shelf.library}/view?path=long.txt&quote={'a' * size}")
        assert 400 <= link.getresponse().status < 500
        link.close()
    assert shelf.client.get("/health").status_code == 200


# -- mails, sheets, pictures, what was not read ---------------------------------------------------


def test_a_mail_and_a_table_as_text(shelf):
    mail = view(shelf, "2024-03-05 key.eml", quote="hangs behind the door")
    assert (mail["kind"], mail["title"]) == ("mail", "The key of the cellar")
    assert mail["date"] == "2024-03-05"
    assert mail["text"].startswith("Subject: The key of the cellar\nFrom: Mara")
    assert marked(mail) == ["hangs behind the door"]
    table = view(shelf, "readings.csv", line=2)
    assert (table["kind"], marked(table)) == ("sheet", ["2024-01-01,11"])


def test_a_workbook_by_its_sheets(shelf):
    first = view(shelf, "budget.xlsx")
    assert (first["kind"], first["page"], first["label"]) == ("sheet", 1, "Costs 2024")
    found = view(shelf, "budget.xlsx", quote="Roof repair")
    assert (found["page"], found["pages"], found["label"]) == (3, 3, "Plan")
    assert "9300" in found["text"]
    assert view(shelf, "budget.xlsx", page=2)["text"] == ""


def test_a_picture_with_its_words_and_where_they_are(shelf):
    seen = view(shelf, "plan.png", quote="kitchen")
    assert (seen["kind"], seen["page"], seen["pages"]) == ("image", None, 1)
    assert [text.lower() for text in marked(seen)] == ["kitchen"]
    (box,) = seen["boxes"]
    assert all(0 <= side <= 1 for side in box)
    assert box[2] - box[0] < 0.5
    assert view(shelf, "plan.png", page=1)["text"] == seen["text"]


def test_what_was_not_read_says_why(shelf):
    for path, kind in (("bad.pdf", "pdf"), ("bundle.zip", "text")):
        for place in ({}, {"page": 1, "quote": "anything", "line": 3}):
            seen = view(shelf, path, **place)
            assert (seen["indexed"], seen["text"], seen["kind"]) == (False, "", kind)
            assert seen["reason"]
            assert seen["marks"] == seen["boxes"] == []


@pytest.mark.parametrize(
    ("query", "status"),
    [("path=no.pdf", 404), ("", 422), ("path=long.txt&page=0", 422), ("path=long.txt&line=0", 422),
     ("path=long.txt&line=x", 422), ("path=../hostile.md", 404)],
)  # fmt: skip
def test_a_view_of_nothing_is_refused(shelf, query, status):
    problem(shelf.client.get(f"{shelf.library}/view?{query}"), status)


# -- words of a page, tables of a sheet -----------------------------------------------------------


def asked(server, what, path, **params):
    got = server.client.get(f"{server.library}/{what}", params={"path": path} | params)
    assert got.status_code == 200, got.text
    return got.json()


def test_the_words_of_a_page_have_their_places_and_those_quoted_are_marked_alone(shelf):
    seen = asked(shelf, "words", "report.pdf", page=3, quote="410.00 euros")
    texts = [[word["text"] for word in line["words"]] for line in seen["lines"]]
    assert texts[0] == ["Rent", "of", "the", "hall:", "410.00", "euros"]
    (box,) = seen["boxes"]
    hall, amount = seen["lines"][0]["words"][3:5]
    assert box[0] == pytest.approx(amount["left"], abs=0.001)
    assert 30 / 400 < hall["right"] < box[0]
    width = stringWidth("Rent of the hall: ", "Helvetica", 12)
    assert amount["left"] == pytest.approx((30 + width) / 400, abs=0.005)


def test_the_words_of_a_picture_are_marked_too(shelf):
    (box,) = asked(shelf, "words", "plan.png", quote="kitchen")["boxes"]
    assert box[2] - box[0] < 0.5
    assert asked(shelf, "words", "blue.tiff") == {"lines": [], "boxes": []}


def test_a_sheet_as_a_table_with_the_names_of_all(shelf):
    seen = asked(shelf, "sheet", "budget.xlsx", quote="Roof repair")
    assert (seen["page"], seen["sheets"]) == (3, ["Costs 2024", None, "Plan"])
    (table,) = seen["tables"]
    assert (table["columns"], table["rows"][0]["cells"]) == (
        ["Item", "Euros"],
        ["Roof repair", "9300"],
    )
    mark = {"table": 0, "row": 0, "column": 0, "start": 0, "end": 11}
    assert (seen["marks"], seen["quoted"]) == ([mark], True)
    readings = asked(shelf, "sheet", "readings.csv", line=2)
    assert [row["line"] for row in readings["tables"][0]["rows"]] == [2, 3]
    assert len(readings["marks"]) == 2
    problem(shelf.client.get(f"{shelf.library}/sheet?path=budget.xlsx&page=9"), 404)


def test_what_was_read_of_a_file_is_given_though_it_changed_or_went(shown, shelf):
    path = shown / "readings.csv"
    before, times = path.read_bytes(), path.stat()
    assert view(shelf, "readings.csv")["state"] == "same"
    try:
        path.write_text("nothing of the kind", "utf-8")
        seen = view(shelf, "readings.csv", quote="2024-01-01,11")
        assert (seen["state"], marked(seen), seen["quoted"]) == ("changed", ["2024-01-01,11"], True)
        path.unlink()
        assert view(shelf, "readings.csv", quote="2024-01-01,11")["state"] == "gone"
        assert asked(shelf, "find", "readings.csv", words="2024-02")["places"]
        got = shelf.client.get(f"{shelf.library}/files/content?path=readings.csv")
        problem(got, 404)
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


# -- pictures of pages ----------------------------------------------------------------------------


def picture(server, path, **params):
    return server.client.get(f"{server.library}/pages", params={"path": path} | params)


@pytest.mark.parametrize(
    ("path", "size"), [("blue.tiff", (200, 100)), ("tall.png", (67, 200)), ("plan.png", None)]
)
def test_a_picture_file_of_any_format_is_drawn(shelf, path, size):
    got = picture(shelf, path, width=200)
    assert got.headers["content-type"] == "image/jpeg"
    drawn = Image.open(io.BytesIO(got.content))
    assert max(drawn.size) == 200
    assert size is None or drawn.size == size
    assert picture(shelf, path, width=200, page=1).content == got.content
    problem(picture(shelf, path, page=2), 404)


def test_a_page_without_words_is_drawn_too(shelf):
    assert picture(shelf, "report.pdf", page=1).headers["content-type"] == "image/png"
    assert picture(shelf, "report.pdf", page=3).status_code == 200
    problem(picture(shelf, "report.pdf", page=4), 404)


def test_other_files_are_not_drawn(shelf):
    for path in ("long.txt", "budget.xlsx", "bundle.zip"):
        problem(picture(shelf, path), 404)


def test_words_are_found_where_they_stand(shelf):
    def found(path, words):
        asked = {"path": path, "words": words}
        got = shelf.client.get(f"{shelf.library}/find", params=asked)
        assert got.status_code == 200, got.text
        return [(p["page"], p["line"], p["quote"]) for p in got.json()["places"]]

    assert found("report.pdf", "discharged") == [(2, 2, "discharged")]
    assert found("report.pdf", "HALL")[0][0] == 3
    assert len(found("long.txt", "kettle")) == 500
    assert found("hostile.md", "alert")
    assert found("bad.pdf", "rent") == []
    missing = {"path": "no.txt", "words": "x"}
    problem(shelf.client.get(f"{shelf.library}/find", params=missing), 404)
