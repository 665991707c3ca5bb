"""What `manole serve --install` writes, where, and that it starts what it says."""

from __future__ import annotations

import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from manole.cli import app
from manole.errors import UsageError
from manole.serve.at_login import OURS, agent, at_login, program, unit


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new user's, on Linux."""
    for name in [name for name in os.environ if name.startswith("MANOLE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(sys, "platform", "linux")
    return tmp_path


@pytest.fixture
def manole(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["manole", *arguments])
        code = 0
        try:
            app.main()
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


def service(home: Path) -> Path:
    return home / "config/systemd/user/manole.service"


def started(text: str) -> list[str]:
    """The words that a unit starts, as systemd reads these ones."""
    line = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)
    assert line is not None
    return [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(line[1])]


def test_options_go_into_the_unit(manole, home: Path) -> None:
    (home / "my papers").mkdir()
    (home / "token").write_text("0123456789abcdef")
    options = ["--port", "8222", "--model", "qwen3-0.6b", "--openai", "--token-file"]
    code, said = manole(
        "--set", "index.hidden=true", "serve", str(home / "my papers"), "--install",
        *options, str(home / "token"),
    )  # fmt: skip
    assert code == 0, said
    assert f"{service(home)} was written." in said
    assert "systemctl --user daemon-reload && systemctl --user restart manole" in said
    assert "http://127.0.0.1:8222/" in said
    assert started(service(home).read_text())[len(program()) :] == [
        "--set", "index.hidden=true", "serve", "--port", "8222", "--token-file",
        str(home / "token"), "--openai", "--model", "qwen3-0.6b", "--", str(home / "my papers"),
    ]  # fmt: skip


def test_is_enabled_and_for_its_owner_alone(manole, home: Path) -> None:
    assert manole("serve", "--install")[0] == 0
    link = service(home).parent / "default.target.wants/manole.service"
    assert link.resolve() == service(home).resolve()
    assert service(home).stat().st_mode & 0o077 == 0


def test_twice_is_once(manole, home: Path) -> None:
    manole("serve", "--install")
    before = service(home).read_bytes()
    code, said = manole("serve", "--install")
    assert code == 0
    assert "was there already" in said
    assert service(home).read_bytes() == before
    assert "was written anew" in manole("serve", "--install", "--port", "8222")[1]


def test_another_ones_file_stays(manole, home: Path) -> None:
    service(home).parent.mkdir(parents=True)
    service(home).write_text("[Service]\nExecStart=/usr/bin/manole-of-mine\n")
    for option in ("--install", "--uninstall"):
        code, said = manole("serve", option)
        assert code == 2
        assert "was not written by Manole, and stays as it is" in said
    assert "manole-of-mine" in service(home).read_text()
    assert not (service(home).parent / "default.target.wants").exists()


def test_uninstall_removes_what_install_wrote(manole, home: Path) -> None:
    manole("serve", "--install")
    code, said = manole("serve", "--uninstall")
    assert code == 0
    assert f"{service(home)} was removed." in said
    assert [file for file in (home / "config").rglob("*") if not file.is_dir()] == []
    assert "nothing starts Manole at login" in manole("serve", "--uninstall")[1]


def test_what_would_not_start_is_not_installed(manole, home: Path) -> None:
    for wrong in (["--host", "0.0.0.0"], ["--open"], ["--port", "99999"]):
        assert manole("serve", "--install", *wrong)[0] == 2
    assert not service(home).exists()


def test_settings_go_along_and_secrets_do_not(manole, home: Path, monkeypatch) -> None:
    monkeypatch.setenv("MANOLE_DATA_DIR", str(home / "data"))
    monkeypatch.setenv("MANOLE_MODEL__API_KEY", "not-to-be-seen")
    code, said = manole("serve", "--install")
    assert code == 0, said
    assert f'Environment="MANOLE_DATA_DIR={home / "data"}"' in service(home).read_text()
    assert "not-to-be-seen" not in service(home).read_text() + said
    assert "MANOLE_MODEL__API_KEY is not written there" in said


def test_passwords_of_addresses_and_of_set_do_not_go_along(manole, home, monkeypatch) -> None:
    monkeypatch.setenv("MANOLE_CONVERSATIONS__DATABASE", "postgresql://me:unseen@host/db")
    monkeypatch.setenv("MANOLE_INDEX__KIND", "files")
    code, said = manole("--set", "serve.token=0123456789abcdef", "serve", "--install")
    assert code == 2
    assert "serve.token would stand there" in said
    assert not service(home).exists()
    assert manole("serve", "--install")[0] == 0
    assert "unseen" not in service(home).read_text()
    assert "INDEX__KIND=files" in service(home).read_text()


def test_token_of_the_environment_is_refused(manole, home: Path, monkeypatch) -> None:
    monkeypatch.setenv("MANOLE_SERVE__TOKEN", "0123456789abcdef")
    code, said = manole("serve", "--install", "--host", "0.0.0.0")
    assert code == 2
    assert "--token-file" in said


def test_paths_are_made_absolute(manole, home: Path, monkeypatch) -> None:
    monkeypatch.chdir(home)
    (home / "own.gguf").write_bytes(b"GGUF")
    (home / "eyes.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("MANOLE_DATA_DIR", "data")
    monkeypatch.setenv("MANOLE_MODEL__NAME", "own.gguf")
    assigned = ["--set", "vision.name=eyes.gguf", "--set", "index.exclude=own.gguf,*.log"]
    code, said = manole(*assigned, "serve", "--install")
    assert code == 0, said
    text = service(home).read_text()
    assert f'"MANOLE_DATA_DIR={home / "data"}"' in text
    assert f'"MANOLE_MODEL__NAME={home / "own.gguf"}"' in text
    assert started(text)[len(program()) :] == [
        "--set", f"vision.name={home / 'eyes.gguf'}",
        "--set", "index.exclude=own.gguf,*.log", "serve",
    ]  # fmt: skip


def test_the_one_library_is_named_and_of_several_one_must_be(
    manole, home: Path, monkeypatch
) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "share"))
    folders = [home / name for name in ("papers", "more papers")]
    for folder in folders:
        folder.mkdir()
        (folder / "note.md").write_text("The boiler is from 2019.")
    assert manole("index", str(folders[0]))[0] == 0
    code, said = manole("serve", "--install")
    assert (code, f"It serves {folders[0]}." in said) == (0, True), said
    assert started(service(home).read_text())[-2:] == ["--", str(folders[0])]
    assert manole("serve", "--uninstall")[0] == 0
    away = folders[0].rename(home / "unplugged")
    assert manole("serve", "--install")[0] == 0
    assert manole("serve", "--uninstall")[0] == 0
    away.rename(folders[0])
    assert manole("index", str(folders[1]))[0] == 0
    code, said = manole("serve", "--install")
    assert (code, "Which library?" in said) == (2, True), said
    assert not service(home).exists()
    monkeypatch.chdir(folders[1])
    assert f"It serves {folders[1]}." in manole("serve", "--install")[1]


