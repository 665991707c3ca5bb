"""Reads question files: JSONL, one question a line, with its gold answers and gold files.

Fields: `id, question, answers` (or `answer`), `file` or `files`, `page` or `pages` (1-based),
`answerable`, `scope`, `all_of` / `all_required` (every part is needed), `kind`, `date_from`,
`date_to`, `asked_on` or `today`, `history`, `scale`, `must_not_contain`, `none_of`. Other fields
are kept for `--filter` and `--by`. A line that cannot be read is a `UsageError` that names it.
"""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from manole.errors import UsageError
from manole.models.chat.protocol import Message


@dataclass(frozen=True, slots=True)
class Question:
    """One question and its truth.

    Of `answers` any is enough, unless `parts` is set: then one alternative of each part is
    needed. `files` and `scope` are as the line has them until `within` has resolved them.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    files: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    answerable: bool = True
    scope: str | None = None
    kind: str | None = None
    date_from: date | None = None
    date_to: date | None = None
    asked_on: date | None = None  # "today" of the question
    history: tuple[Message, ...] = ()  # what came before, oldest first
    numeric: bool = False  # the answer is a number that may be rounded
    scale: str = ""
    must_not_contain: tuple[str, ...] = ()  # not even within a word
    wrong: tuple[str, ...] = ()  # what a right answer does not say
    fields: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


def load(path: Path) -> list[Question]:
    """Every question of a JSONL file. Raises `UsageError` naming the line that is wrong."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.", "Give a JSONL file.") from None
    questions: list[Question] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            questions.append(parse(json.loads(line), default_id=f"line-{number}"))
        except (ValueError, TypeError) as error:  # JSONDecodeError is a ValueError
            raise UsageError(
                f"{path}, line {number}: {error}.",
                'Each line is a JSON object with "question" and "answers".',
            ) from None
    if not questions:
        raise UsageError(f"{path} holds no questions.", "Give a JSONL file with one a line.")
    return questions


def parse(row: Any, default_id: str = "") -> Question:
    """One line's object. Raises `ValueError` or `TypeError` saying which field is wrong."""
    if not isinstance(row, dict):
        raise TypeError("not a JSON object")
    text = row.get("question")
    if not isinstance(text, str) or not text.strip():
        raise ValueError('"question" is missing or not a text')
    answers = _texts(row, "answers", "answer")
    answerable = row.get("answerable")
    listed = isinstance(row.get("all_of"), list)
    if answerable is None:
        if "answers" not in row and "answer" not in row and not listed:
            raise ValueError('"answers" is missing')
        answerable = bool(answers) or listed
    if not isinstance(answerable, bool):
        raise TypeError('"answerable" is not true or false')
    if answerable and not answers and not row.get("all_of"):
        raise ValueError('"answers" is empty, but "answerable" is true')
    scale = row.get("scale")
    return Question(
        id=str(row.get("id") or default_id),
        question=text.strip(),
        answers=answers,
        parts=_parts(row, answers),
        files=_texts(row, "files", "file"),
        pages=_pages(row),
        answerable=answerable,
        scope=_optional(row, "scope"),
        kind=_optional(row, "kind"),
        date_from=_day(row, "date_from"),
        date_to=_day(row, "date_to"),
        asked_on=_day(row, "asked_on") or _day(row, "today"),
        history=_history(row),
        numeric=scale is not None or row.get("answer_format") == "Float",
        scale=str(scale or ""),
        must_not_contain=_texts(row, "must_not_contain"),
        wrong=_texts(row, "none_of"),
        fields=row,
    )


def select(
    questions: Sequence[Question],
    *,
    filters: Sequence[str] = (),
    offset: int = 0,
    sample: int | None = None,
    limit: int | None = None,
) -> list[Question]:
    """The questions that every filter holds for, shuffled by seed `sample`, then cut.

    A filter is `field=value` or `field~part`, compared with what JSON writes (`true`, `3`,
    `["files/a.pdf"]`), a text without its quotes. Raises `UsageError` for a filter that is
    neither and when nothing is left.
    """
    chosen = list(questions)
    for condition in filters:
        parsed = re.fullmatch(r"([^=~]+)([=~])(.*)", condition, re.DOTALL)
        if parsed is None:
            raise UsageError(
                f"--filter {condition} has no value.", "Write field=value or field~part."
            )
        name, sign, value = parsed.groups()
        chosen = [
            question
            for question in chosen
            if (shown := _shown(question.fields.get(name))) == value
            or (sign == "~" and value in shown)
        ]
    if sample is not None:
        random.Random(sample).shuffle(chosen)  # noqa: S311 - a repeatable choice, no secret
    chosen = chosen[offset:]
    chosen = chosen[:limit] if limit is not None else chosen
    if not chosen:
        raise UsageError(
            f"No question is left of {len(questions)}.", "Check --filter, --offset and --limit."
        )
    return chosen


