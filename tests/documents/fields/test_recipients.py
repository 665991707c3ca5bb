"""To whom a paper goes is read from labels and address windows, and is never its issuer."""

from __future__ import annotations

import pytest

from manole.documents.fields import page_lines, read_fields


def recipient(text):
    found = read_fields(page_lines([(1, text)])).recipient
    return found and found.value


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ACME Inc.\nBill To:  Jane Roe\n12 Elm Street\nInvoice #  10-4432", "Jane Roe"),
        ("Ann Reed\nBill to  Invoice no. 4\nHotel Elm  Date: 6 May 2023\n7, Place", "Hotel Elm"),
        ("Ann Reed\nBill to:\nKulturhaus Ulm e.V.\nFrau Ilka Dorn\n5 Rom", "Kulturhaus Ulm e.V."),
        ("Ann Reed\nBill to: Tobias Kern Saarstraße 88 D-54290 Trier", "Tobias Kern"),
        ("Ann Reed\nBill to: Ann and Nils Ober 41, rue de Lyon L-6450 Ahn", "Ann and Nils Ober"),
        ("Garage Bach\nCliente : Roe J. — Véhicule : Kangoo, plaque 4471", "Roe J"),
        ("Lambert SARL\nDestinataire : Mme F. Roe, Ahn", "Mme F. Roe"),
        (
            "Verkäufer\nName:  Last GmbH\n\nKäufer/Leistungsempfänger\nNr.:  3\nName:  Ulm AG",
            "Ulm AG",
        ),
        ("Kiesel AG\nPolicy holder: Jonas Lind. Also insured: Emil Roe", "Jonas Lind"),
        ("Kiesel AG\nVersicherungsnehmerin: Jane Roe, Lehrerin", "Jane Roe"),
        ("Spett.le: Bianchi S.r.l.\nVia Roma 3\nFattura n. 4", "Bianchi S.r.l."),
        ("Saeco\nFactuuradres  Afleveradres\nElm Corp  Roe\nPad 46  3500 MJ Utrecht", "Elm Corp"),
    ],
)
def test_a_recipient_has_a_label(text, name):
    assert recipient(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Elm GmbH\nWeg 5, 79106 Ulm\n\nJane and Joe Roe\nHof 14\n79104 Ulm\n\nRechnung",
         "Jane and Joe Roe"),
        ("Elm GmbH\nTel. 1\n\nFrau\nPetra Klein\nBirkenweg 3\n50999 Köln\n", "Petra Klein"),
        ("# Invoice 7\n\nAnn Reed, Gasse 9, 79102 Ulm\n\nJoe Roe Hof 14 79104 Ulm", "Joe Roe"),
        ("Elm GmbH\nWeg 5\n79106 Ulm\n\nRechnung Nr. 4\nDatum: 4.5.2023", None),
        ("Elm GmbH\nRechnung Nr. 4\nKundennummer: 40771", None),
    ],
)  # fmt: skip
def test_a_recipient_stands_in_the_address_window(text, name):
    assert recipient(text) == name
