"""Statements as banks write them, after the examples of ISO 20022, SWIFT and OFX; made up."""

from __future__ import annotations

_ENTRY = """<Ntry><Amt Ccy="{ccy}">{amount}</Amt><CdtDbtInd>{sign}</CdtDbtInd>
<Sts><Cd>{status}</Cd></Sts><BookgDt><Dt>{day}</Dt></BookgDt><NtryDtls><TxDtls><RltdPties>
<Dbtr><Pty><Nm>{payer}</Nm></Pty></Dbtr><Cdtr><Pty><Nm>{paid}</Nm></Pty></Cdtr></RltdPties>
<RmtInf><Ustrd>{text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>"""
ME = "Wiebke Osterloh"


def entry(day, amount, party, text, *, ccy="EUR", status="BOOK"):
    """An entry of CAMT; an amount below 0 went out."""
    out = amount < 0
    return _ENTRY.format(
        day=day, amount=f"{abs(amount):.2f}", ccy=ccy, text=text, status=status,
        sign="DBIT" if out else "CRDT", payer=ME if out else party, paid=party if out else ME,
    )  # fmt: skip


def camt(*entries, head="", kind="053", account="DE02120300000000202051"):
    """A file of CAMT with one statement."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>{head}
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.{kind}.001.08"><BkToCstmrStmt><Stmt>
<Acct><Id><IBAN>{account}</IBAN></Id></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">9.00</Amt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1500.00</Amt>
<CdtDbtInd>CRDT</CdtDbtInd></Bal>
{"".join(entries)}</Stmt></BkToCstmrStmt></Document>"""


def mt940(*bookings):
    """A file of MT940; bookings are the texts of fields 61 and 86."""
    fields = [f":61:{booked}\n:86:{told}" for booked, told in bookings]
    head = ":20:STARTUMS\n:25:12030000/202051\n:28C:1/1\n:60F:C231231EUR1500,00\n"
    return head + "\n".join([*fields, ":62F:D240131EUR12,50", "-"]) + "\n"


def ofx(*bookings, ends=False, currency="EUR"):
    """A file of OFX 1.x without end tags, or of 2.x; bookings are day, amount, name, memo."""
    end = "</{}>" if ends else ""

    def tag(name, value):
        return f"<{name}>{value}{end.format(name)}\n"

    rows = "".join(
        "<STMTTRN>" + tag("TRNTYPE", "DEBIT") + tag("DTPOSTED", day) + tag("TRNAMT", amount)
        + tag("NAME", name) + tag("MEMO", memo) + end.format("STMTTRN")
        for day, amount, name, memo in bookings
    )  # fmt: skip
    head = '<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?>\n' if ends else "OFXHEADER:100\n\n"
    return (
        f"{head}<OFX><CCSTMTRS>{tag('CURDEF', currency)}<CCACCTFROM>{tag('ACCTID', '5500-1')}"
        f"</CCACCTFROM><BANKTRANLIST>{rows}</BANKTRANLIST><LEDGERBAL>{tag('BALAMT', '-153.05')}"
        "</LEDGERBAL></CCSTMTRS></OFX>\n"
    )
