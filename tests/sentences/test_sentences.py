"""Sentences are said in another language where they reach a person, and stay what they were."""

from __future__ import annotations

import pytest

from manole import sentences
from manole.sentences import accepted, said, speaking


@pytest.fixture(autouse=True)
def german():
    with speaking("de"):
        yield


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("There is no folder /tmp/x.", "Den Ordner /tmp/x gibt es nicht."),
        ("/x cannot be read: Permission denied.", "/x ist nicht lesbar: Zugriff verweigert."),
        ("larger than 1,000 MB (2,000 MB)", "größer als 1.000 MB (2.000 MB)"),
        ("index: 1.5 GB", "index: 1.5 GB"),  # no sentence of ours
        (
            "This turn is not saved. There is no space left for /x. Free some, and try again.",
            "Diese Frage wird nicht aufbewahrt. Für /x ist kein Platz mehr. "
            "Platz schaffen und noch einmal versuchen.",
        ),
        (
            "Another process is writing the index a. Searching without the model.",
            "Ein anderer Prozess schreibt gerade den Index a. Gesucht wird ohne das Modell.",
        ),
        (
            "only 3 of 1,200 pages read: took longer than 6 s; 2 of 3 pages are scans without text",
            "nur 3 von 1.200 Seiten gelesen: dauerte länger als 6 s; "
            "2 von 3 Seiten sind Scans ohne Text",
        ),
        (
            "read as: papers, issuer = “A, B”, date ≥ “2024-01-01”; total added up",
            "verstanden als: Schriftstücke, Aussteller = „A, B“, Datum ≥ „2024-01-01“; "
            "zusammengezählt: Betrag",
        ),
        ("asks about spring (1 March 2024 to 31 May 2024)",
         "gefragt ist nach spring (1. März 2024 bis 31. Mai 2024)"),
        ("There are no files in Tom and Jerry.", "Es gibt keine Dateien in Tom and Jerry."),
    ],
)  # fmt: skip
def test_is_said_in_german(text: str, told: str) -> None:
    assert said(text) == told


@pytest.mark.parametrize(
    "name",
    [
        "no text inside",
        "files",
        "There is no index yet.",
        "a; b",
        "1,234",
        "{n} files",
        "“",
        "a\nb",
    ],
)
def test_a_name_in_a_sentence_stays_what_it_is(name: str) -> None:
    assert name in said(f"There is no folder /{name}.")


def test_a_text_that_nobody_knows_stays(recwarn: pytest.WarningsRecorder) -> None:
    for text in ("", "Hello.", "Hello. Bye.", "a; b", "x" * 5000, "; ", ". . .", "\x00", "{why!t}"):
        assert said(text) == text


def test_a_hostile_name_takes_no_time() -> None:
    """Seconds are not asserted: it would be minutes if values could be cut anywhere."""
    for sign in (", ", " or ", ". A", "; ", ": ", "“", " and "):
        said(f"There is no folder /{sign * 400}.")


@pytest.mark.parametrize(
    "text",
    [
        "x or " + "“a” " * 20,
        "x or " + "“a” " * 400,
        "“" * 1900,
        "x and “" + "” “" * 600,
        " (from ): = " * 150,
        "a = b (from c): " * 120,
        "a: b in c of d: " * 120,
        "Not now: " + "x. " * 600,
        "x. y; " * 300,
        "Permission denied. " * 100_000,
    ],
)
def test_a_hostile_text_takes_no_time(text: str) -> None:
    """Seconds are not asserted: it would be minutes if ends were tried with each other."""
    told = said(text)
    assert [told.count(sign) for sign in "“”x"] == [text.count(sign) for sign in "“”x"]


@pytest.mark.parametrize("deep", [2, 8, 200])
def test_values_in_values_end_somewhere(deep: int) -> None:
    text = "(" * deep + "x" + ")" * deep
    assert said(f"Not now: {text}").endswith(text)
    assert said("Not now: " * deep + "no text inside").startswith("Nicht jetzt: ")


@pytest.mark.parametrize(
    "text",
    [
        "He said “There is no index yet. Choose one of them.”",
        "He said “x; no text inside; y”",
        "x or “no text inside”",
        "Its words: “a. There is no folder /x. b”; “no text inside”",
    ],
)
def test_what_is_quoted_is_not_looked_into(text: str) -> None:
    assert said(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("There are: weights, tax.", "Es gibt: weights, tax."),
        ("There are: none.", "Es gibt: keine."),
        ("Known are tax, total.", "Bekannt sind tax, total."),
        ("Did you mean tax or total?", "Gemeint vielleicht: tax oder total?"),
        ("tax: 3 files, 1.5 MB", "tax: 3 Dateien, 1,5 MB"),
        ("pictures: 3 files, 1.5 MB", "gelesene Bilder: 3 Dateien, 1,5 MB"),
        ("There is no folder 1.5 s.", "Den Ordner 1.5 s gibt es nicht."),
        ("There are no files in weights, tax.", "Es gibt keine Dateien in weights, tax."),
        ("There are no files in tax, from 2024-01-01 to 2024-02-01.",
         "Es gibt keine Dateien in tax, von 2024-01-01 bis 2024-02-01."),
        ("m looks at tax, page 2.", "m sieht sich tax, Seite 2 an."),
    ],
)  # fmt: skip
def test_names_are_no_words(text: str, told: str) -> None:
    assert said(text) == told


def test_english_is_as_it_was() -> None:
    with speaking("en"):
        assert said("There is no folder /x.") == "There is no folder /x."


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.5", "de"), ("en-GB,de;q=0.9", "en"),
        ("fr,de;q=0.3", "de"), ("de;q=0,en", "en"), ("en;q=0.1,de;q=0.8", "de"), ("*", "en"),
        ("de;q=x", "de"), (";;,,q=", "en"), ("fr", "en"),
    ],
)  # fmt: skip
def test_a_header_is_understood(header: str, language: str) -> None:
    assert accepted(header) == language


@pytest.mark.parametrize(
    ("names", "language"),
    [
        ({}, "en"), ({"LANG": "de_DE.UTF-8"}, "de"), ({"LANG": "de_DE", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "de_AT"}, "de"), ({"LANG": "fr_FR"}, "en"),
    ],
)  # fmt: skip
def test_a_terminal_has_the_language_of_its_locale(
    monkeypatch: pytest.MonkeyPatch, names: dict[str, str], language: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    assert sentences.of_environment() == language
