"""Puts the result of a query in words, with the rows behind it, without a model.

A figure is a sentence, and the rows behind it are objects that no text names (`Answer.folded`): the
page and the terminal show them once, below. Groups are a line each; only a list lists.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from math import fsum
from os.path import commonpath
from pathlib import PurePosixPath

from sqlglot import exp

from manole.agent.languages import ENGLISH, Words
from manole.agent.plan.answered import (
    EXAMPLES,
    LISTED,
    Answer,
    Found,
    Group,
    Row,
    cells_of,
    cited,
    marks,
    rest_of,
)
from manole.agent.plan.list_cells import (
    ROW,
    amount_told,
    cells_told,
    list_cells,
)
from manole.agent.plan.notation import PERCENT, in_order, is_time, written
from manole.agent.plan.query import Checked
from manole.agent.plan.reading import reckoned
from manole.catalog.relations import MONEY
from manole.catalog.sandbox import Value
from manole.tools.objects import FoundRow

_CITED = 50  # files behind a figure that can be opened; some clients print them all
_FEW = 3  # files that are named within the sentence
_FOLDERS = 4  # that are named within it
_NOUNS = {
    "files": "file", "folders": "folder", "papers": "paper", "messages": "message",
    "entries": "entry", "people": "entry", "tasks": "task", "events": "event",
    "tags": "file", "properties": "file",
}  # fmt: skip
_SORTS = frozenset({"kind", "type"})
_COUNTED = {"date": "day", "written": "entry", "path": "file"}
_TOLD = frozenset({"papers", "messages"})  # a row of which is told, and then its file named
_UNNAMED = {  # need no label
    "path", "name", "folder", "kind", "text", "size", "date", "issuer", "sender", "subject",
    "title", "start", "place", "notes", *MONEY,
}  # fmt: skip


def say(plan: Checked, found: Found, words: Words = ENGLISH) -> Answer:
    """Return the answer: yes or no, a figure, or a list; without text where there is none.

    It is written in the language of `words`; names and values stay as they are in the files.
    """
    if plan.asks_whether:
        answer = _whether(plan, found, words)
    elif plan.grouped or plan.computes:
        answer = _computed(plan, found, words)
    else:
        told = list_cells if _of_sheet(plan) else _listed
        answer = told(plan, found, words)
    return _with_others(answer, plan, found, words)


def _with_others(answer: Answer, plan: Checked, found: Found, words: Words) -> Answer:
    """Return an answer about paid or open papers with the number of those that it leaves out."""
    forms = ((found.unpaid, words.unpaid), (found.untold, words.untold))
    notes = [form[n > 1].format(count=words.number(n)) for n, form in forms if n]
    if not notes:
        return answer
    text = answer.text or words.nothing.format(nouns=words.plural(_called(plan)[0]))
    return replace(answer, text=("\n" if "\n" in text else " ").join([text, " ".join(notes)]))


def _of_sheet(plan: Checked) -> bool:
    return plan.source.name not in _NOUNS


def _whether(plan: Checked, found: Found, words: Words) -> Answer:
    called, _ = _called(plan)
    if not found.behind:
        return Answer(words.no.format(nouns=words.plural(called)))
    of = _rows_of(plan, found, called, words)
    return _based_on(words.yes.format(found=of), plan, found, of, named=_FEW)


def _computed(plan: Checked, found: Found, words: Words) -> Answer:
    called, every = _called(plan)
    of = _rows_of(plan, found, called, words)
    how = reckoned(plan.outer) if _of_sheet(plan) and not plan.grouped else ""
    how = f" ({how})" if how else ""
    items = [item.unalias() for item in plan.outer.expressions]
    computed = [n for n, item in enumerate(items) if item.find(exp.AggFunc)]
    rows = [r for r in found.rows if not computed or any(r[n] is not None for n in computed)]
    if not rows:
        return Answer("")
    if len(items) == 1 and isinstance(items[0], exp.Count):
        count = int(rows[0][0] or 0)
        if isinstance(items[0].this, exp.Distinct):
            column = items[0].this.expressions[0].name
            head = words.many(count, _COUNTED.get(column, column))
        else:
            head = words.counted(count, called, every=every) + _by_folder(found, words)
        return _based_on(f"{head}{how}", plan, found, of)
    if plan.in_days:
        days = words.many(abs(round(float(rows[0][0] or 0))), "day")
        return _based_on(f"{days}{how}", plan, found, of, named=2)
    form = words.averaged if items[0].find(exp.Avg) else words.summed
    column = plan.added.name if plan.added is not None else ""
    lacks = _lacking(found.lacking, found.stands_on + found.lacking, called, column, words)
    alone = {*found.names[1:]} <= {"currency"} and computed == [0]
    if plan.added is not None and alone and ("currency" in found.names or not _of_sheet(plan)):
        amounts = words.joined(
            _row(plan, found.names, row, words, decimals=found.decimals) for row in rows
        )
        amounts = _paid(plan, amounts, words)
        head = form.format(amount=amounts, found=of) if found.stands_on > 1 else amounts
        return _based_on(head, plan, found, of, lacks)
    origin = words.origin.format(found=of) if found.stands_on > 1 else ""
    if len(rows) == 1:
        figure = _row(plan, found.names, rows[0], words, decimals=found.decimals)
        figure = _paid(plan, figure, words) if alone else figure
        if not plan.outer.args.get("limit"):  # else it is asked which one
            figure = next(
                (f"{g['said']} ({g['name']})" for g in _groups(plan, found, rows, words)), figure
            )
        counts = any(isinstance(item, exp.Count) for item in items) and _of_sheet(plan)
        if plan.added is not None and alone and found.stands_on > 1:
            head = f"{form.format(amount=figure, found=of)}{how}"
        else:
            head = ", ".join(filter(None, (f"{figure}{how}", "" if counts else origin)))
        return _based_on(head, plan, found, of, lacks)
    groups = _groups(plan, found, rows, words)
    lines = _aligned(groups) or [f"- {_row(plan, found.names, row, words)}" for row in rows]
    if groups and not plan.outer.args.get("limit") and found.total == len(found.rows):
        origin = _in_all(plan, found, rows, of, words) or origin
    listed = [f"{origin[:1].upper()}{origin[1:]}:" if origin else "", *lines[:LISTED]]
    text = "\n".join(listed) + rest_of(found.total, words) + (f"\n{lacks}" if lacks else "")
    objects = _cited(plan, found)
    return Answer(text, objects, groups=groups[:LISTED], folded=of if objects else "")


def _paid(plan: Checked, amount: str, words: Words) -> str:
    """Return a sum of what went out of an account as one says it; another figure as it is."""
    item = plan.outer.expressions[0].unalias()
    spent = _of_sheet(plan) and isinstance(item, exp.Abs) and isinstance(item.this, exp.Sum)
    return words.paid.format(amount=amount) if spent else amount


def _by_folder(found: Found, words: Words) -> str:
    """Return how many of the counted files lie in which folder; "" where one has all."""
    paths = [str(row["path"]) for row in found.behind if row.get("path")]
    if len(paths) <= _FEW or len(paths) != found.stands_on:
        return ""
    folders = [PurePosixPath(path).parent for path in paths]
    shared = PurePosixPath(commonpath(folders))
    tops = Counter(folder.relative_to(shared).parts[:1] for folder in folders)
    if len(tops) < 2:
        return ""
    named = [(top[0], count) for top, count in tops.most_common() if top][:_FOLDERS]
    rest = len(paths) - sum(count for _, count in named)
    parts = [f"{name} {words.number(count)}" for name, count in named]
    return f": {', '.join(parts)}" + (
        f", {words.more.format(count=words.number(rest))}" if rest else ""
    )


def _cited(plan: Checked, found: Found) -> list[FoundRow]:
    return cited(found.behind[: EXAMPLES if _of_sheet(plan) else _CITED])


def _rows_of(plan: Checked, found: Found, called: str, words: Words) -> str:
    """Return how many rows a result stands on; sheets as files where their rows are unknown."""
    unknown = _of_sheet(plan) and plan.base is None
    return words.many(found.stands_on, "file" if unknown else called)


def _called(plan: Checked) -> tuple[str, bool]:
    """Return the noun for what a plan counts, and whether it says all the plan's conditions."""
    noun, where = _NOUNS.get(plan.source.name, ROW), plan.outer.args.get("where")
    if where is None or noun == ROW:
        return noun, noun != ROW
    tests = where.this.flatten() if isinstance(where.this, exp.And) else (where.this,)
    sorts = [t.expression.name for t in tests if isinstance(t, exp.EQ) and t.this.name in _SORTS]
    known = next((sort for sort in sorts if sort in ENGLISH.nouns), noun)
    return known, known != noun and isinstance(where.this, exp.EQ)


