"""Puts a plan in words, so that a misread question is noticed."""

from __future__ import annotations

from sqlglot import exp

from manole.agent.plan.query import PlanError, parse
from manole.text.counted import counted

_MOST = 4  # alternatives that are named
_NOUNS = {"entries": "diary entries"}
_TESTS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "≠", exp.GT: ">", exp.GTE: "≥", exp.LT: "<", exp.LTE: "≤",
    exp.Like: "like",
}  # fmt: skip
_OPERATORS = {"mentions": "that mention “{}”", "under": "in “{}”", "during": "of {}: {}"}
_AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Sum: "{} added up", exp.Avg: "average {}", exp.Max: "highest {}", exp.Min: "lowest {}",
}  # fmt: skip


def reading(sql: str) -> str:
    """Return a plan in words: "read as: files, kind = “pdf”, in “Work”; counted"."""
    try:
        tree = parse(sql).tree
    except PlanError:
        return "what the catalog knows"
    item = tree.expressions[0].unalias()
    if isinstance(item, exp.Exists) and isinstance(item.this, exp.Select):
        tree = item.this
    table = tree.find(exp.Table)
    name = table.name.lower() if table else "files"
    where = tree.args.get("where")
    parts = [_NOUNS.get(name, name), *([_words(where.this)] if where else [])]
    done = [word for word in map(_made, tree.expressions) if word]
    if isinstance(item, exp.Exists):
        done = ["whether there are any"]
    group, order = tree.args.get("group"), tree.args.get("order")
    groups = [_of(part) for part in group.expressions] if group else []
    if groups:  # amounts are never added up across currencies
        done.append(f"by {', '.join(name for name in groups if name != 'currency') or groups[0]}")
    done += [
        f"{'most' if part.args.get('desc') else 'least'} {_of(part.this)} first"
        for part in (order.expressions if order else ())
        if part.args.get("desc") or _of(part.this) not in groups
    ]
    if limit := tree.args.get("limit"):
        done.append(f"the first {limit.expression.sql()}")
    told = ", ".join(parts).replace(", that ", " that ", 1)
    return f"read as: {told}; {', '.join(done) or 'listed'}"


def reckoned(tree: exp.Select) -> str:
    """Return how the figures of a query come about, in words: "price added up, kind = “food”"."""
    where, items = tree.args.get("where"), tree.expressions
    if len(items) == 1 and isinstance(form := _bare(items[0]), exp.Sum | exp.Avg):
        how = [_of(form.this)]  # the sentence says what was done
    else:
        how = [word for word in map(_made, items) if word not in {"", "calculated"}]
    named = dict.fromkeys(_of(c) for item in items for c in item.find_all(exp.Column))
    if not how and (part := tree.expressions[0].find(exp.If)) and len(items) == 1:
        how = [_words(part.this)]  # of a share
    elif not how and named:
        how = [f"from {', '.join(named)}"]
    told = [word for word in how if word != "counted"]
    return ", ".join([*told, *([_words(where.this)] if where else [])])


def _bare(item: exp.Expr) -> exp.Expr:
    """Return what an item calculates, whatever its sign is."""
    bare = item.unalias()
    return bare.this if isinstance(bare, exp.Abs) else bare


def _made(item: exp.Expr) -> str:
    bare = _bare(item)
    if isinstance(bare, exp.Count):
        distinct = isinstance(bare.this, exp.Distinct)
        return f"different {_of(bare.this.expressions[0])}s counted" if distinct else "counted"
    for kind, words in _AGGREGATES.items():
        if isinstance(bare, kind):
            return words.format(_of(bare.this))
    return "calculated" if bare.find(exp.AggFunc) else ""


def _of(value: exp.Expr) -> str:
    """Return what a value is in words: a column, a part of a day, a count; else a calculation."""
    if isinstance(value, exp.Column | exp.Identifier):
        return value.name.replace("_", " ")
    if isinstance(value, exp.Literal):
        said = value.name.strip("%")
        return said if said.replace(".", "", 1).isdecimal() else f"“{said}”"
    if isinstance(value, exp.Count):
        return "number"
    if isinstance(value, exp.Substring) and (end := value.args.get("length")) is not None:
        return {"4": "year", "7": "month"}.get(end.name, _of(value.this))
    if isinstance(value, exp.Anonymous) and str(value.this).lower() == "value":
        return str(value.expressions[-1].name)
    if isinstance(value, exp.Paren | exp.Cast | exp.Lower | exp.Upper | exp.Alias):
        return _of(value.this)
    for kind, words in _AGGREGATES.items():
        if isinstance(value, kind):
            return words.format(_of(value.this))
    return "a calculation"


def _words(test: exp.Expr) -> str:
    if isinstance(test, exp.Paren):
        inner, joined = _words(test.this), isinstance(test.this, exp.And | exp.Or)
        return f"({inner})" if joined and not _either(test.this) else inner
    if isinstance(test, exp.And) and (span := _span(test.this, test.expression)):
        return span
    if either := _either(test):
        return either
    if isinstance(test, exp.And | exp.Or):
        joint = ", " if isinstance(test, exp.And) else " or "
        parts = list(test.flatten()) if joint == " or " else [test.this, test.expression]
        more = [f"{len(parts) - _MOST} more"] if len(parts) > _MOST + 1 else []
        return joint.join([*map(_words, parts[: _MOST if more else None]), *more])
    if isinstance(test, exp.Not):
        if isinstance(is_null := test.this.unnest(), exp.Is):
            return f"{_of(is_null.this)} ≠ –"
        return f"not {_words(test.this)}"
    if isinstance(test, exp.Anonymous) and str(test.this).lower() in _OPERATORS:
        told = [e.name for e in test.expressions]
        return _OPERATORS[str(test.this).lower()].format(*told[:1], " and ".join(told[1:]))
    if isinstance(test, exp.In):
        named = " / ".join(_of(value) for value in test.expressions)
        if _of(test.this) == "path" and len(test.expressions) > 1:
            return f"of {counted(len(test.expressions), 'file')}"
        return f"{_of(test.this)} = {named}" if named else "a further condition"
    if isinstance(test, exp.Between):
        return f"{_of(test.this)} from {_of(test.args['low'])} to {_of(test.args['high'])}"
    if isinstance(test, exp.Is):
        return f"{_of(test.this)} = –"
    words = _TESTS.get(type(test))
    if words is None:
        return "a further condition"
    if isinstance(test.this, exp.Anonymous) and str(test.this.this).lower() in _OPERATORS:
        return _words(test.this)  # which is a condition already: what it is compared with is idle
    denied = "not " if test.args.get("negate") else ""
    return f"{_of(test.this)} {denied}{words} {_of(test.expression)}"


def _either(test: exp.Expr) -> str:
    """Return which of a few values one column has, "" for other tests."""
    parts = list(test.flatten()) if isinstance(test, exp.Or) else []
    same = parts and all(isinstance(p, exp.EQ) and p.this == parts[0].this for p in parts)
    if not same or len(parts) > _MOST + 1:
        return ""
    return f"{_of(parts[0].this)} = {' / '.join(_of(part.expression) for part in parts)}"


def _span(begin: exp.Expr, end: exp.Expr) -> str:
    """Return what lies between two values of one column, "" for other tests."""
    if not (isinstance(begin, exp.GTE) and isinstance(end, exp.LTE) and begin.this == end.this):
        return ""
    return f"{_of(begin.this)} {begin.expression.name} – {end.expression.name}"
