"""The check digits of account and tax numbers.

They show a mistyped or made-up number, so that eight digits in a table never join two files.
IBAN: ISO 13616, with the lengths of its registry and the remainder of ISO 7064 MOD 97-10.
VAT numbers: the forms of Directive 2006/112/EC, article 215, as the Commission's VIES lists them,
and the check digits that each state publishes; Switzerland's UID (eCH-0097) and those of the United
Kingdom beside them.

This is own code, because the libraries that know these numbers are under the LGPL
(`python-stdnum`) or depend on one that is (`schwifty`), and the others check the form only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

IBAN_LENGTHS = {
    country: int(length)
    for country, length in re.findall(
        r"([A-Z]{2})(\d{2})",
        """
        AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28
        EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26
        IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30
        NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23
        TN24 TR26 UA29 VA22 VG24 XK20
        """,
    )
}


def is_iban(plain: str) -> bool:
    """Return whether `plain` (no blanks, upper case) has its country's length and check digits."""
    length = IBAN_LENGTHS.get(plain[:2])
    if length is None or len(plain) != length or not (plain.isascii() and plain.isalnum()):
        return False
    return _as_number(plain[4:] + plain[:4]) % 97 == 1


def is_vat(plain: str) -> bool:
    """Return whether `plain` (`DE136695976`) is the VAT number of a state in `VAT`, checked."""
    country = vat_state(plain)
    if country is None:
        return False
    forms, check = VAT[country]
    number = plain[len(country) :]
    if country in _NO_ZERO and number.startswith("0"):
        return False
    return any(_fits(form, number) for form in forms.split("|")) and check(number)


def vat_state(plain: str) -> str | None:
    """Return the prefix of a VAT number as `VAT` lists it: `DE`, `ATU`, `CHE`."""
    return next((plain[:n] for n in (3, 2) if plain[:n] in VAT), None)


# How the states compute them ------------------------------------------------------------------


def _fits(form: str, number: str) -> bool:
    """Return whether a number fits: `9` is a digit, `*` a digit or letter, others themselves."""
    return (
        number.isascii()
        and len(form) == len(number)
        and all(
            char.isdigit() if wanted == "9" else char.isalnum() if wanted == "*" else char == wanted
            for wanted, char in zip(form, number, strict=True)
        )
    )


_OFFICES = frozenset({120, 121, 888, 999})  # of Italy, beside its provinces


def _as_number(text: str) -> int:
    """Read letters as numbers from 10 on (ISO 7064)."""
    return int("".join(str(int(char, 36)) for char in text))


