"""The words of dates, as tables and as parts of patterns.

English and German; in French, Spanish, Italian, Dutch and Portuguese only words for periods:
months, units, "last" and "since". Words with another common meaning are left out: French `hier` is
German for "here", Spanish `mañana` also means morning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _numbered(*groups: str) -> dict[str, int]:
    """Number the groups of words from 1 and return the number of each word."""
    return {word: n for n, group in enumerate(groups, 1) for word in group.split()}


MONTHS = _numbered(
    "january jan januar jänner jän janvier janv enero gennaio januari janeiro",
    "february feb févr fevr februar février fevrier febrero febbraio februari fevereiro",
    "march mar märz maerz mrz mär mars marzo maart março",
    "april apr avril abril aprile",
    "may mai mayo maggio mei maio",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet juil julio luglio julho",
    "august aug août aout agosto augustus",
    "september sep sept septembre septiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec déc dezember dez décembre decembre diciembre dicembre dezembro",
)  # fmt: skip
# Other words or names elsewhere, so only within a whole date. "Gen", "set" and "out" are left out:
# "iPad, 9 Gen 2021".
SHORT_MONTHS = _numbered(
    "ene", "fev", "mrt", "avr abr", "mag", "giu", "lug", "ago", "", "ott", "", "dic"
)
WEEKDAYS = _numbered(  # from Monday, 1
    "monday mon montag lundi lunes lunedì maandag",
    "tuesday tues tue dienstag mardi martes martedì dinsdag",
    "wednesday mittwoch mercredi miércoles mercoledì woensdag",
    "thursday thurs thur donnerstag jeudi jueves giovedì donderdag",
    "friday fri freitag vendredi viernes venerdì vrijdag",
    "saturday samstag sonnabend samedi sábado sabato zaterdag",
    "sunday sonntag dimanche domingo domenica zondag",
)
_UNIT_WORDS = {
    "days": "day days tag tage tagen jour jours día días giorno giorni dag dagen dia dias",
    "weeks": "week weeks woche wochen semaine semaines semana semanas settimana settimane weken",
    "months": "month months monat monate monaten monats mois mes meses mese mesi maand maanden mês",
    "quarters": "quarter quarters quartal quartale quartalen quartals trimestre trimestres "
    "trimestri kwartaal kwartalen",
    "years": "year years jahr jahre jahren jahres ans année années año años anno anni jaar jaren "
    "ano anos",
}
UNIT_OF = {word: unit for unit, group in _UNIT_WORDS.items() for word in group.split()}
DAYS_BACK = {
    "today": 0, "heute": 0, "this morning": 0, "tonight": 0, "yesterday": 1, "gestern": 1,
    "last night": 1, "the day before yesterday": 2, "vorgestern": 2, "tomorrow": -1,
    "aujourd'hui": 0, "aujourd’hui": 0, "avant-hier": 2, "demain": -1, "hoy": 0, "ayer": 1,
    "anteayer": 2, "oggi": 0, "ieri": 1, "domani": -1, "vandaag": 0, "gisteren": 1,
    "eergisteren": 2, "hoje": 0, "ontem": 1, "anteontem": 2, "amanhã": -1,
}  # fmt: skip
SEASONS = {  # the first month; three months each
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "frühling": 3, "frühjahr": 3,
    "sommer": 6, "herbst": 9,
}  # fmt: skip
ORDINALS = {
    "first": 1, "1st": 1, "1.": 1, "second": 2, "2nd": 2, "2.": 2, "third": 3, "3rd": 3, "3.": 3,
    "fourth": 4, "4th": 4, "4.": 4, "fifth": 5, "5th": 5, "5.": 5, "erste": 1, "zweite": 2,
    "dritte": 3, "vierte": 4, "fünfte": 5,
}  # fmt: skip
WHICH = {"this": 0, "current": 0, "last": -1, "past": -1, "previous": -1, "next": 1} | {
    f"{root}{end}": step
    for root, step in (
        ("diese", 0), ("aktuelle", 0), ("letzte", -1), ("vorige", -1), ("vergangene", -1),
        ("nächste", 1), ("kommende", 1),
    )
    for end in ("", "n", "s", "r", "m")
} | {
    "ce": 0, "cette": 0, "este": 0, "esta": 0, "questo": 0, "questa": 0, "quest": 0, "deze": 0,
    "dit": 0, "vorige": -1, "vorig": -1, "afgelopen": -1, "volgende": 1, "volgend": 1,
}  # fmt: skip
AFTER = {  # words behind their unit: "le mois dernier", "el año pasado"
    f"{root}{end}": step
    for root, step, ends in (
        ("dernier", -1, ("", "e", "s", "es")), ("dernière", -1, ("", "s")),
        ("passé", -1, ("", "e", "s", "es")), ("prochain", 1, ("", "e", "s", "es")),
        ("pasad", -1, ("o", "a", "os", "as")), ("próxim", 1, ("o", "a", "os", "as")),
        ("scors", -1, ("o", "a", "i", "e")), ("prossim", 1, ("o", "a", "i", "e")),
        ("passad", -1, ("o", "a", "os", "as")),
    )
    for end in ends
}  # fmt: skip
# Relations to a period, in the languages above.
BETWEEN = ("between", "zwischen", "entre", "tra", "fra", "tussen")
AND = ("and", "und", "et", "y", "e", "en")
FROM = ("from", "von", "vom", "du", "de", "del", "dal", "da", "van", "do")
TO = (
    "to", "until", "till", "through", "bis", "bis zum", "-", "–", "au", "à", "al", "hasta", "a",
    "fino a", "tot", "tot en met", "até", "ao",
)  # fmt: skip
SINCE = (
    "since", "from", "starting", "seit", "ab", "depuis", "dès", "à partir de", "à partir du",
    "desde", "a partir de", "dal", "a partire da", "sinds", "vanaf",
)  # fmt: skip
LATER = (  # without the last day of the period
    "after", "later than", "nach", "après", "después de", "después del", "dopo", "dopo il", "na",
    "depois de",
)  # fmt: skip
EARLIER = (  # without the first day of the period
    "before", "prior to", "earlier than", "vor", "avant", "antes de", "antes del", "prima di",
    "prima del", "voor",
)  # fmt: skip
UNTIL = (
    "until", "till", "up to", "through", "by", "no later than", "bis", "bis zum", "bis zur",
    "spätestens", "jusqu'à", "jusqu’à", "jusqu'en", "jusqu’en", "jusqu'au", "jusqu’au", "hasta",
    "fino a", "tot", "tot en met", "até",
)  # fmt: skip
THIRDS = {
    "early": 1, "beginning": 1, "start": 1, "anfang": 1, "mid": 5, "middle": 5, "mitte": 5,
    "late": 9, "end": 9, "ende": 9,
}  # fmt: skip

FEAST_NAMES = (
    r"(?:christmas|xmas)(?: (?:eve|day|time))?|weihnachten|heiligabend|"
    r"new year['’]?s eve|silvester|new year['’]?s day|neujahr|new year(?:['’]?s)?|jahreswechsel|"
    r"good friday|karfreitag|easter sunday|ostersonntag|easter monday|ostermontag|easter|ostern|"
    r"ascension day|(?:christi )?himmelfahrt|pentecost|whitsun|pfingsten|halloween|thanksgiving"
)
