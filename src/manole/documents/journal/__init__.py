"""The entries of a journal: dated texts in any of the usual forms.

A journal is a folder of one file a day (`2024-03-05.md`, `2024/03/05.txt`, `March 5 2024.md`,
Logseq's `2024_03_05.md`), a long file whose headings are dates, in the languages that `dates`
reads, jrnl's text (`[2024-03-05 09:00] Title`), an export of Day One or jrnl in JSON, or a CSV
whose rows are dated texts. Each entry keeps its file and its lines.

A file is taken for a journal only if that is safe: its *name* is a day, or two of its headings are
dates. In a folder that is declared to be a journal (`index.kind = "journal"`) every dated text is
an entry.
"""

from manole.documents.journal.entry import SPEAKER, Entry
from manole.documents.journal.exports import exported
from manole.documents.journal.read import (
    day_of_path,
    heading_date,
    may_hold_entries,
    read_entries,
)

__all__ = [
    "SPEAKER",
    "Entry",
    "day_of_path",
    "exported",
    "heading_date",
    "may_hold_entries",
    "read_entries",
]
