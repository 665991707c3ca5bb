"""Papers as text, written for these tests: layouts, languages and number formats of many kinds.

Each is (text, what must be read from it). `total` is "amount CURRENCY".
"""

from __future__ import annotations

US_INVOICE = (
    """ACME Tools Inc.
100 Main Street, Springfield, IL 62701
Phone (217) 555-0133   billing@acmetools.com

INVOICE

Bill To:  Jane Roe
12 Elm Street
Invoice #  10-4432
Date  03/14/2023
Due Date  04/13/2023

Item  Qty  Price  Amount
Hammer drill  2  $129.50  $259.00
Drill bits, set of 20  1  $34.99  $34.99
Shipping  1  $12.00  $12.00

Subtotal  $305.99
Sales Tax (6.25%)  $19.12
Total  $325.11
Deposit paid  $100.00
Balance Due  $225.11
""",
    {
        "total": "325.11 USD", "due": "225.11 USD", "net": "305.99 USD", "tax": "19.12 USD",
        "number": "10-4432", "date": "2023-03-14", "due_date": "2023-04-13",
        "issuer": "ACME Tools Inc.", "kind": "invoice",
    },
)  # fmt: skip

GERMAN = (
    """Elektro Sommer GmbH & Co. KG  Rechnung
Ahornallee 7
50667 Köln  Rechnungs-Nr.: 2023/0815
Tel. 0221 555 0199  Datum: 04.07.2023
www.elektro-sommer.example  Kunden-Nr.: 30021

Frau
Petra Klein
Birkenweg 3
50999 Köln

Pos.  Bezeichnung  Menge  Einzelpreis  Gesamt
1  Steckdose setzen  4 Stk  38,50 €  154,00 €
2  Fahrtkosten  1 psch  25,00 €  25,00 €

Zwischensumme  179,00 €
zzgl. 19 % MwSt.  34,01 €
Gesamtbetrag  213,01 €

Bei Zahlung bis zum 14.07.2023 gewähren wir 2 % Skonto (4,26 €).
Zahlbar bis 03.08.2023 ohne Abzug.
IBAN DE12 3705 0198 0001 2345 67  USt-IdNr. DE811234567
""",
    {
        "total": "213.01 EUR", "net": "179.00 EUR", "tax": "34.01 EUR", "number": "2023/0815",
        "date": "2023-07-04", "due_date": "2023-08-03",
        "issuer": "Elektro Sommer GmbH & Co. KG", "kind": "invoice",
    },
)  # fmt: skip

FRENCH = (
    """Plomberie Martin SARL
8 rue des Lilas, 31000 Toulouse
Tél. : 05 55 55 01 02
SIRET 123 456 789 00012 - TVA FR12123456789

FACTURE N° F2023-118
Date de facture : 9 mars 2023
Date d'échéance : 8 avril 2023

Client : M. Durand

Désignation  Qté  P.U. HT  Total HT
Remplacement chauffe-eau  1  1 250,00 €  1 250,00 €
Main d'œuvre  3 h  55,00 €  165,00 €

Total HT  1 415,00 €
TVA 10 %  141,50 €
Total TTC  1 556,50 €
Acompte versé  -500,00 €
Net à payer  1 056,50 €
""",
    {
        "total": "1556.50 EUR", "due": "1056.50 EUR", "net": "1415.00 EUR", "tax": "141.50 EUR",
        "number": "F2023-118", "date": "2023-03-09", "due_date": "2023-04-08",
        "issuer": "Plomberie Martin SARL", "kind": "invoice",
    },
)  # fmt: skip

