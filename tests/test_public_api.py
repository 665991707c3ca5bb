"""`from manole import ...`: a few names, and nothing heavy behind the import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import manole

HEAVY = ("lancedb", "pyarrow", "onnxruntime", "xllamacpp", "kreuzberg", "numpy", "pypdfium2",
         "chardet")  # fmt: skip


def loaded_by(code):
    """Which heavy modules are loaded after `code` ran in a fresh interpreter."""
    program = f"import sys\n{code}\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize("name", manole.__all__)
def test_every_public_name_is_there(name):
    assert getattr(manole, name) is not None


def test_the_names_are_the_classes_of_their_modules():
    from manole.agent.loop import Agent
    from manole.errors import ManoleError
    from manole.library import Library
    from manole.settings import Settings

    assert (manole.Agent, manole.Library) == (Agent, Library)
    assert (manole.Settings, manole.ManoleError) == (Settings, ManoleError)


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Nothing"):
        _ = manole.Nothing


@pytest.mark.parametrize(
    "code",
    [
        "import manole",
        "from manole import Library, Settings, ManoleError",
        "import manole.cli.app",
        "import manole.documents.dates, manole.documents.journal",
        "from typer.testing import CliRunner\nfrom manole.cli.app import app\n"
        "assert 'ask' in CliRunner().invoke(app, ['--help']).output",
    ],
)
def test_importing_loads_neither_store_nor_models(code):
    assert loaded_by(code) == []


def test_every_error_is_a_manole_error_with_a_hint():
    from manole import errors

    classes = [c for c in vars(errors).values() if isinstance(c, type)]
    assert all(issubclass(c, manole.ManoleError) for c in classes)
    error = errors.UsageError("The folder is missing.", "Check its name.")
    assert str(error) == "The folder is missing. Check its name."
    assert (error.exit_code, errors.StoreError("x").exit_code) == (2, 1)
    assert str(errors.StoreError("x")) == "x"
