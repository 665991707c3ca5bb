"""Office files, books, HTML and mail."""

from __future__ import annotations

import zipfile
from datetime import date, datetime
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pytest

from manole.documents.model import Status
from reading_here import read_document


@pytest.fixture
def read(settings):
    return lambda path: read_document(path, settings)


def test_a_letter_keeps_headings_and_tables_and_no_escapes(read, letter):
    document = read(letter)
    assert (document.status, document.format, document.title) == (Status.INDEXED, "docx", "Lease")
    (page,) = document.pages
    assert page.number is None
    assert "# Contract\n\nBetween A & B (both adults)." in page.text
    assert "## Term\n\nThe lease runs for 24 months!" in page.text
    assert "| 120_EUR | May |" in page.text


def test_a_letter_keeps_ampersands_and_angle_brackets(read, tmp_path):
    file = docx.Document()
    file.add_paragraph('R&D <draft> at Smith & Sons: 5 > 3 "quoted"')
    file.sections[0].header.paragraphs[0].text = "Q&A head"
    file.save(tmp_path / "a.docx")
    text = read(tmp_path / "a.docx").pages[0].text
    assert 'R&D <draft> at Smith & Sons: 5 > 3 "quoted"' in text
    assert "Q&A head" in text


def test_each_sheet_is_a_page_with_its_name(read, workbook):
    document = read(workbook)
    assert [(page.number, page.label) for page in document.pages] == [
        (1, "Budget 2024"), (2, "Trips"),
    ]  # fmt: skip
    assert document.pages[0].text.split("\n") == [
        "| Item | Cost |", "| --- | --- |", "| Rent | 900 |", "| ## Food! | 310.5 |",
    ]  # fmt: skip
    assert "| Sinaia | 4 |" in document.pages[1].text


def test_days_in_sheets_have_no_time(read, tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["Day", "Moment"])
    book.active.append([date(2024, 1, 31), datetime(2024, 1, 31, 14, 30)])
    book.save(tmp_path / "a.xlsx")
    text = read(tmp_path / "a.xlsx").pages[0].text
    assert text.endswith("| 2024-01-31 | 2024-01-31 14:30:00 |")


def test_each_slide_is_a_page_with_its_notes(read, deck):
    document = read(deck)
    assert [page.number for page in document.pages] == [1, 2]
    assert "Plans" in document.pages[0].text
    assert document.pages[0].text.endswith("Notes: Ask Irina for brushes")
    assert "About 80 EUR" in document.pages[1].text
    assert "Notes:" not in document.pages[1].text


def test_slides_that_kreuzberg_refuses_are_read_all_the_same(read, deck, tmp_path):
    broken = tmp_path / "broken.pptx"
    picture = (
        b'<p:pic><p:nvPicPr><p:cNvPr id="9" name="x"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>'
        b'<p:blipFill><a:stretch/></p:blipFill><p:spPr/></p:pic></p:spTree>'
    )  # fmt: skip
    with zipfile.ZipFile(deck) as old, zipfile.ZipFile(broken, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "ppt/slides/slide1.xml":
                data = data.replace(b"</p:spTree>", picture)
            new.writestr(name, data)
    document = read(broken)
    assert document.status is Status.INDEXED
    assert [page.number for page in document.pages] == [1, 2]
    assert "## Plans\n\nPaint the fence" in document.pages[0].text


ODF = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0">'
    "<office:body>%s</office:body></office:document-content>"
)


