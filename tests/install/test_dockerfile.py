"""The Dockerfile, as far as it can be judged without an engine that builds it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib

import pytest
from pathspec import GitIgnoreSpec

from .conftest import ROOT

TEXT = (ROOT / "Dockerfile").read_text("utf-8")


def instructions() -> list[tuple[str, str]]:
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"^\s*#.*\n", "", TEXT, flags=re.MULTILINE))
    return [(line.split()[0], line.split(None, 1)[1]) for line in joined.splitlines() if line]


def stages() -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for name, rest in instructions():
        if name == "FROM":
            found.append([])
        found[-1].append((name, rest))
    return found


LAST = stages()[-1]


def test_bases_are_named_with_their_version() -> None:
    bases = [rest.split()[0] for name, rest in instructions() if name == "FROM"]
    assert len(bases) == 3
    assert all(re.fullmatch(r"[a-z]+:\d+(?:\.\d+)?-slim-\w+|[a-z]+:\d+-\w+-slim", b) for b in bases)


def test_what_it_copies_is_there_and_not_ignored() -> None:
    ignored = GitIgnoreSpec.from_lines((ROOT / ".dockerignore").read_text("utf-8").splitlines())
    copied = [shlex.split(rest) for name, rest in instructions() if name == "COPY"]
    sources = [s for words in copied if not words[0].startswith("--from") for s in words[:-1]]
    assert len(sources) >= 10
    for source in sources:
        assert (ROOT / source).exists(), source
        files = [ROOT / source] if (ROOT / source).is_file() else (ROOT / source).rglob("*")
        names = [file.relative_to(ROOT).as_posix() for file in files if file.is_file()]
        assert [name for name in names if not ignored.match_file(name)], source
    assert ignored.match_file("src/manole/serve/http/web/index.html")
    assert ignored.match_file(".git/config")


def test_what_a_wheel_is_built_of_is_copied() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = [*wheel["packages"], *wheel["force-include"], "hatch_build.py", "LICENSE", "README.md"]
    copied = [word for name, rest in instructions() if name == "COPY" for word in rest.split()[:-1]]
    for path in needed:
        assert any(path == word or path.startswith(f"{word}/") for word in copied), path


def test_stages_that_are_copied_from_are_there() -> None:
    named = re.findall(r"^FROM \S+ AS (\w+)$", TEXT, re.MULTILINE)
    assert set(re.findall(r"--from=(\w+)", TEXT)) == set(named)


def test_dependencies_are_installed_by_their_hashes() -> None:
    installing = re.findall(r"pip (?:install|wheel)[^&\n]*", TEXT)
    assert installing
    assert all("--require-hashes" in line or "--no-index" in line for line in installing)


def test_runs_as_nobody_with_one_volume_and_a_check() -> None:
    said = dict(LAST)
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", said["USER"])
    assert [rest for name, rest in LAST if name == "VOLUME"] == ["/data"]
    order = [name for name, _ in LAST]
    assert order.index("USER") > max(i for i, name in enumerate(order) if name in ("RUN", "COPY"))


def test_all_that_is_written_lies_in_the_volume() -> None:
    variables = dict(word.split("=", 1) for word in shlex.split(dict(LAST)["ENV"]))
    for name in ("HOME", "MANOLE_DATA_DIR", "MANOLE_CACHE_DIR"):
        assert variables[name].startswith("/data")
    assert variables["PYTHONDONTWRITEBYTECODE"] == "1"


def test_its_check_and_command_are_python_and_manole() -> None:
    said = dict(LAST)
    check = json.loads(said["HEALTHCHECK"].partition("CMD ")[2])
    assert check[:2] == ["python", "-c"]
    compile(check[2], "check", "exec")
    assert [*json.loads(said["ENTRYPOINT"]), *json.loads(said["CMD"])][:2] == ["manole", "serve"]


def test_its_check_fails_where_nothing_listens() -> None:
    check = json.loads(dict(LAST)["HEALTHCHECK"].partition("CMD ")[2])[2].replace("8137", "9")
    assert subprocess.run([sys.executable, "-c", check], capture_output=True).returncode == 1


@pytest.mark.parametrize("name", ["hatchling", "editables", "pathspec", "pluggy"])
def test_what_only_builds_is_taken_out_again(name: str) -> None:
    removed = re.search(r"pip uninstall --yes (.*)", TEXT)
    assert removed is not None and name in removed[1].split()