STRANGE = ["/home/ana/100 % \"new\" $HOME 'a'\\b", "Füße", ""]


def test_strange_words_stay_what_they_are() -> None:
    assert started(unit(["manole", *STRANGE], {}))[1:] == STRANGE
    assert 'ExecStart="/opt/$new/manole" "$$x"' in unit(["/opt/$new/manole", "$x"], {})
    assert "\n" not in unit(["a\nb"], {}).split("ExecStart=")[1].partition("\nWorking")[0]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    file = tmp_path / "manole.service"
    verify = ["systemd-analyze", "--user", "verify", str(file)]
    where = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)}
    file.write_text(unit([sys.executable, *STRANGE], {"MANOLE_DATA_DIR": STRANGE[0]}))
    done = subprocess.run(verify, env=where, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    file.write_text(file.read_text().replace("Restart=on-failure", "Restart=perhaps"))
    assert subprocess.run(verify, env=where, capture_output=True, text=True).stderr


def test_what_is_written_starts_a_server(manole, home: Path) -> None:
    (home / "papers").mkdir()
    assert manole("serve", str(home / "papers"), "--port", "0", "--install")[0] == 0
    words = started(service(home).read_text())
    where = {**os.environ, "XDG_CACHE_HOME": str(home), "XDG_DATA_HOME": str(home)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=home, env=where, text=True) as serving:
        assert serving.stdout is not None
        greeting = serving.stdout.readline()
        serving.terminate()
    assert f"Manole answers for {home / 'papers'} at http://127.0.0.1:" in greeting


def test_launchd_gets_an_agent(home: Path) -> None:
    entry = at_login(["serve", *STRANGE], {"MANOLE_DATA_DIR": "/x"}, platform="darwin")
    assert "was written" in entry.install()
    assert "was there already" in entry.install()
    told = plistlib.loads(entry.file.read_bytes())
    assert entry.file == home / "Library/LaunchAgents/manole.plist"
    assert told["ProgramArguments"] == [*program(), "serve", *STRANGE]
    assert told["RunAtLoad"] is True
    assert told["Umask"] == 0o077
    assert OURS.encode() in entry.file.read_bytes()
    assert "was removed" in entry.remove()


def test_agent_is_xml_whatever_the_words_are() -> None:
    assert plistlib.loads(agent(["<&--"], {"A": "<"}, Path("/log")))["ProgramArguments"] == ["<&--"]


def test_other_systems_are_told_so() -> None:
    with pytest.raises(UsageError, match=r"systemd \(Linux\) or launchd"):
        at_login([], {}, platform="freebsd14")
