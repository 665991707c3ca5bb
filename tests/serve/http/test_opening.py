"""Opening files on the screen of the server's machine, with a fake `xdg-open`."""

from __future__ import annotations

import json
import sys
import time

import pytest

from agent.fake_models import FakeModel
from manole.serve import opening
from serve.conftest import ANSWER
from serve.running import LONG, running
from serve.test_http_ask import problem

TOKEN = "a-token-of-sixteen-or-more"
SCRIPT = """#!{python}
import json, os, pathlib, sys, time
told = {{"arguments": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd()}}
place = pathlib.Path("{told}")
place.with_suffix(".part").write_text(json.dumps(told))
place.with_suffix(".part").rename(place)
time.sleep({seconds})
sys.exit({code})
"""
linux = pytest.mark.skipif(sys.platform == "darwin", reason="xdg-open is Linux's")


class FakeDesktop:
    """A fake `xdg-open` that writes down how it was called."""

    def __init__(self, folder):
        self.told = folder / "told.json"
        self.program = folder / "xdg-open"

    def install(self, code=0, seconds=0):
        text = SCRIPT.format(python=sys.executable, told=self.told, seconds=seconds, code=code)
        self.program.write_text(text)
        self.program.chmod(0o755)

    def called(self):
        for _ in range(200):
            if self.told.exists():
                return json.loads(self.told.read_text())
            time.sleep(0.02)
        raise AssertionError("it was not called")


@pytest.fixture
def desktop(tmp_path, monkeypatch):
    made = FakeDesktop(tmp_path)
    made.install()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return made


def ask(server, path, where="program", **headers):
    return server.client.post(
        f"{server.library}/files/open", json={"path": path, "in": where}, headers=headers
    )


@linux
@pytest.mark.parametrize(
    "path", ["report.pdf", "blue.tiff", "budget.xlsx", "2024-03-05 key.eml", "long.txt",
             "hostile.md", "readings.csv"],
)  # fmt: skip
def test_a_document_is_opened_in_its_program(shelf, shown, desktop, path):
    got = ask(shelf, path)
    assert (got.status_code, got.content) == (204, b"")
    assert desktop.called()["arguments"] == [str((shown / path).resolve())]


@linux
@pytest.mark.parametrize("path", ["report.pdf", "run.sh", "bad.pdf", "bundle.zip"])
def test_any_file_is_shown_in_its_folder(shelf, shown, desktop, path):
    assert ask(shelf, path, "folder").status_code == 204
    assert desktop.called()["arguments"] == [str(shown.resolve())]


@linux
def test_the_program_gets_no_secrets(shelf, desktop, monkeypatch):
    monkeypatch.setenv("MANOLE_SERVE__TOKEN", "a-secret-of-the-server")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    monkeypatch.setenv("LC_TIME", "de_DE.UTF-8")
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "GNOME")
    ask(shelf, "report.pdf")
    called = desktop.called()
    given = called["environment"]
    assert {given["DISPLAY"], given["LC_TIME"], given["XDG_CURRENT_DESKTOP"]} == {
        ":7", "de_DE.UTF-8", "GNOME"
    }  # fmt: skip
    assert not {name for name in given if "TOKEN" in name or "KEY" in name}
    assert called["folder"] == "/"


@linux
def test_a_program_that_stays_open_is_not_waited_for(shelf, desktop):
    desktop.install(seconds=LONG)
    began = time.perf_counter()
    assert ask(shelf, "report.pdf").status_code == 204
    assert time.perf_counter() - began < LONG / 2


@linux
@pytest.mark.parametrize(
    "path", ["run.sh", "notes.txt", "menu.desktop", "entry.txt", "README", "go.command",
             "bundle.zip", "bad.pdf"],
)  # fmt: skip
def test_what_may_be_a_program_is_not_opened(shelf, desktop, path):
    assert problem(ask(shelf, path), 403)["code"] == "not_opened"
    assert not desktop.told.exists()


@linux
@pytest.mark.parametrize(
    "path", ["no.pdf", "../outside.txt", "/etc/passwd", "", "-h", "--version", "http://a.example",
             "a\x00b", "report.pdf;ls", "$(ls)"],
)  # fmt: skip
@pytest.mark.parametrize("where", ["program", "folder"])
def test_only_files_of_the_index_are_opened(shelf, desktop, path, where):
    assert problem(ask(shelf, path, where), 404)["code"] == "not_found"
    assert not desktop.told.exists()


@linux
def test_without_a_desktop_it_says_so(shelf, desktop, monkeypatch, tmp_path):
    desktop.install(code=3)
    assert problem(ask(shelf, "report.pdf"), 409)["code"] == "no_desktop"
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert problem(ask(shelf, "report.pdf"), 409)["code"] == "no_desktop"
    desktop.install()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("DISPLAY")
    assert problem(ask(shelf, "report.pdf", "folder"), 409)["code"] == "no_desktop"
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert ask(shelf, "report.pdf").status_code == 204


@linux
def test_a_program_in_a_relative_folder_is_not_taken(shelf, desktop, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert problem(ask(shelf, "report.pdf"), 409)["code"] == "no_desktop"
    assert not desktop.told.exists()


def test_a_mac_opens_and_reveals_with_its_own_program(desktop, shown, monkeypatch):
    desktop.program = desktop.program.with_name("open")
    desktop.install()
    monkeypatch.setattr(opening.sys, "platform", "darwin")
    monkeypatch.delenv("DISPLAY")
    opening.show_in_folder(shown / "report.pdf")
    assert desktop.called()["arguments"] == ["-R", str(shown / "report.pdf")]


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"])
def test_who_comes_through_a_proxy_is_not_here(shelf, desktop, name):
    assert problem(ask(shelf, "report.pdf", **{name: "192.0.2.1"}), 403)["code"] == "not_here"
    assert not desktop.told.exists()


def test_a_server_for_other_machines_opens_nothing(shown, settings, shelf, desktop):
    with running(shown, settings, FakeModel(ANSWER), host="0.0.0.0", token=TOKEN) as server:
        for path in ("report.pdf", "no.pdf"):
            got = ask(server, path, Authorization=f"Bearer {TOKEN}")
            assert problem(got, 403)["code"] == "not_here"
    assert not desktop.told.exists()


@pytest.mark.parametrize(
    "body", [{}, {"path": "report.pdf"}, {"path": "report.pdf", "in": "shell"},
             {"path": "report.pdf", "in": "program", "with": "sh"}, {"path": 7, "in": "folder"},
             {"path": "x" * 5000, "in": "folder"}, {"path": "report.pdf", "where": "program"}],
)  # fmt: skip
def test_a_request_that_makes_no_sense_is_refused(shelf, desktop, body):
    problem(shelf.client.post(f"{shelf.library}/files/open", json=body), 422)
    assert not desktop.told.exists()
