"""Puts a plan in words, so that a misread question is noticed."""

from __future__ import annotations

from sqlglot import exp

from manole.agent.plan.query import PlanError, parse

_NOUNS = {"entries": "diary entries"}
_TESTS: dict[type[exp.Expr], str] = {
    exp.EQ: "is", exp.NEQ: "is not", exp.GT: "above", exp.GTE: "at least", exp.LT: "below",
    exp.LTE: "at most", exp.Like: "like",
}  # fmt: skip
_OPERATORS = {"mentions": "that mention “{}”", "under": "in “{}”", "during": "of {}: {}"}
_AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Sum: "{} added up", exp.Avg: "average {}", exp.Max: "highest {}", exp.Min: "lowest {}",
}  # fmt: skip


def reading(sql: str) -> str:
    """Return a plan in words: "read as: files, kind is “pdf”, in “Work”; counted"."""
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
    if group := tree.args.get("group"):
        done.append(f"by {', '.join(part.sql() for part in group.expressions)}")
    if order := tree.args.get("order"):
        done += [
            f"{'most' if part.args.get('desc') else 'least'} {part.this.sql()} first"
            for part in order.expressions
        ]
    if limit := tree.args.get("limit"):
        done.append(f"the first {limit.expression.sql()}")
    return f"read as: {', '.join(parts)}; {', '.join(done) or 'listed'}"


def _made(item: exp.Expr) -> str:
    bare = item.unalias()
    if isinstance(bare, exp.Count):
        distinct = isinstance(bare.this, exp.Distinct)
        return f"different {bare.this.expressions[0].sql()}s counted" if distinct else "counted"
    for kind, words in _AGGREGATES.items():
        if isinstance(bare, kind):
            return words.format(bare.this.sql())
    return "calculated" if bare.find(exp.AggFunc) else ""


def _words(test: exp.Expr) -> str:
    if isinstance(test, exp.Paren):
        return f"({_words(test.this)})"
    if isinstance(test, (exp.And, exp.Or)):
        joint = ", " if isinstance(test, exp.And) else " or "
        return joint.join(_words(part) for part in (test.this, test.expression))
    if isinstance(test, exp.Not):
        return f"not {_words(test.this)}"
    if isinstance(test, exp.Anonymous) and str(test.this).lower() in _OPERATORS:
        return _OPERATORS[str(test.this).lower()].format(*(e.name for e in test.expressions))
    words = _TESTS.get(type(test))
    if words and isinstance(test.expression, exp.Literal):
        denied = "not " if test.args.get("negate") else ""
        return f"{test.this.sql()} {denied}{words} “{test.expression.name.strip('%')}”"
    return test.sql()