def _based_on(
    head: str, plan: Checked, found: Found, of: str, notes: str = "", *, named: int = 1
) -> Answer:
    """Return a sentence with the rows `of` it: up to `named` of them in it, more are folded."""
    objects = _cited(plan, found)
    end = f" {notes}" if notes else ""
    if not objects or found.stands_on > named:
        return Answer(f"{head}.{end}", objects, folded=of if objects else "")
    files: dict[str, list[int]] = defaultdict(list)
    for row in objects:
        files[row.file].append(row.n)
    places = ", ".join(f"{file} {marks(ns)}" for file, ns in files.items())
    return Answer(f"{head}: {places}{f'.{end}' if end else ''}", objects)


def _lacking(count: int, total: int, called: str, column: str, words: Words) -> str:
    """Return how many of all have nothing in the column and are not in its sum; "" for none."""
    form = words.lacking[count > 1]
    found = words.many(total, called)
    told = {"count": words.number(count), "all": words.number(total), "found": found}
    return form.format(**told, column=words.column(column).replace("_", " ")) if count else ""


def _groups(plan: Checked, found: Found, rows: Sequence[Row], words: Words) -> list[Group]:
    """Return the figures of groups with one number each; times in their order, unless cut.

    None for amounts in several currencies, which cannot be compared.
    """
    items, names = plan.outer.expressions, found.names
    numbers = [n for n, item in enumerate(items) if item.find(exp.AggFunc)]
    keys = [n for n, name in enumerate(names) if n not in numbers and name != "currency"]
    cells = [dict(zip(names, row, strict=True)) for row in rows]
    currencies = {str(cell.get("currency") or "") for cell in cells}
    if len(numbers) != 1 or not keys or len(currencies) > 1 or len(items) != len(names):
        return []
    (number,), (currency,) = numbers, currencies
    if not all(isinstance(row[number], (int, float)) for row in rows):
        return []
    if len(keys) == 1 and not plan.outer.args.get("limit") and is_time(plan.source, items[keys[0]]):
        rows = sorted(rows, key=lambda row: in_order(row[keys[0]]))

    def cell(row: Row, n: int) -> str:
        if row[n] is None:
            return words.unknown
        if n == number and _of_sheet(plan):
            return amount_told(items[n], row[n], words, found.decimals)
        return written(plan.source, items[n], names[n], row[n], words, short=True)

    return [
        Group(
            name=", ".join(cell(row, n) for n in keys),
            value=row[number],
            said=f"{cell(row, number)} {currency}".strip(),
        )
        for row in rows
    ]


