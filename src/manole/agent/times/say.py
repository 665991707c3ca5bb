"""A finding in words, with the lines that bear it out."""

from __future__ import annotations

from manole.agent.times.asked import TimeQuestion
from manole.agent.times.compute import Finding

_LISTED = 40  # days or names that are said


def said(asked: TimeQuestion, finding: Finding, cited: int) -> str:
    """The answer, with `[1]`, `[2]` … for the first `cited` mentions."""
    marks = "".join(f"[{n}]" for n in range(1, cited + 1))
    number = len(finding.mentions)
    match asked.kind:
        case "count":
            times = "Once" if number == 1 else f"{finding.value} times"
            value = f"{times} ({finding.value})" if number == 1 else times
            return f"{value}: {_days(finding)} {marks}"
        case "sum":
            entries = "one entry" if number == 1 else f"{number} entries"
            return f"{finding.value} {asked.unit}, from {entries} {marks}"
        case "most":
            return f"{finding.value} ({_shares(asked, finding)}) {marks}"
        case "who":
            return f"{finding.value if asked.one else _names(finding)} {marks}"
        case "what":
            quoted = zip(finding.mentions, range(1, cited + 1), strict=False)
            return "\n".join(f"“{mention.text}” [{n}]" for mention, n in quoted)
        case "between":
            first, second = finding.days
            return f"{finding.value} days, from {first.isoformat()} to {second.isoformat()} {marks}"
    if finding.told is None:
        return f"{finding.value} {marks}"
    why = f"“{finding.told}”" if finding.told else "the day of the entry"
    return f"{finding.value} ({why}) {marks}"


def _days(finding: Finding) -> str:
    listed = [day.isoformat() for day in finding.days[:_LISTED]]
    more = len(finding.days) - len(listed)
    return "on " + ", ".join(listed) + (f" and {more} more days" if more > 0 else "")


def _shares(asked: TimeQuestion, finding: Finding) -> str:
    unit = " minutes" if asked.weighed else "×"
    best = [f"{name} {weight:g}{unit}" for name, weight in finding.shares[:3]]
    return ", ".join(best)


def _names(finding: Finding) -> str:
    listed = [f"{name} ({count:g}×)" for name, count in finding.shares[:_LISTED]]
    return ", ".join(listed)
