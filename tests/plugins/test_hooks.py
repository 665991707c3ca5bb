"""A plug-in is found by its name, its settings are settings, and the core knows none."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from manole import hooks
from manole.errors import SettingsError
from manole.settings import Section, Settings

ROOT = Path(__file__).parents[2]
CORE = ROOT / "src" / "manole"
PLUGINS = [folder.name for folder in (ROOT / "plugins").iterdir() if folder.is_dir()]
SHARED = {"engine", "evaluate", "mcp", "stdio", "strategies", "voices"}  # words of the core as well
HOOKS = [hook for hook in vars(hooks).values() if isinstance(hook, hooks.Hook)]
SECTION = '''
from manole.settings import Section

class Lamp(Section):
    """Its settings."""

    bright: int = 3
'''


@pytest.fixture
def lamp(tmp_path, monkeypatch) -> Path:
    """A plug-in that somebody installed, with a section of settings."""
    (tmp_path / "lamp.py").write_text(SECTION)
    about = tmp_path / "lamp-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: lamp\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[manole.settings]\nlamp = lamp:Lamp\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "lamp", raising=False)
    return tmp_path


def test_every_plugin_that_ships_is_found_and_loads():
    brought = {(hook.group, name): hook.get(name) for hook in HOOKS for name in hook.names()}
    assert None not in brought.values()
    named = {e.value.split(":")[0] for hook in HOOKS for e in entry_points(group=hook.group)}
    assert {f"manole_{name}" for name in PLUGINS} <= {name.split(".")[0] for name in named}


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.group)
def test_nobody_brings_what_nobody_named(hook):
    assert hook.get("no such name") is None


def test_a_plugins_section_is_set_as_any_other(lamp, tmp_path, monkeypatch):
    assert not hasattr(Settings.load(), "lamp")
    assert "lamp" not in sys.modules
    monkeypatch.setenv("MANOLE_LAMP__BRIGHT", "5")
    settings = Settings.load()
    assert type(settings.section("lamp", Section)).__name__ == "Lamp"
    assert settings.lamp.bright == 5
    monkeypatch.setenv("MANOLE_LAMP__BRIGHT", "very")
    with pytest.raises(SettingsError, match=r"lamp\.bright = very \(from environment"):
        Settings.load()
    with pytest.raises(SettingsError, match=r"lantern.* is not a setting"):
        Settings.load({"lantern.bright": 1, "lamp.bright": 1})


def test_every_section_is_told_when_all_are_asked_for(lamp):
    settings, _ = Settings.explain(every=True)
    assert settings.describe()["lamp.bright"] == (3, "")


def test_the_core_names_no_plugin():
    """But for a tool's old name, which models may still use, and words of its own."""
    own = [f"manole_{name}" if name in SHARED else name for name in PLUGINS]
    named = re.compile(f"(?:{'|'.join(own)})(?!_visual_search)", re.IGNORECASE)
    found = [
        f"{path.relative_to(CORE)}:{number}"
        for path in CORE.rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if named.search(line)
    ]
    assert found == []


PARTS = ("", ".command")
LISTED = [
    f"manole_{name}{part}" for name in ("evaluate", "mcp", "stdio") for part in ("", ".command")
]


@pytest.mark.parametrize(
    ("typed", "loaded"),
    [(["ask", "--help"], []), (["--help"], LISTED)],
    ids=["one command", "the list of all"],
)
def test_plugins_cost_nothing_until_they_are_named(lamp, typed, loaded):
    program = (
        "import sys; import manole; from manole.cli.app import main\n"
        "try: main()\n"
        "finally: print([m for m in sys.modules if m.startswith(('manole_', 'lamp'))])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, *typed],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.splitlines()[-1] == str(loaded)


def test_every_hook_is_told_of():
    text = (ROOT / "plugins" / "README.md").read_text("utf-8")
    assert re.findall(r"^\| `(manole\.\w+)`", text, re.MULTILINE) == [h.group for h in HOOKS]
