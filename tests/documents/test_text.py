"""Plain text: the file's own lines, in whatever encoding."""

from __future__ import annotations

import codecs
from dataclasses import replace

import pytest

from manole.documents.model import Status
from reading_here import read_document

GERMAN = "Grüße aus Köln: die Straße ist für Fußgänger geöffnet, außer sonntags.\n" * 8
RUSSIAN = "Договор аренды заключён в Москве. Срок действия договора два года.\n" * 8
JAPANESE = "契約書は東京で作成されました。家賃は毎月十万円です。\n" * 8


@pytest.fixture
def read(tmp_path, settings):
    def read(data: bytes | str, name: str = "file.txt", **limits):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read_document(path, replace(settings, **limits))

    return read


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"), (GERMAN, "utf-8-sig"), (GERMAN, "utf-16"), (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"), (GERMAN, "utf-32"), (GERMAN, "utf-32-le"), (GERMAN, "cp1252"),
        (RUSSIAN, "cp1251"), (RUSSIAN, "utf-16-le"), (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"), (JAPANESE, "utf-8"),
    ],
)  # fmt: skip
def test_every_usual_encoding_is_read(read, text, encoding):
    document = read(text.encode(encoding))
    assert (document.status, document.pages[0].text) == (Status.INDEXED, text)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Rechnung Nr. 77 über 1.234,56 EUR für Bürobedarf, Straße 5", "latin-1"),
        ("Müller, Straße 5, Köln. Größe: 5 m²", "cp1252"),
        ("Umowa najmu została zawarta w Łodzi dnia trzeciego maja", "cp1250"),
        ("请款单 金额 人民币 88 元 北京", "gb18030"),
        ("請求書 合計 12,300円 東京", "shift_jis"),
        ("임대 계약서 서울특별시", "euc_kr"),
        ("租賃契約 台北市 發票金額", "big5"),
    ],
)
def test_one_line_is_enough_to_tell_an_encoding(read, text, encoding):
    assert read(text.encode(encoding)).pages[0].text == text


def test_the_page_is_the_file_itself(read):
    text = "one\n\n  two\t2\nthree"
    document = read(text)
    assert [page.text for page in document.pages] == [text]
    assert document.pages[0].number is None
    assert document.format == "text"


def test_line_ends_are_made_one_kind_and_keep_their_number(read):
    assert read("a\r\nb\rc\n\r\nd").pages[0].text == "a\nb\nc\n\nd"


def test_a_file_cut_inside_a_character_keeps_the_rest(read):
    document = read(("für " * 50).encode()[:-3] + "ü".encode()[:1])
    assert document.pages[0].text.startswith("für für")
    assert document.status is Status.INDEXED


def test_utf8_with_a_few_broken_bytes_stays_utf8(read):
    document = read("Grüße, größer, süß und schön. ".encode() * 5 + b"\xff ende")
    assert document.pages[0].text.count("Grüße") == 5


def test_a_binary_with_a_text_name_fails_with_the_reason(read):
    document = read(bytes(range(256)) * 40)
    assert document.status is Status.FAILED
    assert document.reason == "binary content, though named .txt"
    assert document.pages == ()


def test_a_log_with_a_run_of_zero_bytes_is_still_read(read):
    document = read(b"started\n" * 500 + b"\x00" * 40 + b"\nstopped\n", "run.log")
    assert document.status is Status.INDEXED
    assert document.pages[0].text.count("\n") == 502
    assert "\x00" not in document.pages[0].text


@pytest.mark.parametrize(
    ("data", "status", "reason"),
    [
        (b"", Status.SKIPPED, "empty file"),
        (b" \n\t\n", Status.SKIPPED, "no text inside"),
        (codecs.BOM_UTF8, Status.SKIPPED, "no text inside"),
    ],
)
def test_files_without_text_are_skipped(read, data, status, reason):
    document = read(data)
    assert (document.status, document.reason) == (status, reason)


def test_too_much_text_is_read_in_part(read):
    document = read("word " * 1000, max_chars=1000)
    assert document.status is Status.PARTIAL
    assert document.reason == "only the first 1,000 characters were read"
    assert len(document.pages[0].text) == 1000


def test_a_file_over_the_size_limit_is_not_even_opened(read, tmp_path, settings):
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(5 * 1024**3)
    document = read_document(path, settings)
    assert document.status is Status.SKIPPED
    assert document.reason == "larger than 512 MB (5,369 MB)"


def test_front_matter_gives_title_and_date_and_stays_in_the_text(read):
    text = "---\ntitle: 'A walk'\ndate: 2021-06-01\ntags:\n  - x\n---\n\n# Other\n"
    document = read(text, "walk.md")
    assert document.title == "A walk"
    assert (str(document.date), document.date_source) == ("2021-06-01", "front matter")
    assert document.pages[0].text == text


def test_the_first_heading_is_markdowns_title(read):
    assert read("intro\n\n# Lentil soup #\n\n## Steps\n", "soup.md").title == "Lentil soup"


@pytest.mark.parametrize(
    ("name", "format_"),
    [("a.py", "code"), ("a.CSV", "csv"), ("Makefile", "code"), ("README", "text"),
     ("a.xyz", "text"), ("notes", "text"), ("b.vtt", "vtt"), ("b.jsonl", "jsonl")],
)  # fmt: skip
def test_many_names_are_text(read, name, format_):
    assert read("plain words\n", name).format == format_


def test_text_never_holds_lone_surrogates(read):
    data = codecs.BOM_UTF16_LE + "a\ud800b".encode("utf-16-le", "surrogatepass") * 20
    assert read(data).pages[0].text.encode("utf-8")