def _in_all(plan: Checked, found: Found, rows: Sequence[Row], of: str, words: Words) -> str:
    """Return what groups with one number each come to; "" for what cannot be added."""
    items, names = plan.outer.expressions, found.names
    n = next(n for n, item in enumerate(items) if item.find(exp.AggFunc))
    figure = items[n].unalias()
    if isinstance(figure, exp.Count) and not isinstance(figure.this, exp.Distinct):
        return of
    if not isinstance(figure, exp.Sum):
        return ""
    whole = fsum(float(row[n] or 0) for row in rows)
    amount = written(plan.source, items[n], names[n], whole, words, short=True)
    if _of_sheet(plan):
        amount = amount_told(items[n], whole, words, found.decimals)
    currency = dict(zip(names, rows[0], strict=True)).get("currency") or ""
    return words.summed.format(amount=f"{amount} {currency}".strip(), found=of)


def _aligned(groups: Sequence[Group]) -> list[str]:
    """Return a line for each group, the names and the figures below each other."""
    left = max((len(group["name"]) for group in groups), default=0)
    right = max((len(group["said"]) for group in groups), default=0)
    return [f"{group['name']:<{left}}  {group['said']:>{right}}" for group in groups]


def _listed(plan: Checked, found: Found, words: Words) -> Answer:
    called, _ = _called(plan)
    if not found.rows:
        return Answer(words.nothing.format(nouns=words.plural(_NOUNS[plan.source.name])))
    rows = found.rows
    columns = [dict(zip(found.names, row, strict=True)) for row in rows]
    # A folder has no page that could be opened. Without a path, the rows behind are those listed.
    at = found.behind if len(found.behind) == len(rows) else columns
    opens = plan.source.name != "folders" and all(place.get("path") for place in at)
    objects = cited(at, [cells_of(row) for row in columns]) if opens else []
    if len(rows) == 1:
        told = plan.source.name in _TOLD and bool(objects)
        dated = found.names[-1] == "date" and columns[0].get("due")  # the day that counts
        end = -1 if told and dated else None
        head = _row(plan, found.names[:end], rows[0][:end], words, pathless=told)
        if told and next((name for name in found.names if name != "path"), "") not in _UNNAMED:
            head = f"{head[:1].upper()}{head[1:]}"  # a label
        text = ": ".join(filter(None, (head, objects[0].file))) if told else head
        return Answer(f"{text} [1]" if objects else text, objects)
    lines = [
        f"- {_row(plan, found.names, row, words)}{f' [{n}]' if objects else ''}"
        for n, row in enumerate(rows[:LISTED], start=1)
    ]
    notes = ""
    if plan.outer.args.get("distinct") and "path" not in found.names:
        head = words.in_all.format(count=words.number(found.total))  # values, and no files
    else:
        together = _together(found, words)
        head = f"{words.many(found.total, called)}{together}:"
        missing = sum(row["total"] is None for row in columns) if together else 0
        notes = _lacking(missing, found.total, called, "total", words)
    listed = "\n".join([head, *lines]) + rest_of(found.total, words)
    return Answer(f"{listed}\n{notes}".strip(), objects, listed=bool(objects))