def within(
    questions: Sequence[Question], source: Path, root: Path, *, in_file: bool = False
) -> list[Question]:
    """The questions with `files` and `scope` relative to `root`, the folder that is indexed.

    With `in_file` a question without a scope is asked within its own file, as sets suppose whose
    questions were written with one table or document at hand.

    Values may be relative to the JSONL file's folder (`source`'s), to `root`, or to the folder
    above it; the first under which such a file exists and lies in `root` counts. Values that
    exist nowhere stay as they are: such a question can only be missed.
    """
    root = root.resolve()
    bases = (source.resolve().parent, root.parent, root)
    cache: dict[str, str] = {}

    def relative(value: str) -> str:
        if value not in cache:
            cache[value] = _relative(value, bases, root)
        return cache[value]

    def scope(question: Question) -> str | None:
        given = question.scope or (question.files[0] if in_file and question.files else None)
        return _scope(relative(given)) if given else None

    return [
        replace(question, files=tuple(map(relative, question.files)), scope=scope(question))
        for question in questions
    ]


def absent(questions: Sequence[Question], root: Path) -> list[str]:
    """Gold files that are not in `root`, in order."""
    named = dict.fromkeys(file for question in questions for file in question.files)
    return [file for file in named if not (root / file).is_file()]


def _relative(value: str, bases: Sequence[Path], root: Path) -> str:
    for base in bases:
        path = (base / value).resolve()
        if path.exists() and path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return value


def _scope(relative: str) -> str | None:
    return None if relative == "." else relative


def _texts(row: dict[str, Any], *names: str) -> tuple[str, ...]:
    for name in names:
        value = row.get(name)
        if value is None:
            continue
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str | int | float) for item in items):
            raise TypeError(f'"{name}" is not a list of texts')
        return tuple(str(item) for item in items)
    return ()


def _history(row: dict[str, Any]) -> tuple[Message, ...]:
    given = row.get("history") or []
    try:
        said = [(message["role"], message["content"]) for message in given]
    except (KeyError, TypeError) as error:
        raise TypeError('"history" is not a list of messages with role and content') from error
    if not all(role in {"user", "assistant"} and isinstance(text, str) for role, text in said):
        raise ValueError('"history" has a role other than user and assistant')
    return tuple(Message(role, text) for role, text in said)


def _parts(row: dict[str, Any], answers: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """`all_of` as a list names the parts; `all_of` or `all_required` true makes them of answers.

    A gold answer that is itself a written list (`"['a', 'b']"`, as MMLongBench has them) needs
    all its items too.
    """
    given = row.get("all_of")
    if isinstance(given, list):
        return tuple(
            tuple(str(item) for item in part) if isinstance(part, list) else (str(part),)
            for part in given
        )
    if given is True or row.get("all_required") is True:
        return tuple((answer,) for answer in answers)
    if row.get("answer_format") == "List" and len(answers) == 1:
        try:
            items = ast.literal_eval(answers[0])
        except (ValueError, SyntaxError):
            return ()
        if isinstance(items, list):
            return tuple((str(item),) for item in items)
    return ()


def _pages(row: dict[str, Any]) -> tuple[int, ...]:
    value = row.get("pages") or row.get("page")
    if value is None or value == []:
        return ()
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, int) and not isinstance(item, bool) for item in items):
        raise TypeError('"page" is not a number')
    return tuple(items)


def _optional(row: dict[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise TypeError(f'"{name}" is not a text')
    return value or None


def _day(row: dict[str, Any], name: str) -> date | None:
    value = _optional(row, name)
    try:
        return date.fromisoformat(value) if value else None
    except ValueError:
        raise ValueError(f'"{name}" is not a date like 2024-05-31') from None


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
