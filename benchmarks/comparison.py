"""Several systems' answers to the same questions, side by side, and their ratios.

A row is a system. Only questions that every system has answered count, so that a run which was
stopped compares like with like. The aims set the default agent against the better of the two
designs run literally, the fixed pipeline and the literal agent: the one with more right answers,
between equals the quicker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from figures import Figures
from manole_evaluate.runner import Outcome
from manole_evaluate.summary import AnswerSummary, Share, summarise

OURS = "agent"
LITERAL = ("pipeline", "literal")  # the two designs, by their labels

POINTS = 5.0  # percentage points of accuracy above the better design
READ = 1 / 5  # of its tokens read, at most
SECONDS = 1 / 8  # of its median seconds, at most
DECLINED_RIGHTLY, DECLINED_WRONGLY = 0.9, 0.05


@dataclass(frozen=True, slots=True)
class Entry:
    """One system's answer to one question of one set. `figures` is None where it declined."""

    set: str
    system: str
    outcome: Outcome
    figures: Figures | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The question, whoever answers it."""
        return self.set, self.outcome.question.id

    def as_json(self) -> dict[str, Any]:
        """The entry as one JSON object, a line of a details file."""
        figures = asdict(self.figures) if self.figures else None
        return {
            "set": self.set,
            "system": self.system,
            "figures": figures,
            **self.outcome.as_json(),
        }

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Entry:
        """The entry that `as_json` wrote. Raises `ValueError`, `TypeError`, `KeyError`."""
        given = row["figures"]
        figures = Figures(**{name: tuple(n) for name, n in given.items()}) if given else None
        return cls(row["set"], row["system"], Outcome.from_json(row), figures)


@dataclass(frozen=True, slots=True)
class Row:
    """What one system did. `supported` is of the answers that show a number at all."""

    questions: int
    unanswerable: int
    answers: AnswerSummary
    supported: Share  # every number is in a cited source or computed by code
    computed: int  # numbers that code computed
    unsupported: int  # numbers that a model wrote and no cited source has


@dataclass(frozen=True, slots=True)
class Aim:
    """One aim: what was reached, what was wanted. `met` is None where nothing can be said."""

    label: str
    reached: str
    wanted: str
    met: bool | None


def common(entries: Sequence[Entry]) -> list[Entry]:
    """The entries of questions that every system in `entries` has answered."""
    systems = {entry.system for entry in entries}
    seen: dict[tuple[str, str], set[str]] = {}
    for entry in entries:
        seen.setdefault(entry.key, set()).add(entry.system)
    return [entry for entry in entries if seen[entry.key] == systems]


def rows(entries: Sequence[Entry]) -> dict[str, Row]:
    """A row for each system, in order of appearance. `entries` as `common` gives them."""
    by_system: dict[str, list[Entry]] = {}
    for entry in entries:
        by_system.setdefault(entry.system, []).append(entry)
    return {system: _row(group) for system, group in by_system.items()}


def better_design(made: Mapping[str, Row]) -> str | None:
    """The better of the two literal designs, None when neither was asked."""
    present = [name for name in LITERAL if name in made]
    return max(
        present,
        key=lambda name: (
            made[name].answers.correct.value or 0.0,
            -made[name].answers.total_s.median,
        ),
        default=None,
    )


def aims(made: Mapping[str, Row]) -> list[Aim]:
    """The aims for the default agent; none when it or both designs are missing."""
    name = better_design(made)
    if name is None or OURS not in made:
        return []
    row, against = made[OURS], made[name].answers
    ours = row.answers
    gained = 100 * ((ours.correct.value or 0.0) - (against.correct.value or 0.0))
    supported = row.supported.value
    return [
        Aim(
            f"accuracy against {name}", f"{gained:+.1f} points", f"+{POINTS:.0f}", gained >= POINTS
        ),
        _ratio(f"tokens read against {name}", ours.tokens_read, against.tokens_read, READ),
        _ratio(
            f"median seconds against {name}", ours.total_s.median, against.total_s.median, SECONDS
        ),
        _least("unanswerable, declined", ours.declined_rightly, DECLINED_RIGHTLY),
        _most("answerable, declined", ours.declined_wrongly, DECLINED_WRONGLY),
        Aim(
            "answers whose every number is in a cited source",
            "–" if supported is None else f"{supported:.3f}",
            "1.0",
            None if supported is None else supported >= 1.0,
        ),
    ]


def markdown(made: Mapping[str, Row]) -> str:
    """Two tables, answers and cost, and the aims."""
    return "\n\n".join(
        part
        for part in (
            _table(_ANSWERS, {name: list(_answers(row)) for name, row in made.items()}),
            _table(_COST, {name: list(_cost(row.answers)) for name, row in made.items()}),
            _aims(aims(made)),
        )
        if part
    )


def as_json(made: Mapping[str, Row]) -> dict[str, Any]:
    """Rows and aims; shares carry counts and intervals."""
    return {
        "systems": {name: _plain(asdict(row), row) for name, row in made.items()},
        "against": better_design(made),
        "aims": [asdict(aim) for aim in aims(made)],
    }


def _row(entries: Sequence[Entry]) -> Row:
    summary = summarise([entry.outcome for entry in entries])
    assert summary.answers is not None
    figures = [entry.figures for entry in entries if entry.figures and entry.figures.shown]
    return Row(
        questions=summary.questions,
        unanswerable=summary.unanswerable,
        answers=summary.answers,
        supported=Share(sum(not f.unsupported for f in figures), len(figures)),
        computed=sum(len(f.computed) for f in figures),
        unsupported=sum(len(f.unsupported) for f in figures),
    )


def _ratio(label: str, ours: float, theirs: float, most: float) -> Aim:
    wanted = f"≤ 1/{1 / most:.0f}"
    if theirs <= 0:
        return Aim(label, "–", wanted, None)
    ratio = ours / theirs
    reached = f"{ratio:.3f} (1/{1 / ratio:.1f})" if ratio > 0 else "0"
    return Aim(label, reached, wanted, ratio <= most)


def _least(label: str, share: Share, least: float) -> Aim:
    met = None if share.value is None else share.value >= least
    return Aim(label, _share(share), f"≥ {least}", met)


def _most(label: str, share: Share, most: float) -> Aim:
    met = None if share.value is None else share.value <= most
    return Aim(label, _share(share), f"≤ {most}", met)


_ANSWERS = (
    "system", "questions", "correct", "95 % interval", "declined, unanswerable",
    "declined, answerable", "citation correct", "every number in a cited source",
    "numbers computed / unsupported", "crashed",
)  # fmt: skip
_COST = (
    "system", "model calls", "tokens read", "cached", "written", "first token, median",
    "seconds, median", "seconds, p95",
)  # fmt: skip


def _answers(row: Row) -> Iterator[str]:
    low, high = row.answers.correct.interval
    yield str(row.questions)
    yield _share(row.answers.correct)
    yield f"{100 * low:.1f}–{100 * high:.1f} %"
    yield _share(row.answers.declined_rightly)
    yield _share(row.answers.declined_wrongly)
    yield _share(row.answers.citation_correct)
    yield _share(row.supported)
    yield f"{row.computed} / {row.unsupported}"
    yield str(row.answers.crashed)


def _cost(answers: AnswerSummary) -> Iterator[str]:
    yield f"{answers.model_calls:.2f}"
    yield f"{answers.tokens_read:.0f}"
    yield f"{answers.tokens_cached:.0f}"
    yield f"{answers.tokens_written:.0f}"
    yield f"{answers.first_token_s.median:.2f} s"
    yield f"{answers.total_s.median:.2f} s"
    yield f"{answers.total_s.p95:.2f} s"


def _table(heads: Sequence[str], lines: Mapping[str, Sequence[str]]) -> str:
    made = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    made += [f"| {name} | " + " | ".join(cells) + " |" for name, cells in lines.items()]
    return "\n".join(made)


def _aims(reached: Sequence[Aim]) -> str:
    if not reached:
        return ""
    said = {None: "–", True: "yes", False: "no"}
    cells = {aim.label: [aim.reached, aim.wanted, said[aim.met]] for aim in reached}
    return _table((f"aim of {OURS}", "reached", "wanted", "met"), cells)


def _share(share: Share) -> str:
    if share.value is None:
        return "–"
    return f"{100 * share.value:.1f} % ({share.count}/{share.total})"


def _plain(made: dict[str, Any], row: Row) -> dict[str, Any]:
    made["supported"] = row.supported.as_json()
    for name in made["answers"]:
        value = getattr(row.answers, name)
        if isinstance(value, Share):
            made["answers"][name] = value.as_json()
    return made
