"""The operator `mentions('words')`: rows whose text has the words, or diary notes about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sqlglot
from sqlglot import exp

from manole.agent.plan.query import (
    DIALECT,
    PlanError,
    TextsNeededError,
    UnknownWordsError,
    calls_of,
    source_of,
    text_of,
)
from manole.catalog.catalog import Catalog, CatalogError, Diary
from manole.catalog.relations import DIARY, SAYS, Relation
from manole.catalog.sandbox import Value
from manole.text.question import Question
from manole.text.words import content_words, fold, stem

_NUMBER = {"entries": "rowid", "people": "entry"}  # the column with the number of a note


class Mentions:
    """Resolves the operator in one query, in place.

    `empty` are phrases without a match; `loose` is set where words of the question were ignored
    because no note has them all.
    """

    def __init__(self, tree: exp.Select, catalog: Catalog) -> None:
        self.tree = tree
        self.catalog = catalog
        self.empty: list[str] = []
        self.loose = False

    def resolve(self, question: Question, insists: bool, typed: bool = False) -> None:
        """Replace the calls by conditions; those of a `typed` plan say all that is meant.

        Raises `UnknownWordsError` where a diary does not have the words, unless a model `insists`.
        """
        diary = self.catalog.diary
        calls = [c for c in calls_of(self.tree, "mentions") if self._source(c).name in DIARY]
        if calls and diary is not None:
            for call in calls if not insists else ():
                if new := diary.unknown(text_of(call, 0)):
                    raise UnknownWordsError(text_of(call, 0), new)
            if not typed:
                self._of_diary(calls, diary, question)
            elif len(calls) > 1 and not self.tree.find(exp.Or, exp.Not) and self._tells_days():
                self._same_days(calls, diary)
        for call in calls_of(self.tree, "mentions"):
            stands = self.stands(text_of(call, 0), self._source(call))
            call.replace(exp.Paren(this=stands))

    def need_texts(self) -> None:
        """Raise `TextsNeededError` as long as the words of files are not in the catalog."""
        if "files_words" not in self.catalog.filled:
            raise TextsNeededError("the words of files are needed")

    def _source(self, call: exp.Anonymous) -> Relation:
        return source_of(self.tree, call, self.catalog.relations)

    def stands(self, words: str, relation: Relation) -> exp.Expr:
        """Return a condition for the rows whose text has these words."""
        found: Collection[Value]
        if relation.name in self.catalog.sheets:
            said = exp.Literal.string(f"%{words}%")
            texts = [name for name, kind in relation.columns.items() if kind == "TEXT"]
            tests = [exp.Like(this=exp.column(text), expression=said.copy()) for text in texts]
            return exp.or_(exp.false(), *tests)
        if relation.name in SAYS:
            return _says(words, SAYS[relation.name])
        if relation.name in _NUMBER:
            diary = self.catalog.diary
            key, found = _NUMBER[relation.name], diary.speaking_of(words) if diary else ()
        else:
            self.need_texts()
            key, found = "path", self.catalog.mentioning(words)
        if not found:
            self.empty.append(words)
        return self._found(key, found)

    def _of_diary(self, calls: Sequence[exp.Anonymous], diary: Diary, question: Question) -> None:
        first, *others = calls
        if not self.tree.find(exp.Or, exp.Not) and others:
            if self._tells_days():
                self._same_days(calls, diary)
                return
            # Several things in one condition are one phrase.
            _say(first, " ".join(text_of(call, 0) for call in calls))
            for call in others:
                call.replace(exp.true())
            others = []
        said = " ".join(text_of(call, 0) for call in calls)
        if (who := diary.speaker_in(question)) and fold(who) not in fold(said):
            _say(first, f"{who} {text_of(first, 0)}")  # notes of the other speaker do not count
        if not others and not first.find_ancestor(exp.Not):
            self._whole(first, diary, question)

    def _whole(self, call: exp.Anonymous, diary: Diary, question: Question) -> None:
        """Extend the one phrase by the other words of the question.

        Only words count that occur in the notes which the other conditions leave.
        """
        select, number = call.parent_select, _NUMBER[self._source(call).name]
        if select is None:
            return
        marked = select.copy()
        for part in ("distinct", "group", "having", "order", "limit"):
            marked.set(part, None)
        calls_of(marked, "mentions")[0].replace(exp.true())
        sql = marked.select(number, append=False).sql(DIALECT)
        try:
            among = [int(n) for (n,) in self.catalog.run(sql, limit=None)[1] if n is not None]
        except CatalogError as error:
            raise PlanError(str(error)) from error
        phrase = text_of(call, 0)
        whole = diary.whole(phrase, question)
        found = diary.speaking_of(whole, among)
        self.loose = not found or bool(diary.unknown(whole, among))
        if found := found or diary.speaking_of(phrase, among):
            call.replace(self._found(number, found))

    def _tells_days(self) -> bool:
        items = self.tree.expressions
        told = {column.name for item in items for column in item.find_all(exp.Column)}
        return told <= {"date", "weekday"}

    def _same_days(self, calls: Sequence[exp.Anonymous], diary: Diary) -> None:
        """Match days on which several things happened, each perhaps in a note of its own."""
        found = [set(diary.speaking_of(text_of(call, 0))) for call in calls]
        days = set.intersection(*({diary.day_of(n) for n in numbers} for numbers in found))
        both = {n for numbers in found for n in numbers if diary.day_of(n) in days}
        number = _NUMBER[self._source(calls[0]).name]
        for call in calls[1:]:
            call.replace(exp.true())
        calls[0].replace(self._found(number, both))

    def _found(self, key: str, found: Collection[Value]) -> exp.Expr:
        number = self.catalog.search(found)
        inner = sqlglot.parse_one(f"SELECT key FROM found WHERE search = {number}", read=DIALECT)  # noqa: S608
        return exp.In(this=exp.column(key), query=exp.Subquery(this=inner))


def _say(call: exp.Anonymous, phrase: str) -> None:
    call.set("expressions", [exp.Literal.string(phrase)])


def _says(phrase: str, columns: Sequence[str]) -> exp.Expr:
    """Return a condition for the rows in whose own columns each word of a phrase stands."""
    stems = [stem(word) for word in content_words(phrase)] or [fold(phrase)]
    own = [exp.func("coalesce", exp.column(name), exp.Literal.string("")) for name in columns]
    patterns = [exp.Literal.string(f"%{word.replace('%', '')}%") for word in stems]
    return exp.and_(*(exp.or_(*(text.like(pattern) for text in own)) for pattern in patterns))