def opendocument(path: Path, body: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("content.xml", ODF % body)
    return path


def test_opendocument_text_keeps_formatted_words(read, tmp_path):
    body = (
        '<office:text><text:h text:outline-level="2">Rent</text:h>'
        "<text:p>Due <text:span>every <text:span>month</text:span></text:span><text:tab/>in May"
        "<office:annotation><text:p>private remark</text:p></office:annotation>.</text:p>"
        "<text:list><text:list-item><text:p>water</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>Fee</text:p></table:table-cell>"
        "<table:table-cell><text:p>A|B</text:p></table:table-cell></table:table-row></table:table>"
        "</office:text>"
    )
    (page,) = read(opendocument(tmp_path / "a.odt", body)).pages
    assert page.text == (
        "## Rent\n\nDue every month in May.\n\n- water\n\n| Fee | A\\|B |\n| --- | --- |"
    )


def test_opendocument_slides_are_pages(read, tmp_path):
    body = (
        '<office:presentation><draw:page draw:name="One"><text:p>first</text:p></draw:page>'
        '<draw:page draw:name="Two"><text:p>second</text:p></draw:page></office:presentation>'
    )
    document = read(opendocument(tmp_path / "a.odp", body))
    assert [(p.number, p.label, p.text) for p in document.pages] == [
        (1, "One", "first"), (2, "Two", "second"),
    ]  # fmt: skip


def test_html_gives_what_a_reader_sees(read, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(
        "<html><head><title>Soup &amp; more</title><style>p{color:red}</style>"
        "<script>var hidden1=1</script></head><body><!-- hidden2 --><h1>Soup</h1>"
        "<p hidden>hidden3</p><p style='display:none'>hidden4</p><p>Cook a_b * 18 min!</p>"
        "<ul><li>250 g lentils</li></ul></body></html>"
    )
    document = read(path)
    assert document.title == "Soup & more"
    assert document.pages[0].text == "# Soup\n\nCook a_b * 18 min!\n\n- 250 g lentils"


def test_the_head_of_a_page_is_no_text_but_tells_title_and_date(read, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(
        "<html><head><base href='http://b/'><title>My\n page</title>"
        '<meta name="author" content="Ann"><meta name="keywords" content="a,b">'
        '<meta property="article:published_time" content="2021-05-04T10:00:00Z">'
        '<link rel="canonical" href="http://x/y"></head><body><p>Body text</p></body></html>'
    )
    document = read(path)
    assert document.pages[0].text == "Body text"
    assert (document.title, document.metadata["author"]) == ("My page", "Ann")
    assert (str(document.date), document.date_source) == ("2021-05-04", "metadata")


def test_links_of_tracking_length_keep_their_words_only(read, tmp_path):
    path = tmp_path / "page.html"
    long = "http://t.example/?u=" + "a1b2" * 60
    path.write_text(
        f'<p><a href="{long}">Pay now</a> or <a href="http://b.example/c">later</a></p>'
    )
    assert read(path).pages[0].text == "Pay now or [later](http://b.example/c)"


def test_html_nested_deeper_than_any_parser_goes_is_still_read(read, tmp_path):
    path = tmp_path / "deep.html"
    path.write_text("<div>" * 50_000 + "deep words<script>no</script>" + "</div>" * 50_000)
    assert read(path).pages[0].text == "deep words"


def test_backslashes_in_code_stay(read, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(r"<p>a_b! 1.</p><pre><code>re.sub('\.\(x\)')</code></pre>")
    text = read(path).pages[0].text
    assert "a_b! 1." in text
    assert r"re.sub('\.\(x\)')" in text


def test_html_in_another_encoding_is_read(read, tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(
        "<html><body><p>Grüße aus Köln, größte Straße</p></body></html>".encode("cp1252")
    )
    assert read(path).pages[0].text == "Grüße aus Köln, größte Straße"


def mail(**headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in headers.items():
        message[name] = value
    return message


def test_a_mail_starts_with_its_headers_and_keeps_its_lines(read, tmp_path):
    message = mail(Subject="Heating – off", From="Landlord <l@example.org>", To="me@example.org",
                   Date="Tue, 09 Jan 2024 10:12:00 +0100")  # fmt: skip
    message.set_content("Dear tenant,\n\n- 8:00\n- 12:00\n")
    message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="plan.pdf")
    path = tmp_path / "m.eml"
    path.write_bytes(bytes(message))
    document = read(path)
    assert document.pages[0].text == (
        "Subject: Heating – off\nFrom: Landlord <l@example.org>\nTo: me@example.org\n"
        "Date: Tue, 09 Jan 2024 10:12:00 +0100\nAttachments: plan.pdf\n\n"
        "Dear tenant,\n\n- 8:00\n- 12:00"
    )
    assert document.title == "Heating – off"
    assert (str(document.date), document.date_source) == ("2024-01-09", "metadata")
    assert document.metadata["attachments"] == "plan.pdf"


def test_a_mail_in_html_only_is_made_plain(read, tmp_path):
    message = mail(Subject="Hi")
    message.set_content("<p>Hello <b>you</b></p><!-- hidden -->", subtype="html")
    path = tmp_path / "m.eml"
    path.write_bytes(bytes(message))
    assert read(path).pages[0].text == "Subject: Hi\n\nHello **you**"


def test_a_mail_with_plain_and_html_is_read_once(read, tmp_path):
    message = mail(Subject="Hi")
    message.set_content("Hello you")
    message.add_alternative("<p>Hello you</p>", subtype="html")
    path = tmp_path / "m.eml"
    path.write_bytes(bytes(message))
    assert read(path).pages[0].text.count("Hello you") == 1


def test_a_mail_with_unknown_charset_is_read(read, tmp_path):
    path = tmp_path / "m.eml"
    path.write_bytes(
        b"Subject: x\nContent-Type: text/plain; charset=no-such\n\nGr\xc3\xbc\xc3\x9fe\n"
    )
    assert "Grüße" in read(path).pages[0].text


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.pptx", "a.odt", "a.epub", "a.ods"])
def test_a_cut_archive_fails_with_a_reason(read, tmp_path, letter, name):
    path = tmp_path / name
    path.write_bytes(letter.read_bytes()[:-3000])
    document = read(path)
    assert document.status is Status.FAILED
    assert document.reason.startswith("broken ")


def test_an_encrypted_office_file_is_named_so(read, tmp_path):
    path = tmp_path / "a.docx"
    name = "EncryptedPackage".encode("utf-16-le")
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + name + b"\0" * 600)
    document = read(path)
    assert (document.status, document.reason) == (Status.FAILED, "protected by a password")