def _together(found: Found, words: Words) -> str:
    """Return the sums of listed papers by currency."""
    if not {"total", "currency"} <= set(found.names) or found.total > len(found.rows):
        return ""
    sums: dict[Value, Decimal] = defaultdict(Decimal)
    for row in found.rows:
        cells = dict(zip(found.names, row, strict=True))
        if cells["total"] is not None:
            sums[cells["currency"]] += Decimal(str(cells["total"]))
    said = [f"{words.number(amount, 2)} {of or ''}".strip() for of, amount in sums.items()]
    return f", {words.together} {words.joined(said)}" if said else ""


def _row(
    plan: Checked,
    names: Sequence[str],
    row: Row,
    words: Words,
    *,
    pathless: bool = False,
    decimals: int = 0,
) -> str:
    """Return the cells of a row, those with a label that need one."""
    if _of_sheet(plan):
        return cells_told(plan, names, row, words, decimals)
    items = plan.outer.expressions
    shown = []
    amounts = len(MONEY.intersection(names))
    currencies = (str(v) for n, v in zip(names, row, strict=True) if n == "currency" and v)
    currency = next(currencies, "") if PERCENT not in names else ""
    for n, (name, value) in enumerate(zip(names, row, strict=True)):
        if value is None or value == "" or (name == "currency" and len(row) > 1):
            continue
        if pathless and name == "path":
            continue
        item = items[n] if n < len(items) else None
        counted = item.unalias() if item is not None else None
        if isinstance(counted, exp.Count) and not isinstance(counted.this, exp.Distinct):
            shown.append(words.many(int(value or 0), _NOUNS[plan.source.name]))
            continue
        text = written(plan.source, item, name, value, words)
        if currency and item is not None and MONEY & {c.name for c in item.find_all(exp.Column)}:
            text = f"{text} {currency}"
        plain = "(" in name or (name in _UNNAMED and (name not in MONEY or amounts == 1))
        label = "" if plain or n == 0 or text.endswith(name) else f"{words.column(name)} "
        shown.append(f"{label}{text}" if isinstance(item, exp.Expression) else text)
    if currency and not any(currency in part for part in shown):
        shown.append(currency)
    return ", ".join(shown)
