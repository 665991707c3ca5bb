"""The desktop application's client against the real program; its window needs a display."""

from __future__ import annotations

import ast
import importlib.util
import socket
import sys
import threading
from concurrent.futures import wait
from pathlib import Path

import pytest
from talk import SECONDS

DESKTOP = Path(__file__).parents[3] / "examples" / "desktop"


def load(name):
    spec = importlib.util.spec_from_file_location(f"desktop_{name}", DESKTOP / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


client, opening, wording = load("client"), load("opening"), load("wording")


def command(*arguments):
    return [sys.executable, "-m", "manole.cli.app", *arguments]


class Heard(list):
    """A listener that keeps what it heard and can be waited for."""

    def __init__(self):
        super().__init__()
        self._changed = threading.Condition()

    def __call__(self, type, data):
        with self._changed:
            self.append((type, data))
            self._changed.notify_all()

    def wait(self, wanted):
        with self._changed:
            came = self._changed.wait_for(lambda: any(t == wanted for t, _ in self), SECONDS)
        assert came, f"no {wanted}: {list(self)}"
        return next(data for type, data in self if type == wanted)


@pytest.fixture(scope="module")
def connected(environment, tiny):
    heard = Heard()
    made = client.Client(command("stdio", str(tiny), "--reuse"), heard, environment)
    made.heard = heard
    yield made
    made.close()
    assert made.process.returncode == 0


def test_a_question_and_its_events(connected, tiny):
    assert connected.heard.wait("ready")["folders"] == [str(tiny)]
    heard = Heard()
    asked = connected.request("query", heard, text="how many PDF files are there?")
    answer = asked.answer.result(SECONDS)
    assert answer["answer"].startswith("You have 1 PDF file: broken.pdf")
    assert "".join(data["text"] for type, data in heard if type == "token") == answer["answer"]
    told = [line for type, data in heard if (line := wording.step_line(type, data))]
    assert any(line.startswith("query  SELECT COUNT(*)") for line in told)
    assert wording.source_line(answer["sources"][0]) == "broken.pdf"
    assert opening.locate([str(tiny)], answer["sources"][0]["file"]) == tiny / "broken.pdf"


def test_many_requests_from_many_threads_get_their_own_answers(connected):
    places = {"boiler": "home/boiler.txt", "notice period": "home/lease.md"}
    found = {}

    def search(number, text):
        found[number, text] = connected.call("search", text=text, limit=1)["results"][0]["file"]

    threads = [
        threading.Thread(target=search, args=(number, text))
        for number in range(10)
        for text in places
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert found == {(number, text): places[text] for number in range(10) for text in places}


def test_an_error_is_raised_with_its_code(connected):
    with pytest.raises(client.AnswerError, match="dance") as caught:
        connected.call("dance")
    assert caught.value.code == "unknown_method"


def test_cancel_stops_a_question_that_waits_for_its_model(environment, tiny):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes calls and never answers
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        patient = environment | {"MANOLE_MODEL__BASE_URL": url}
        heard = Heard()
        made = client.Client(command("stdio", str(tiny), "--reuse"), environment=patient)
        asked = made.request("query", heard, text="What is the notice period of the flat?")
        assert heard.wait("agent_step")["tool"] == "semantic_search"
        assert not asked.answer.done()
        made.cancel(asked)
        with pytest.raises(client.AnswerError) as caught:
            asked.answer.result(SECONDS)
        assert caught.value.code == "cancelled"
        assert made.call("search", text="boiler")["results"]
        waiting = made.request("query", text="What is the notice period of the flat?")
        made.close()
    assert waiting.answer.exception().code == "cancelled"


def test_a_server_that_cannot_start_fails_every_request_with_its_reason(environment):
    heard = Heard()
    made = client.Client(command("stdio", "/no/such/folder"), heard, environment)
    early = made.request("status")
    assert "There is no folder /no/such/folder" in heard.wait("end")["text"]
    late = made.request("status")
    wait([early.answer, late.answer], SECONDS)
    for asked in (early, late):
        assert asked.answer.exception().code == "ended"
        assert "/no/such/folder" in str(asked.answer.exception())
    made.close()


# Opening and wording --------------------------------------------------------------------------


def test_only_files_of_the_folder_are_opened(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    (tmp_path / "secret.txt").write_text("b")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    folders = [str(tmp_path / "nothing"), str(folder)]
    assert opening.locate(folders, "a.txt") == folder / "a.txt"
    for outside in ("../secret.txt", str(tmp_path / "secret.txt"), "link.txt", "gone.txt", "."):
        assert opening.locate(folders, outside) is None


def test_a_click_runs_no_program(tmp_path):
    (tmp_path / "paper.pdf").write_text("x")
    (tmp_path / "run.sh").write_text("x")
    (tmp_path / "run.sh").chmod(0o755)
    assert opening.opener(tmp_path / "paper.pdf", "linux")[1:] == [str(tmp_path / "paper.pdf")]
    assert opening.opener(tmp_path / "run.sh", "darwin") == ["open", str(tmp_path)]


def test_progress_in_words():
    at = {"what": "index", "state": "running", "stage": "read", "done": 5, "total": 20}
    assert wording.progress_line(at) == ("Reading files 5 of 20 …", 25.0)
    report = {"added": 2, "changed": 1, "problems": [{}]}
    ended = {"what": "index", "state": "done", "report": report, "error": None}
    assert wording.progress_line(ended) == ("3 new or changed. 1 could not be read.", None)
    failed = {"what": "index", "state": "failed", "error": {"message": "No space."}}
    assert wording.progress_line(failed) == ("No space.", None)


def test_the_application_needs_the_standard_library_only():
    own = {path.stem for path in DESKTOP.glob("*.py")}
    for path in DESKTOP.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {n.partition(".")[0] for n in names} <= sys.stdlib_module_names | own
