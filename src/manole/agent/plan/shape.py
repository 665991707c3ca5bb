"""Corrects the shape of a query: the relation that has its columns, joint conditions, counts.

Only corrections beyond doubt are made: what was written can mean nothing else.
"""

from __future__ import annotations

from datetime import date

from sqlglot import exp

from manole.agent.plan.coverage import denies, is_one_of, numbers_of
from manole.agent.plan.query import aliases_of, calls_of, tables_of
from manole.catalog.kinds import kind_called
from manole.catalog.relations import DIARY, MONEY, RELATIONS
from manole.documents.fields.kinds import PAYABLE, types_named
from manole.text.periods import find_period
from manole.text.words import words


def shape(tree: exp.Select, question: str, spoken: str, today: date) -> None:
    """Correct a query in place; `spoken` is the question with those that it may refer to."""
    _of_type(tree, question)
    _at_home(tree)
    _of_kind(tree, question)
    _of_files(tree)
    _in_folder(tree)
    _unspoken(tree, spoken, today)
    if tables_of(tree) & DIARY:
        _read(tree)
        _days(tree)
    if tables_of(tree) == {"papers"}:
        _one_of_papers(tree)
        _of_papers(tree)
    _all_of(tree, question, today)
    _below(tree)
    _joint(tree)
    _ranges(tree)
    _excluded(tree)
    _of_whole(tree)


def _of_type(tree: exp.Select, question: str) -> None:
    """Make a type of paper that the question names, and was written as a kind of file, a type."""
    named = types_named(words(question))
    for test in tree.find_all(exp.EQ, exp.NEQ):
        if test.this.name.lower() == "kind" and test.expression.name.lower() in named:
            test.set("this", exp.column("type"))


def _at_home(tree: exp.Select) -> None:
    """Query the relation that has the columns, where it is another one."""
    tables = [table for table in tree.find_all(exp.Table) if table.name.lower() in RELATIONS]
    names = {table.name.lower() for table in tables}
    asked = {c.name.lower() for c in tree.find_all(exp.Column)} - aliases_of(tree)
    if len(names) != 1 or any(asked <= RELATIONS[name].columns.keys() for name in names):
        return
    near = DIARY if names & DIARY else RELATIONS
    homes = [name for name in RELATIONS if name in near and asked <= RELATIONS[name].columns.keys()]
    for table in tables if homes else ():
        table.set("this", exp.to_identifier(homes[0]))


def _of_kind(tree: exp.Select, question: str) -> None:
    """Add the kind of file that the question names and the query does not."""
    asked = {kind for word in words(question) if (kind := kind_called(word))}
    named = {column.name.lower() for column in tree.find_all(exp.Column)}
    if len(asked) == 1 and tables_of(tree) == {"files"} and not named & {"kind", "extension"}:
        texts = {word for text in tree.find_all(exp.Literal) for word in words(str(text.this))}
        if not texts & set(words(question)) and not denies(question):
            tree.where(exp.column("kind").eq(asked.pop()), copy=False)


def _of_files(tree: exp.Select) -> None:
    """Query files instead of papers where only their text matters."""
    columns = {column.name.lower() for column in tree.find_all(exp.Column)}
    papers = tables_of(tree) == {"papers"}
    if papers and columns <= {"path"} and calls_of(tree, "mentions"):
        for table in tree.find_all(exp.Table):
            table.set("this", exp.to_identifier("files"))


def _in_folder(tree: exp.Select) -> None:
    """Turn the folder of papers and entries into `under`."""
    if tables_of(tree) <= {"papers", *DIARY}:
        for test in [t for t in tree.find_all(exp.EQ, exp.Like) if t.this.name == "folder"]:
            wanted = exp.Literal.string(test.expression.name.strip("%"))
            test.replace(exp.Anonymous(this="under", expressions=[wanted]))


def without_contracts(tree: exp.Select, question: str) -> None:
    """Exclude contracts where the question asks for invoices alone and the query for any paper."""
    types = types_named(words(question))
    if not types or not types <= PAYABLE or denies(question):
        return
    for select in tree.find_all(exp.Select):
        source, own = select.args.get("from_"), list(select.find_all(exp.Column))
        typed = any(c.name.lower() == "type" and c.parent_select is select for c in own)
        if source is not None and source.this.name.lower() == "papers" and not typed:
            of = exp.func("coalesce", exp.column("type"), exp.Literal.string(""))
            select.where(of.isin("", *sorted(PAYABLE)), copy=False)


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


