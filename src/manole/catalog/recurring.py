"""Payments that recur: to the same party, at regular intervals, of an amount that changes little.

A party's bookings are parted by their amounts (two policies of one insurer). What is left is
regular if all its intervals are alike, give or take some days, as banks do not book on weekends;
in one of three a booking may be missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from manole.catalog.payments import Booking, party_key

_SAME = 0.3  # share by which an amount may differ from the one before; by hand
_LEAST = {1: 2}  # bookings that make a rule, by their number in a year; of others three
# Times a year: week, month, quarter, half year, year; and the days that an interval may vary.
_GIVE = {52: 2, 12: 5, 4: 10, 2: 14, 1: 21}


@dataclass(frozen=True, slots=True)
class Recurring:
    """What is paid so many times a year; `ended` if it is no longer."""

    bookings: Sequence[Booking]
    times: int
    ended: bool

    @property
    def last(self) -> Booking:
        """The last booking."""
        return self.bookings[-1]

    @property
    def per_year(self) -> float:
        """What the last amount comes to in a year."""
        return round(-self.last.amount * self.times, 2)


def recurring(found: Iterable[Booking], today: date) -> list[Recurring]:
    """Return the payments that recur, those that ended behind the others, the largest first.

    What should have come by the last day that statements tell of, and did not, has ended.
    """
    by_party: dict[tuple[str, str], list[Booking]] = defaultdict(list)
    known = [one for one in found if one.day <= today.isoformat()]
    for one in known:
        if one.amount < 0:
            by_party[party_key(one.party), one.currency].append(one)
    series = [part for own in by_party.values() for part in _parts(own)]
    told = []
    for part in series:
        if times := _times(part):
            late = 1.5 * 365.25 / times + _GIVE[times]
            told.append(Recurring(part, times, _days(part[-1], known[-1]) > late))
    return sorted(told, key=lambda one: (one.ended, -one.per_year))


def _days(before: Booking, after: Booking) -> int:
    return (date.fromisoformat(after.day) - date.fromisoformat(before.day)).days


def _parts(own: Sequence[Booking]) -> list[list[Booking]]:
    """Return bookings by their amounts, each behind the last one that it differs least from."""

    def change(part: Sequence[Booking]) -> float:
        return abs(one.amount - part[-1].amount) / -min(one.amount, part[-1].amount)

    parts: list[list[Booking]] = []
    for one in own:
        before = (part for part in parts if part[-1].day < one.day)  # two of one day are two
        near = min(before, key=change, default=None)
        if near is None or change(near) > _SAME:
            parts.append(near := [])
        near.append(one)
    return parts


def _times(part: Sequence[Booking]) -> int:
    """Return how many times a year bookings come, 0 if they are not regular."""
    gaps = [_days(before, after) for before, after in pairwise(part)]
    for times, give in _GIVE.items():
        once = [abs(gap - 365.25 / times) <= give for gap in gaps]
        twice = [abs(gap - 2 * 365.25 / times) <= give for gap in gaps]
        fits = all(a or b for a, b in zip(once, twice, strict=True))
        if fits and len(part) >= _LEAST.get(times, 3) and 3 * sum(once) >= 2 * len(once):
            return times
    return 0
