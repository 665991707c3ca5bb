"""A document's own date."""

from __future__ import annotations

from datetime import date

import pytest

from manole.documents.dates import document_date, timestamp


def found(name="note.txt", text="", **metadata):
    return document_date(name, text, metadata)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2023-03-15 letter.pdf", date(2023, 3, 15)),
        ("IMG_20230115_101500.jpg", date(2023, 1, 15)),
        ("invoice_2024_02_03.pdf", date(2024, 2, 3)),
        ("Rechnung 03.02.2024.pdf", date(2024, 2, 3)),
        ("minutes 15 March 2023.docx", date(2023, 3, 15)),
        ("statement-2023-07.pdf", date(2023, 7, 1)),
        ("Budget März 2022.xlsx", date(2022, 3, 1)),
        ("budget 2022.xlsx", None),
        ("model 12345678.txt", None),
        ("2023-13-45.txt", None),
    ],
)
def test_dates_in_file_names(name, expected):
    assert found(name) == ((expected, "file name") if expected else None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ACME\nInvoice date: 15 March 2023\nTotal 4", date(2023, 3, 15)),
        ("Datum: 03.02.2024", date(2024, 2, 3)),
        ("Facture n° 2\nDate : 28/11/2022", date(2022, 11, 28)),
        ("Factuurdatum: 29 maart 2014", date(2014, 3, 29)),
        ("Bucharest, March 3rd, 2021\n\nDear Ana", date(2021, 3, 3)),
        ("am 5. Mai 2020 in Wien", date(2020, 5, 5)),
        ("2019/12/31 closing", date(2019, 12, 31)),
        ("Date: 02/03/2024\nTotal: $40", date(2024, 2, 3)),
        ("Date: 02/03/2024\nTotal: €40", date(2024, 3, 2)),
        ("Date: 03/25/2024", date(2024, 3, 25)),
        ("Version 1.2.2024.5 of the tool", None),
        ("Born in 1984, moved in May", None),
        ("31.02.2024", None),
    ],
)
def test_dates_in_the_first_lines(text, expected):
    assert found(text=text) == ((expected, "text") if expected else None)


def test_the_papers_own_date_goes_before_others_on_it():
    text = "Order Date: 15-10-2015\nDelivered 2015-10-18\nInvoice Date: 20-10-2015\n"
    assert found(text=text) == (date(2015, 10, 20), "text")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Paris, le 3 mai 2021\n\nLe rendez-vous est fixé au 12 juin 2021.", date(2021, 5, 3)),
        ("Paris, 3 mai 2021\nLe contrat signé le 2 janvier 2019 est fini.", date(2021, 5, 3)),
        ("1 May 2021\nTell the candidate " + 61 * "a" + " by 25 May 2018.", date(2021, 5, 1)),
    ],
)
def test_a_date_within_a_sentence_of_a_letter_has_no_label(text, expected):
    assert found(text=text) == (expected, "text")


@pytest.mark.parametrize(
    "line",
    [
        "Invoice No. INV-7 Date 05/05/2024",
        "Kundennummer 4711   Datum   05.05.2024",
        "Numero de cliente   Fecha 05/05/2024",
        "Numero 33 Data 05/05/2024",
        "| Invoice no | 7 | Date | 5 May 2024 |",
        "Order Date 5 May 2024",
        "Bestelldatum: 05.05.2024",
        "Rechnung zur Bestellung 88 vom 05.05.2024",
    ],
)
def test_a_label_may_stand_anywhere_on_its_line_and_below_another_date(line):
    assert found(text="Since 1.1.2023\n" + "text\n" * 12 + line) == (date(2024, 5, 5), "text")


def test_the_date_of_the_order_is_the_last_choice():
    text = "Bestelldatum 05.05.2024\nKunde 4711 Datum 07.05.2024"
    assert found(text=text) == (date(2024, 5, 7), "text")


def test_the_value_may_stand_below_its_label():
    assert found(text="Invoice date\n15 March 2023") == (date(2023, 3, 15), "text")


def test_dates_deep_in_the_text_say_nothing():
    assert found(text="line\n" * 100 + "Invoice date: 2020-01-01") is None