def _unspoken(tree: exp.Select, spoken: str, today: date) -> None:
    """Drop a period whose numbers the conversation does not have."""
    calls = calls_of(tree, "during")
    if calls and find_period(spoken, today) is None:
        for call in calls:
            said = " ".join(literal.name for literal in call.find_all(exp.Literal))
            if not set(numbers_of(said)) <= set(numbers_of(spoken)):
                call.replace(exp.true())


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


def _all_of(tree: exp.Select, question: str, today: date) -> None:
    """Drop `LIMIT 1` where "last" belongs to a period ("last month") and asks for no single row."""
    period, limit = find_period(question, today), tree.args.get("limit")
    if period is None or limit is None or limit.expression.name != "1":
        return
    if is_one_of(period.text) and not is_one_of(period.outside(question)):
        tree.set("limit", None)


def _below(tree: exp.Select) -> None:
    """Turn the parent into `under` where depths are compared: children are all equally deep."""
    compared = any(ordered.this.name == "depth" for ordered in tree.find_all(exp.Ordered))
    if tables_of(tree) == {"folders"} and compared:
        for test in [t for t in tree.find_all(exp.EQ) if t.this.name == "parent"]:
            test.replace(exp.Anonymous(this="under", expressions=[test.expression.copy()]))


def _joint(tree: exp.Select) -> None:
    """Group alternatives as they are meant where all ask the same.

    `a OR b AND c`, of which a and b ask the same, is c and one of the two; likewise `c AND a OR b`.
    """
    where = tree.args.get("where")
    if where is None or not isinstance(where.this, exp.Or):
        return
    first, *between, last = (_conjuncts(part) for part in where.this.flatten(unnest=False))
    if any(len(parts) > 1 for parts in between) or (len(first) > 1) == (len(last) > 1):
        return
    alternatives = [first[-1], *(parts[0] for parts in between), last[0]]
    if len({asks_of(test) for test in alternatives}) == 1:
        either = exp.Paren(this=exp.or_(*alternatives))
        where.set("this", exp.and_(*first[:-1], either, *last[1:]))


def _conjuncts(test: exp.Expr) -> list[exp.Expr]:
    return list(test.flatten()) if isinstance(test, exp.And) else [test]


def asks_of(test: exp.Expr) -> str:
    """Return what a condition is about: a column, or an operator with its column."""
    if isinstance(test, exp.Anonymous):
        column = test.find(exp.Column)
        return f"{test.this}({column.name if column else ''})".lower()
    return (test.this if isinstance(test.this, exp.Expr) else test).sql().lower()


def _ranges(tree: exp.Select) -> None:
    """Join `during(date, a) AND during(date, b)`: as no day is in both, they are bounds."""
    for whole in [w.this for w in tree.find_all(exp.Where)]:
        parts = list(whole.flatten()) if isinstance(whole, exp.And) else []
        during = calls_of(whole, "during")
        calls = [part for part in parts if part in during]
        if len(calls) == 2 and calls[0].expressions[0] == calls[1].expressions[0]:
            calls[0].set("expressions", [*calls[0].expressions, *calls[1].expressions[1:]])
            calls[1].replace(exp.true())


def _excluded(tree: exp.Select) -> None:
    """Of a condition and its opposite, which nothing meets, keep the one that excludes."""
    for whole in [w.this for w in tree.find_all(exp.Where)]:
        parts = list(whole.flatten()) if isinstance(whole, exp.And) else []
        opposite = [part.this for part in parts if isinstance(part, exp.Not)]
        for part in parts:
            if part in opposite:
                part.replace(exp.true())


def _of_whole(tree: exp.Select) -> None:
    """Take a share from its whole: the part in `sum(a) / (SELECT sum(a) ... WHERE b)` has b, too.

    A condition on what the part has one of its own is left: then two different things are compared.
    """
    for share in [share for item in tree.expressions if (share := item.find(exp.Div))]:
        whole = share.expression.find(exp.Select)
        where = whole.args.get("where") if whole is not None else None
        if where is None or tables_of(whole) != tables_of(tree):
            continue
        own = tree.args.get("where")
        known = {asks_of(test) for test in _conjuncts(own.this)} if own is not None else set()
        for condition in _conjuncts(where.this):
            if asks_of(condition) not in known:
                tree.where(condition.copy(), copy=False)
