"""The formats that are made of tables, by the names that stand in `Document.format`."""

from __future__ import annotations

# The extensions of text files with a delimiter, and the format of each.
DELIMITED_EXTENSIONS = {"csv": "csv", "psv": "csv", "tsv": "tsv", "tab": "tsv"}
DELIMITED = frozenset(DELIMITED_EXTENSIONS.values())

# Workbooks; format and extension are the same word.
SHEETS = frozenset({"xlsx", "xlsm", "xltx", "xlsb", "xls", "ods"})

# Calendars, contacts and lists of objects: each record is a row.
RECORDS = frozenset({"ics", "vcf", "json", "jsonl"})