def test_rows_of_data_do_not_date_their_table():
    assert found("rides.csv", "day,km\n2020-01-01,12\n") is None
    assert found("family.ics", "Event: Choir\nStarts: 2020-01-01\n") is None


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("FA-2023-01.pdf", "Facture FA-2023-01\nDate : 28/11/2023", date(2023, 11, 28)),
        ("statement March 2023.pdf", "Bank\n5 April 2023\nBalance", date(2023, 4, 5)),
        ("2023-03-15 letter.pdf", "Date: 28/11/2023", date(2023, 3, 15)),
    ],
)
def test_a_day_in_a_name_wins_over_the_paper_and_a_month_does_not(name, text, expected):
    assert found(name, text)[0] == expected


def test_a_month_in_a_name_wins_over_the_day_when_the_file_was_made():
    day = date(2023, 1, 1)
    assert found("report 2023-01.pdf", created="2024-05-05") == (day, "file name")


def test_front_matter_wins_over_the_name_and_the_name_over_the_rest():
    text = "---\ntitle: Walk\ndate: 2021-06-01\n---\nDate: 2020-01-01"
    assert found("2022-01-01.md", text) == (date(2021, 6, 1), "front matter")
    assert found("2022-01-01.md", "Date: 2020-01-01", created="2019-05-05") == (
        date(2022, 1, 1),
        "file name",
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("D:20240131120000+02'00'", date(2024, 1, 31)),
        ("2024:01:31 12:00:00", date(2024, 1, 31)),
        ("2024-01-31T12:00:00Z", date(2024, 1, 31)),
        ("Tue, 09 Jan 2024 10:12:00 +0100", date(2024, 1, 9)),
        ("0000:00:00 00:00:00", None),
        ("nonsense", None),
    ],
)
def test_metadata_dates_in_every_spelling(value, expected):
    assert found(created=value) == ((expected, "metadata") if expected else None)


def test_a_mail_is_as_old_as_its_sending():
    text = "Subject: x\n\nThe meeting is on 5 May 2024."
    assert found("m.eml", text, date="Tue, 09 Jan 2024 10:12:00 +0100") == (
        date(2024, 1, 9),
        "metadata",
    )


def test_a_printed_date_goes_before_the_time_the_file_was_made():
    text = "Invoice date: 3 May 2018"
    assert found("i.pdf", text, created="D:20220101") == (date(2018, 5, 3), "text")


@pytest.mark.parametrize(
    "line", ["Date of birth: 17 May 1985", "born 17 May 1985 in Ulm", "geb. am 17.05.1985",
             "Geburtsdatum 17.05.1985", "Mara Linde, née Popa, 17 May 1985"]
)  # fmt: skip
def test_when_a_person_was_born_dates_no_document(line):
    assert found(text=f"Contract\n{line}\n\nUlm, 1 March 2022") == (date(2022, 3, 1), "text")


@pytest.mark.parametrize(
    "line", ["passports (valid until 14 August 2027)", "Expiry date: 14 August 2027",
             "Reisepass, gültig bis 14.08.2027", "milk, best before 14 August 2027"]
)  # fmt: skip
def test_the_day_until_which_something_holds_dates_no_document(line):
    assert found("packing.txt", f"PACKING LIST\n{line}\nsun cream") is None
    assert found(text=f"{line}\nUlm, 1 March 2022") == (date(2022, 3, 1), "text")


def test_two_digits_of_a_year_mean_the_past_where_the_future_is_far():
    assert found(text="Invoice date: 17.05.85") == (date(1985, 5, 17), "text")
    assert found(text="Invoice date: 17.05.18") == (date(2018, 5, 17), "text")


def test_letters_that_look_like_others_are_no_error():
    assert found(text="Datum: 3. Auguſt 1914") == (date(1914, 8, 3), "text")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("D:20180312160010+05'30'", "2018-03-12T16:00:10+05:30"),
        ("D:20140803211437Z", "2014-08-03T21:14:37Z"),
        ("D:20140803", "2014-08-03"),
        ("2022:07:04 10:00:00", "2022-07-04T10:00:00"),
        ("2024-09-26T09:15:16Z", "2024-09-26T09:15:16Z"),
        ("yesterday", "yesterday"),
    ],
)
def test_moments_are_shown_in_one_spelling(value, expected):
    assert timestamp(value) == expected
