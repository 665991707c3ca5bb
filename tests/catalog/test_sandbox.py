"""A query reads the catalog and nothing else, and ends."""

from __future__ import annotations

import pytest

from agent.plan.catalogs import FILES, catalog
from manole.catalog.catalog import CatalogError

CATALOG = catalog()
CROSSED = ", ".join(f"files x{n}" for n in range(12))


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM files",
        "ATTACH 'other.db' AS other",
        "PRAGMA table_info(files)",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        f"SELECT count(*) FROM {CROSSED}",
        "SELECT replace(hex(zeroblob(10000000)), '0', 'xxxxxxxx')",
        "SELECT path FROM",
    ],
)
def test_what_does_more_than_read_is_stopped(sql):
    with pytest.raises(CatalogError):
        CATALOG.run(sql)
    assert CATALOG.run("SELECT count(*) FROM files") == (["count(*)"], [(len(FILES),)])


def test_names_are_data():
    assert CATALOG.mentioning('"; DROP TABLE files --') == []
    assert CATALOG.mentioning('page" OR text') == []
    assert CATALOG.run("SELECT count(*) FROM files")[1] == [(len(FILES),)]
