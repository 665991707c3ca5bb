"""LanceDB is imported without the classes of a client that an embedded store does not use."""

import json
import subprocess
import sys

from manole.index.store import quick_import

PROGRAM = """
import asyncio, json, sys
from manole.index.store.quick_import import CLIENT, import_lancedb
import_lancedb()
loaded = [n for n, m in sys.modules.items() if n.startswith(CLIENT) and hasattr(m, "__file__")]
import lancedb, pyarrow as pa
async def main(folder):
    db = await lancedb.connect_async(folder)
    await db.create_table("letters", pa.table({"x": [1, 2]}))
    tables = (await db.list_tables()).tables
    try:
        await db.open_table("none")
    except Exception as error:
        missing = type(error).__name__
    print(json.dumps({"loaded": loaded, "tables": tables, "missing": missing}))
asyncio.run(main(sys.argv[1]))
"""


def test_an_embedded_store_works_without_the_client(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True
    )
    said = json.loads(done.stdout)
    assert said["loaded"] == []
    assert said["tables"] == ["letters"]
    assert said["missing"] == "ValueError"


def test_an_import_in_another_thread_passes_over_no_finder(monkeypatch):
    passed = []

    def lancedb(_):  # stands for the import: another one has come as far as the last finder
        passed.append(iter(sys.meta_path))
        while next(passed[0]) is not sys.meta_path[-2]:
            pass

    monkeypatch.delitem(sys.modules, "lancedb", raising=False)
    monkeypatch.setattr(quick_import.importlib, "import_module", lancedb)
    finders = list(sys.meta_path)
    quick_import.import_lancedb()
    assert next(passed[0]) is finders[-1]
    assert sys.meta_path == finders
