"""Starting on a graphics processor. The engine and its device are fakes, named so; the launcher,
the notes between starts and the loader are real."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from manole.care.findings import Level
from manole.care.weights import check_graphics
from manole.errors import ModelError
from manole.models.chat.protocol import Completion, Message, Usage
from manole.models.engine import llamacpp
from manole.models.engine.child import environment
from manole.models.engine.llamacpp import VERSION, LlamaCpp
from manole.models.engine.options import EngineOptions, fingerprint
from manole.models.gpu import start
from manole.models.gpu.devices import devices
from manole.models.gpu.report import gpu_report
from manole.models.load import ChatLoader
from manole.models.machine.tuning import Choice, key_for, remember
from manole.models.vision import VisionModel
from manole.models.weights.cache import Weights
from manole.models.weights.files import sha256_of
from manole.settings import ModelSettings, Settings

FAKE = Path(__file__).parent / "fake_gpu_server.py"
TITLE = "Fake Graphics (Mesa) 9"


class Machine:
    """A machine whose compiled engine is the fake, measured and chosen to run on its device."""

    def __init__(self, tmp_path: Path) -> None:
        self.cache, self.weights = tmp_path / "cache", tmp_path / "some.gguf"
        self.weights.write_bytes(b"GGUF and nothing more")
        folder = self.cache / "engines"
        folder.mkdir(parents=True, mode=0o700)
        self.file = tmp_path / "faults.json"
        self.program = folder / "fake-llama-server"
        self.program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "{self.file}" "$@"\n')
        self.program.chmod(0o700)
        choice = Choice(
            model="some",
            threads=1,
            ubatch=512,
            kv="f16",
            flash="auto",
            lookup=0,
            draft=16,
            read_rate=1,
            write_rate=1,
            gpu=True,
            native=self.program,
            native_sha256=sha256_of(self.program),
            measured=datetime.now(UTC),
        )
        remember(self.cache, key_for(fingerprint(self.weights), VERSION), choice)

    def has(self, *faults: str) -> None:
        """From now on the device is like this."""
        self.file.write_text(json.dumps(faults))

    def loader(self, **model: object) -> ChatLoader:
        settings = Settings(
            cache_dir=self.cache,
            model=ModelSettings(name=str(self.weights), context=1024, threads=1, **model),
        )
        return ChatLoader(settings, Weights(settings.weights_dir))

    def starts(self) -> list[str]:
        """Where the engine started since this was asked."""
        log = self.file.with_suffix(".starts")
        told = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return told

    async def once(self, **model: object) -> tuple[str, str]:
        """A start, a question and the end: the answer, and what the loader said of the start."""
        loader = self.loader(**model)
        try:
            return await said(loader), loader.notice
        finally:
            await loader.close()


async def said(loader):
    return (await (await loader.get()).complete([Message("user", "x")], max_tokens=3)).text


@pytest.fixture
def machine(tmp_path):
    one = Machine(tmp_path)
    one.has()
    return one


async def test_where_there_is_one_it_answers(machine):
    assert await machine.once() == ("the GPU", "")
    assert machine.starts() == ["GPU"]
    assert not (machine.cache / "gpu.json").exists()


async def test_off_is_off(machine):
    assert await machine.once(gpu="off") == ("the CPU", "")
    assert machine.starts() == ["CPU"]


@pytest.mark.parametrize("fault", ["refuses", "breaks", "hangs"])
async def test_a_device_that_fails_is_tried_once(machine, monkeypatch, caplog, fault):
    monkeypatch.setattr(start, "_FIRST_S", 1.0)
    machine.has(fault)
    text, notice = await machine.once()
    assert text == "the CPU"
    assert "some.gguf failed on the graphics processor" in notice
    assert notice in caplog.text
    assert machine.starts() == ["GPU", "CPU"]
    machine.has()
    assert await machine.once() == (text, notice)
    assert machine.starts() == ["CPU"]


async def test_a_device_that_goes_in_the_midst_of_an_answer(machine):
    machine.has("dies")
    loader = machine.loader()
    with pytest.raises(ModelError, match="SIGSEGV") as caught:
        await said(loader)
    assert "Ask again" in caught.value.hint
    assert await said(loader) == "the CPU"
    assert "failed on the graphics processor" in loader.notice
    await loader.close()
    machine.starts()
    assert (await machine.once())[0] == "the CPU"
    assert machine.starts() == ["CPU"]


async def test_weights_that_load_nowhere_are_no_fault_of_the_device(machine):
    machine.has("junk")
    with pytest.raises(ModelError, match="could not load"):
        await machine.once()
    assert machine.starts() == ["GPU", "CPU"]
    machine.has()
    assert await machine.once() == ("the GPU", "")


async def test_without_a_device_the_cpu_is_not_asked_again(machine):
    machine.has("gone", "junk")
    with pytest.raises(ModelError, match="could not load"):
        await machine.once()
    assert machine.starts() == ["GPU"]


async def test_another_build_of_the_engine_is_tried_anew(machine, monkeypatch):
    machine.has("refuses")
    await machine.once()
    machine.has()
    monkeypatch.setattr(start, "_build", lambda: "a new one")
    assert await machine.once() == ("the GPU", "")


@pytest.mark.parametrize("junk", ["", "{", '{"failed": {"x": 3}}', "[]"])
async def test_damaged_notes_are_none(machine, junk):
    machine.has("refuses")
    await machine.once()
    machine.has()
    (machine.cache / "gpu.json").write_text(junk)
    assert await machine.once() == ("the GPU", "")


async def test_notes_that_another_could_write_are_none(machine):
    machine.has("refuses")
    await machine.once()
    machine.has()
    (machine.cache / "gpu.json").chmod(0o666)
    assert await machine.once() == ("the GPU", "")


def test_a_program_that_is_no_engine_has_no_devices(tmp_path, machine):
    assert devices(machine.program) == (TITLE,)
    assert devices(tmp_path / "gone") == ()


def test_the_usual_engine_here_says_what_it_has():
    assert all(devices())


async def test_the_usual_engine_fits_the_model_to_its_device(
    session_settings, tmp_path, monkeypatch
):
    """The device is a fake that only the child sees: the engine takes the way with one."""
    path = Weights(session_settings.weights_dir).ensure("smollm2-135m-instruct")["model.gguf"]
    child = tmp_path / "child.py"
    child.write_text(
        "from manole.models.engine import program\n"
        "program._devices = lambda: [{'name': 'Fake0'}]\n"
        "program.main()\n"
    )
    monkeypatch.setattr(llamacpp, "COMMAND", (sys.executable, "-P", str(child)))
    settings = ModelSettings(context=1024, threads=1)
    for gpu in (True, False):
        model = await LlamaCpp.load("small", path, settings, EngineOptions(gpu=gpu))
        assert model.on_gpu is gpu
        assert (await model.complete([Message("user", "hi")], max_tokens=2)).text
        await model.close()


def test_what_is_said_of_it(machine):
    def now(**model):
        settings = machine.loader(**model).settings.model
        return gpu_report("some", machine.weights, machine.cache, settings)

    assert (now().gpu, now().why) == (TITLE, "")
    assert now().text.startswith(TITLE)
    assert now(gpu="off").text == "none. model.gpu is off."
    machine.has("gone")
    assert now().text == "none. The engine compiled here finds none that it can use."


async def test_the_doctor_warns_of_one_that_failed_and_has_it_tried_again(machine):
    settings = machine.loader().settings
    assert [finding.level for finding in check_graphics(settings)] == [Level.GOOD]
    machine.has("refuses")
    await machine.once()
    (finding,) = check_graphics(settings)
    assert finding.level is Level.WARNING
    assert "some.gguf" in finding.text
    assert "manole doctor --fix" in finding.remedy
    report = gpu_report("some.gguf", machine.weights, machine.cache, settings.model)
    assert "some.gguf" in report.why
    machine.has()
    await finding.fix.run()
    assert [finding.level for finding in check_graphics(settings)] == [Level.GOOD]
    assert await machine.once() == ("the GPU", "")


def test_a_child_is_told_of_drivers_and_of_nothing_secret(monkeypatch):
    for name in ("GGML_VK_VISIBLE_DEVICES", "VK_ICD_FILENAMES", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.setenv(name, "1")
    for name in ("MANOLE_MODEL__API_KEY", "HF_TOKEN", "LLAMA_ARG_HOST", "VKEY"):
        monkeypatch.setenv(name, "secret")
    given = environment()
    assert given["GGML_VK_VISIBLE_DEVICES"] == given["VK_ICD_FILENAMES"] == "1"
    assert "secret" not in given.values()


class FakeSeer:
    """A fake vision model whose engine ends with the first picture."""

    name = "fake"

    def __init__(self, dies: bool) -> None:
        self.dies, self.ended, self.closed = dies, False, False

    async def complete(self, messages, *, max_tokens):
        if self.dies:
            self.ended = True
            raise ModelError("The engine ended.")
        return Completion("A dog on a meadow.", Usage(1, 0, 1, 0, 0))

    async def close(self):
        self.closed = True


async def test_photos_go_on_when_the_engine_ends():
    first, second = FakeSeer(dies=True), FakeSeer(dies=False)

    async def again():
        return second

    eyes = VisionModel(first, again=again)
    photo = b"\xff\xd8\xff"
    assert "The engine ended." in (await eyes.caption(photo)).reason
    assert (await eyes.caption(photo)).text == "A dog on a meadow."
    assert first.closed