DUTCH = (
    """Fietsenmaker De Ketting B.V.
Kerkstraat 12, 1017 GC Amsterdam
KvK 12345678  BTW NL001234567B01

Factuurnummer: 2022-0456
Factuurdatum: 11 mei 2022
Vervaldatum: 25 mei 2022

Omschrijving  Aantal  Prijs  Bedrag
Band vervangen  2  € 27,50  € 55,00
Arbeid  1  € 35,--  € 35,--

Subtotaal excl. BTW  € 74,38
BTW 21%  € 15,62
Totaal incl. BTW  € 90,00
Te betalen  € 90,00
""",
    {
        "total": "90.00 EUR", "net": "74.38 EUR", "tax": "15.62 EUR", "number": "2022-0456",
        "date": "2022-05-11", "due_date": "2022-05-25", "issuer": "Fietsenmaker De Ketting B.V.",
        "kind": "invoice",
    },
)  # fmt: skip

SWISS = (
    """Bergbahn Sonnalp AG
Talstrasse 1, 3800 Interlaken

Rechnung Nr. 88123
Datum 02.02.2024

Saisonkarte Familie    1'234.50
Schlüsselkarte            15.00

Nettobetrag  CHF 1'155.87
MwSt 8.1 %  CHF 93.63
Rechnungsbetrag  CHF 1'249.50
""",
    {
        "total": "1249.50 CHF", "net": "1155.87 CHF", "tax": "93.63 CHF", "number": "88123",
        "date": "2024-02-02", "issuer": "Bergbahn Sonnalp AG", "kind": "invoice",
    },
)  # fmt: skip

STACKED = (
    """Northwind Consulting Ltd
VAT Reg No 123 4567 89

Tax Invoice
Invoice Number
NW-2291
Invoice Date
1 June 2022

Consulting, May 2022
5 days at 400.00

Subtotal
VAT 20%
Total
£2,000.00
£400.00
£2,400.00

Please pay by 30 June 2022
""",
    {
        "total": "2400.00 GBP", "net": "2000.00 GBP", "tax": "400.00 GBP", "number": "NW-2291",
        "date": "2022-06-01", "due_date": "2022-06-30", "issuer": "Northwind Consulting Ltd",
        "kind": "invoice",
    },
)  # fmt: skip

CREDIT_NOTE = (
    """Möbel Wagner GmbH
Gutschrift Nr. GS-1044
Datum: 12.09.2023
zur Rechnung R-9981 vom 01.09.2023

Rückgabe Stuhl "Oslo"  1 Stk  89,00 €

Nettobetrag  74,79 €
MwSt. 19 %  14,21 €
Gesamtbetrag  89,00 €
""",
    {
        "total": "-89.00 EUR", "number": "GS-1044", "date": "2023-09-12",
        "issuer": "Möbel Wagner GmbH", "kind": "credit note",
    },
)  # fmt: skip

RECEIPT = (
    """KEDAI MAKAN BAHAGIA SDN BHD
(Co. No: 812345-X)
NO 8, JALAN MAWAR 3, 47100 PUCHONG
TEL: 03-8060 1234
GST ID: 001234567890

TAX INVOICE
INV NO: CS-00023145
DATE: 14/02/2018 12:31 PM
TABLE 7   PAX 2

2 NASI LEMAK SPECIAL   8.50  17.00
1 TEH TARIK            2.20   2.20
1 ROJAK                6.90   6.90
TOTAL QTY: 4
SUB TOTAL              26.10
GST 6%                  1.57
ROUNDING ADJ            -0.02
TOTAL RM               27.65
CASH                   50.00
CHANGE                 22.35

GST SUMMARY  AMOUNT(RM)  TAX(RM)
SR 6%        26.10   1.57
THANK YOU, PLEASE COME AGAIN
""",
    {
        "total": "27.65 MYR", "number": "CS-00023145", "date": "2018-02-14",
        "issuer": "KEDAI MAKAN BAHAGIA SDN BHD", "tax": "1.57 MYR",
    },
)  # fmt: skip

ROUNDED_RECEIPT = (
    """99 MART ENTERPRISE
LOT 5 JALAN SATU, 43000 KAJANG
CASH BILL
Receipt No : 1203-88
Date : 03-05-2018  Time : 18:20
A4 PAPER 80G  1 X 12.93  12.93
GLUE STICK  2 X 3.50  7.00
Total Sales (Inclusive of GST) RM 19.93
Rounding 0.02
Rounded Total (RM) 19.95
Cash 20.00
Change 0.05
Points earned 19
""",
    {
        "total": "19.95 MYR",
        "number": "1203-88",
        "date": "2018-05-03",
        "issuer": "99 MART ENTERPRISE",
    },
)

