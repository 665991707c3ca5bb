"""A sheet to ask: players of a league, with what real tables have: notes, gaps, a total."""

from __future__ import annotations

from manole.agent.sheets.sheet import Sheet
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
