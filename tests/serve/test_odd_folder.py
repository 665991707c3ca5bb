"""A folder whose name is not UTF-8 is a library like any other."""

from __future__ import annotations

import os
from pathlib import Path

from agent.fake_models import FakeModel

from .conftest import ANSWER
from .running import running
from .test_first_run import ended


def test_it_is_listed_indexed_searched_and_shown(settings, tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    folder.mkdir()
    (folder / "menu.txt").write_text("Soup of the day: lentils.", "utf-8")
    own = settings.model_copy(update={"data_dir": tmp_path / "data"})
    with running(folder, own, FakeModel(ANSWER)) as server:
        get = server.client.get
        (library,) = get("/libraries").json()["libraries"]
        assert library["roots"] == [f"{tmp_path}/caf\\xe9"]
        name = library["name"]
        refused = get(f"/libraries/{name}/files")
        assert refused.status_code == 409
        assert "caf" in refused.json()["error"]["message"]
        server.client.post(f"/libraries/{name}/sync")
        assert ended(server, name)["state"] == "done"
        (file,) = get(f"/libraries/{name}/files").json()["files"]
        assert (file["file"], file["root"]) == ("menu.txt", f"{tmp_path}/caf\\xe9")
        (found,) = get("/search", params={"q": "lentils", "library": name}).json()["results"]
        seen = get(f"/libraries/{name}/view", params={"path": found["file"], "quote": "lentils"})
        assert seen.json()["text"] == "Soup of the day: lentils."
        assert get(f"/libraries/{name}/graph").status_code == 200
