"""A sheet to ask: players of a league, with what real tables have: notes, gaps, a total."""

from __future__ import annotations

from agent.plan.catalogs import asking
from manole.agent.plan.open_catalog import FUNCTIONS
from manole.agent.plan.query import parse
from manole.agent.plan.query_catalog import found
from manole.agent.plan.repair import check
from manole.agent.plan.verbalize import say
from manole.catalog.catalog import Catalog
from manole.catalog.sheets import Sheet
from manole.documents.fields.model import TextLine
from manole.documents.tables import read_tables

PLAYERS = """\
Rank,Name,Nation,Goals,Since,Fee (EUR),2009
1,Ann Berg,Sweden (SWE),"1,204",3 May 2009,"12.50",A
2,Bob O'Hara,Ireland (IRL),31,12 June 2011,100,1R
3,Carl "Kid" Ruiz,Spain (ESP),7 [a],2 January 2010,—,2R
4,Dora Lind,Sweden (SWE),–,30 March 2012,9.25,1R
,Total,,"1,242",,121.75,
"""


def sheet_of(text, file="league/players.csv"):
    lines = [TextLine(line, None, n) for n, line in enumerate(text.split("\n"), start=1)]
    (table,) = read_tables(lines, "csv")
    return Sheet.read(file, table)


def catalog_of(**sheets):
    """A catalog with these sheets and nothing else."""
    catalog = Catalog([], FUNCTIONS)
    catalog.add_sheets(sheets)
    catalog.fill_sheets(sheets)
    return catalog


def asked(sql, question, **sheets):
    """The checked query over these sheets, and what it gives."""
    catalog = catalog_of(**sheets)
    plan = check(parse(sql), catalog, asking(question))
    return plan, found(catalog, plan)


def answer(sql, question, **sheets):
    """The answer of a query."""
    return say(*asked(sql, question, **sheets))