NOISY_RECEIPT = (
    """rn
SYARIKAT PERNIAGAAN GIN KEE
NO 290, JALAN AIR PANAS
SETAPAK 53200, KUALA LUMPUR.
TEL; 03-4021O276
6ST ID ; 000750673920
SIMPLIFIED TAX INV0ICE
CASH
Doc No, : CS00012489   Date: 11/01/2018
Cashier: USER   Time: 10:14:00
Itern     Qty   S/Price   Arnount   Tax
1037  CEMENT (50KG)   2   18.00   36.00   SR
Total Qty : 2   36.00
Total Sales (Excluding GST) :   33.96
Discount :   0.00
Total GST :   2.04
Rounding :   0.00
Total Sales (Inclusive of GST) :   36.00
CASH :   50.00
Change ;   14.00
""",
    {"total": "36.00 None", "date": "2018-01-11", "number": "CS00012489"},
)

WHOLE_RUPEES = (
    """Shree Travels Pvt. Ltd.
Receipt No: ST/221
Date: 12-Aug-2019
Fare  Rs. 1,450
Toll  Rs. 120
Grand Total  Rs. 1,570
""",
    {"total": "1570.00 INR", "number": "ST/221", "date": "2019-08-12"},
)

INCLUSIVE = (
    """Buchhandlung Lesezeichen
Quittung 4711
15.12.2022

Reiseführer Island   22,90
Kalender 2023        14,95

SUMME EUR            37,85
davon 7 % MwSt        2,48
EC-Karte             37,85
""",
    {"total": "37.85 EUR", "number": "4711", "date": "2022-12-15", "kind": "receipt"},
)

MARKDOWN = (
    """# Invoice 7781

Green Garden Services LLC

| Description | Hours | Rate | Amount |
| --- | --- | --- | --- |
| Hedge trimming | 3 | 45.00 USD | 135.00 USD |
| Disposal | 1 | 20.00 USD | 20.00 USD |
| Subtotal | | | 155.00 USD |
| Tax 8 % | | | 12.40 USD |
| **Total** | | | **167.40 USD** |

Invoice date: May 2, 2024
""",
    {
        "total": "167.40 USD", "net": "155.00 USD", "tax": "12.40 USD", "number": "7781",
        "date": "2024-05-02", "issuer": "Green Garden Services LLC",
    },
)  # fmt: skip

UTILITY = (
    """Stadtwerke Musterstadt
Wasserturmstr. 2, 12345 Musterstadt
Jahresabrechnung 2023
Rechnungsnummer 5550123  Datum 31.01.2024

Verbrauch 132 m³ zu 2,15 €  283,80 €
Grundpreis  96,00 €
Nettobetrag  379,80 €
7 % USt  26,59 €
Rechnungsbetrag  406,39 €
Geleistete Abschlagszahlungen  -360,00 €
Noch zu zahlen  46,39 €
Ihr neuer monatlicher Abschlag  34,00 €
""",
    {
        "total": "406.39 EUR", "due": "46.39 EUR", "number": "5550123", "date": "2024-01-31",
        "issuer": "Stadtwerke Musterstadt",
    },
)  # fmt: skip

CONTRACT = (
    """Mobile phone contract

between TeleBlau GmbH, Funkallee 1, 10115 Berlin
and Lena Vogel

Contract number: MB-77-1203
Date: 1 March 2023

The contract runs until 28 February 2025. Notice period: three months to the end of the term.
The monthly price is 19.99 EUR.
""",
    {
        "kind": "contract", "number": "MB-77-1203", "date": "2023-03-01",
        "end_date": "2025-02-28",
    },
)  # fmt: skip

PAPERS = {
    name.lower(): value
    for name, value in globals().items()
    if name.isupper() and isinstance(value, tuple)
}
