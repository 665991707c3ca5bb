"""Whether a paper is paid is read from what it says itself; else it stays unknown."""

from __future__ import annotations

import pytest

from manole.documents.fields import page_lines, read_fields

_INVOICE = "Elm Ltd.\n\nInvoice no. 7\nDate: 3 May 2024\n\nWork  80.00 EUR\nTotal  80.00 EUR\n"


def status(text, head=_INVOICE):
    found = read_fields(page_lines([(1, head + text)])).status
    return found and found.value


@pytest.mark.parametrize(
    "text",
    [
        "Paid on 20 February 2022 by bank transfer.",
        "PAID - transfer received 17 February 2023, thank you.",
        "Paid with thanks",
        "**Status: PAID**, money received on 6 April 2023",
        "Invoice no.  Date  Due  Status\n7  03.05.2024  17.05.2024  PAID 15.05.2024",
        "Amount paid: 80.00 EUR",
        "Amount due: 0.00 EUR",
        "The invoice has already been paid by card.",
        "Payment received with thanks",
        "Amount still to be paid: 80.00 EUR, by direct debit on 30 December 2022.",
        "Bezahlt am 17.06.2022 per Überweisung.",
        "Endbetrag EUR  80,00  bar bezahlt",
        "Bezahlt: Girocard",
        "Der Rechnungsbetrag wurde bereits beglichen.",
        "Betrag dankend erhalten",
        "Der Betrag wird von Ihrem Konto abgebucht.",
        "Payé en espèces.",
        "Facture acquittée le 3 mai 2024",
        "Ce montant sera prélevé sur votre compte le 05/12/2023.",
        "Pagado con tarjeta el 5 de mayo",
        "La factura ha sido pagada.",
        "Pagato in contanti",
        "Fattura pagata il 3 maggio 2024",
        "Contant betaald",
        "Volgens onze administratie heeft u de factuur vooruitbetaald met Credit Card.",
        "CASH  100.00 EUR\nCHANGE  20.00 EUR",
        "Visa  EUR 80.00",
    ],
)
def test_a_paper_says_that_it_is_paid(text):
    assert status(text) == "paid"


@pytest.mark.parametrize(
    "text",
    [
        "Open. Not paid yet.",
        "Status: NOT YET PAID",
        "Status: open",
        "Invoice no.  Date  Due  Status\n7  03.05.2024  17.05.2024  UNPAID",
        "This invoice is still unpaid.",
        "Noch nicht bezahlt.",
        "Die Rechnung ist noch nicht bezahlt.",
        "Impayée",
        "La facture n'a pas encore été réglée.",
        "Sin pagar",
        "Non ancora pagata",
        "La fattura non è stata ancora pagata.",
        "Nog niet betaald",
    ],
)
def test_a_paper_says_that_it_is_open(text):
    assert status(text) == "open"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Payable within 14 days.",
        "Zahlbar ohne Abzug bis 26.04.2023.",
        "Zahlbetrag 80,00 EUR",
        "Montant à payer : 80,00 EUR",
        "If the invoice is not paid within 14 days, interest is due.",
        "Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum.",
        "Goods remain ours until the invoice is paid.",
        "Deposit paid  50.00 EUR\nBalance due  30.00 EUR",
        "Paid: 50.00 EUR",
        "Date  Amount  Paid",
        "Payee: Elm Ltd.",
        "Bitte überweisen Sie den Betrag innerhalb von 30 Tagen.",
        "Wenn Sie uns ein SEPA-Lastschriftmandat erteilen, wird der Betrag eingezogen.",
        "TVA acquittée sur les encaissements.",
        "Unpaid invoices are charged with interest.",
        "Damage is paid up to 300 euros.",
        "Paid in full.\nStatus: open",  # both
    ],
)
def test_what_says_nothing_of_a_payment_leaves_it_unknown(text):
    assert status(text) is None


def test_a_receipt_is_paid_and_a_contract_is_neither():
    assert status("Total  4.50 EUR\n", "Corner Shop\nReceipt no. 12\n") == "paid"
    assert status("Paid monthly.", "Tenancy agreement\nRent  500.00 EUR\n") is None


def test_the_clause_that_says_it_is_kept_with_its_place():
    found = read_fields(page_lines([(2, f"{_INVOICE}Open. Not paid yet.")])).status
    assert (found.text, found.page, found.line) == ("Open. Not paid yet.", 2, 8)
