"""Statements of accounts that grow without end, are cut off, or are longer than any account."""

from __future__ import annotations

from hostile_set import Making, hostile
from hostile_set.bombs import laughs

_CAMT = (
    '<?xml version="1.0"?>{}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">'
    "<BkToCstmrStmt><Stmt>{}</Stmt></BkToCstmrStmt></Document>"
)
_ENTRY = (
    '<Ntry><Amt Ccy="EUR">{}</Amt><CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>2024-01-02</Dt></BookgDt>'
    "<NtryDtls><TxDtls><RmtInf><Ustrd>{}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>"
)
_MT940 = ":20:A\n:25:1/2\n:60F:C231231EUR1,00\n{}:62F:C240131EUR1,00\n-\n"
_OFX = "OFXHEADER:100\n\n<OFX><BANKTRANLIST>{}</BANKTRANLIST></OFX>\n"


@hostile("billion laughs in statements of accounts", "indexed partial failed")
def _bomb(making: Making) -> None:
    making.write("camt.xml", _CAMT.format(laughs(), _ENTRY.format("1.00", "&l9;")))
    making.write("amount.xml", _CAMT.format(laughs(), _ENTRY.format("&l9;", "a")))
    making.write("card.ofx", laughs() + _OFX.format("<STMTTRN><TRNAMT>&l9;<DTPOSTED>20240101"))


@hostile("statements of accounts that are cut off or damaged", "indexed partial")
def _cut(making: Making) -> None:
    whole = {
        "camt.xml": _CAMT.format("", _ENTRY.format("1.00", "rent") * 20),
        "konto.sta": _MT940.format(":61:240102D1,00NTRF\n:86:105?20rent?32Mill\n" * 20),
        "card.ofx": _OFX.format("<STMTTRN><DTPOSTED>20240101<TRNAMT>-1.00<NAME>Mill\n" * 20),
    }
    for name, text in whole.items():
        for share in range(1, 10):
            making.write(f"{share}-{name}", text[: len(text) * share // 10])
        noise = bytearray(text.encode())
        for at in making.chance.sample(range(200, len(noise)), 20):
            noise[at] ^= 0x20
        making.write(f"noise-{name}", bytes(noise))


@hostile("statements of accounts made to be slow", "indexed partial")
def _slow(making: Making) -> None:
    wide = making.scale.wide * 20
    making.write("tags.ofx", "<OFX>" + "<STMTTRN>" * wide)
    making.write("open.ofx", "<OFX>" + "<A" * wide)
    making.write("parts.sta", _MT940.format(f":61:240102D1,00N\n:86:{'?20' * wide}\n"))
    making.write("fields.sta", ":20:A\n:25:1/2\n" + ":61:\n" * wide)
    making.write("deep.xml", _CAMT.format("", "<Ntry>" * making.scale.deep))


@hostile("statements of 200,000 bookings", "indexed partial")
def _long(making: Making) -> None:
    many = making.scale.wide * 4
    making.write("camt.xml", _CAMT.format("", _ENTRY.format("1.00", "rent") * many))
    making.write("konto.sta", _MT940.format(":61:240102D1,00N\n:86:105?20rent?32Mill\n" * many))
    making.write(
        "card.ofx", _OFX.format("<STMTTRN><DTPOSTED>20240101<TRNAMT>-1<NAME>Mill\n" * many)
    )