def _weighted(number: str, weights: Iterable[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(number, weights, strict=False))


def _luhn(number: str) -> bool:
    """Check by ISO/IEC 7812: every second digit from the right is doubled."""
    doubled = [int(d) * (1 + at % 2) for at, d in enumerate(reversed(number))]
    return sum(n // 10 + n % 10 for n in doubled) % 10 == 0


def _mod_11_10(number: str) -> bool:
    """Check by ISO 7064 MOD 11,10, with one check digit."""
    rest = 10
    for digit in number[:-1]:
        rest = 2 * ((rest + int(digit)) % 10 or 10) % 11
    return (rest + int(number[-1])) % 10 == 1


def _remainder(
    weights: Iterable[int], modulus: int, *, ten: int | None = None
) -> Callable[[str], bool]:
    """Expect `modulus` less the weighted sum as the last digit; `ten` stands for a 10."""
    kept = tuple(weights)

    def check(number: str) -> bool:
        due = -_weighted(number[: len(kept)], kept) % modulus
        return int(number[len(kept)]) == (ten if due == 10 else due)

    return check


def _sum(weights: Iterable[int], modulus: int, *, ten: int | None = None) -> Callable[[str], bool]:
    """Expect the weighted sum modulo `modulus` as the last digit; `ten` stands for a 10."""
    kept = tuple(weights)

    def check(number: str) -> bool:
        due = _weighted(number, kept) % modulus
        return int(number[len(kept)]) == (ten if due == 10 else due)

    return check


def _austria(number: str) -> bool:
    doubled = [int(d) * (1 + at % 2) for at, d in enumerate(number[:7])]
    return (6 - sum(n // 10 + n % 10 for n in doubled)) % 10 == int(number[7])


def _britain(number: str) -> bool:
    total = _weighted(number, range(8, 1, -1)) + int(number[7:9])
    return total % 97 in ((0, 42, 55) if number[0] != "0" else (0,))


def _france(number: str) -> bool:
    key, siren = number[:2], number[2:]
    if key.isdigit():
        monaco = siren.startswith("000")
        return (monaco or _luhn(siren)) and int(siren + "12") % 97 == int(key)
    letters = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
    if not _luhn(siren) or not set(key) <= set(letters):
        return False
    one, two = (letters.index(char) for char in key)
    due = one * 24 + two - 10 if key[0].isdigit() else one * 34 + two - 100
    return (int(siren) + 1 + due // 11) % 11 == due % 11


def _ireland(number: str) -> bool:
    if not number[1].isdigit():  # the older form: 9A99999A
        number = f"0{number[2:7]}{number[0]}{number[7:]}"
    if not number[:7].isdigit() or not number[7:].isalpha():
        return False
    letters = "WABCDEFGHIJKLMNOPQRSTUV"
    extra = letters.find(number[8:] or "W")
    if extra < 0:
        return False
    total = _weighted(number[:7], range(8, 1, -1)) + 9 * extra
    return letters[total % 23] == number[7]


def _italy(number: str) -> bool:
    office = int(number[7:10])
    return _luhn(number) and int(number[:7]) > 0 and (office in range(1, 101) or office in _OFFICES)


def _netherlands(number: str) -> bool:
    if number.endswith("B00"):
        return False
    if _as_number(f"NL{number}") % 97 == 1:  # since 2020
        return True
    return _weighted(number, range(9, 1, -1)) % 11 == int(number[8])


def _slovenia(number: str) -> bool:
    rest = _weighted(number[:7], range(8, 1, -1)) % 11
    return rest != 0 and (11 - rest) % 10 == int(number[7])


def _spain(number: str) -> bool:
    first, digits, last = number[0], number[1:8], number[8]
    if not digits.isdigit():
        return False
    if first in "OIT":
        return False
    if first.isdigit() or first in "XYZKLM":  # a person
        head = {"X": "0", "Y": "1", "Z": "2"}.get(first, first if first.isdigit() else "")
        return "TRWAGMYFPDXBNJZSQVHLCKE"[int(head + digits) % 23] == last
    doubled = [int(d) * (2 - at % 2) for at, d in enumerate(digits)]
    due = -sum(n // 10 + n % 10 for n in doubled) % 10
    return last in (str(due), "JABCDEFGHI"[due])


_NO_ZERO = frozenset({"DE", "DK", "MT", "PT", "SI", "SK"})  # where no number begins with it
# The forms behind each state's prefix, and the check. Other states need a label in the text.
VAT: dict[str, tuple[str, Callable[[str], bool]]] = {
    "ATU": ("99999999", _austria),
    "BE": ("9999999999", lambda n: n[0] in "01" and 97 - int(n[:8]) % 97 == int(n[8:])),
    "CHE": ("999999999", _remainder((5, 4, 3, 2, 7, 6, 5, 4), 11)),
    "DE": ("999999999", _mod_11_10),
    "DK": ("99999999", lambda n: _weighted(n, (2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0),
    "EE": ("999999999", _remainder((3, 7, 1, 3, 7, 1, 3, 7), 10)),
    "EL": ("999999999", _sum((256, 128, 64, 32, 16, 8, 4, 2), 11, ten=0)),
    "ES": ("*9999999*", _spain),
    "FI": ("99999999", _remainder((7, 9, 10, 5, 8, 4, 2), 11)),
    "FR": ("**999999999", _france),
    "GB": ("999999999|999999999999", _britain),
    "HR": ("99999999999", _mod_11_10),
    "HU": ("99999999", _remainder((9, 7, 3, 1, 9, 7, 3), 10)),
    "IE": ("9*99999*|9999999**", _ireland),
    "IT": ("99999999999", _italy),
    "LU": ("99999999", lambda n: int(n[:6]) % 89 == int(n[6:])),
    "MT": ("99999999", lambda n: _weighted(n, (3, 4, 6, 7, 8, 9, 10, 1)) % 37 == 0),
    "NL": ("999999999B99", _netherlands),
    "PL": ("9999999999", _sum((6, 5, 7, 2, 3, 4, 5, 6, 7), 11)),
    "PT": ("999999999", _remainder(range(9, 1, -1), 11, ten=0)),
    "SE": ("999999999901", lambda n: _luhn(n[:10])),
    "SI": ("99999999", _slovenia),
    "SK": ("9999999999", lambda n: int(n) % 11 == 0 and n[2] in "234789"),
}
