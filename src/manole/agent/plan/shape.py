"""Adds to a query of the model what its rows need to be said: a note's text, a currency, days."""

from __future__ import annotations

from sqlglot import exp

from manole.agent.plan.query import calls_of, tables_of
from manole.catalog.relations import DIARY, MONEY


def shape(tree: exp.Select) -> None:
    """Complete a query in place."""
    if tables_of(tree) & DIARY:
        _read(tree)
        _days(tree)
    if tables_of(tree) == {"papers"}:
        _one_of_papers(tree)
        _of_papers(tree)


def _of_papers(tree: exp.Select) -> None:
    """Select the issuer of a paper and the currency of an amount; add per currency only."""
    items = [item.unalias() for item in tree.expressions]
    added = any(isinstance(item, (exp.Sum, exp.Avg)) and item.this.name in MONEY for item in items)
    listed = any(isinstance(item, exp.Column) and item.name in MONEY for item in items)
    told = any(column.name == "currency" for item in items for column in item.find_all(exp.Column))
    if tree.args.get("group"):
        if added and not told:
            tree.select("currency", copy=False)
            tree.group_by("currency", copy=False)
        return
    named = {item.name for item in items if isinstance(item, exp.Column)}
    if "issuer" not in named and named & {"path", *MONEY} and not tree.args.get("distinct"):
        tree.select("issuer", copy=False)
    if not told and (added or listed):
        tree.select("currency", copy=False)
    if added and not told:
        tree.group_by("currency", copy=False)


def _one_of_papers(tree: exp.Select) -> None:
    """List the paper with the highest or lowest amount, which has a currency and an issuer."""
    item = tree.expressions[0].unalias()
    alone = len(tree.expressions) == 1 and not tree.args.get("group")
    if alone and isinstance(item, (exp.Max, exp.Min)) and item.this.name in MONEY:
        first = exp.Ordered(this=item.this.copy(), desc=isinstance(item, exp.Max))
        tree.select(exp.column("path"), item.this.copy(), append=False, copy=False)
        tree.order_by(first, copy=False).limit(1, copy=False)


def _read(tree: exp.Select) -> None:
    """Select the text where entries, or the people in them, are listed."""
    items = [item.unalias() for item in tree.expressions]
    plain = all(isinstance(item, exp.Column) for item in items)
    if "entries" in tables_of(tree) and {item.name for item in items} == {"path"}:
        tree.set("distinct", None)
    if not plain or tree.args.get("distinct") or tree.args.get("group"):
        return
    if tables_of(tree) == {"people"} and [item.name for item in items] == ["name"]:
        tree.select("date", append=False, copy=False)
        for table in tree.find_all(exp.Table):
            table.set("this", exp.to_identifier("entries"))
    if "entries" in tables_of(tree) and "text" not in {item.name for item in items}:
        tree.select("text", copy=False)


def _days(tree: exp.Select) -> None:
    """Count days instead of notes, as several notes of a day may mention the same."""
    for count in tree.find_all(exp.Count):
        if isinstance(count.this, exp.Star):
            day = "date" if calls_of(tree, "mentions") else "written"
            count.set("this", exp.Distinct(expressions=[exp.column(day)]))
