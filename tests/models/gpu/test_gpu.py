"""Loading on a graphics processor. The engine and its device are fakes, named so; the launcher,
the check, the notes between starts and the loader are real."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import gguf
import pytest

from manole.care.findings import Level
from manole.care.weights import check_graphics
from manole.errors import ModelError
from manole.models.chat.protocol import Completion, Message, Usage
from manole.models.engine.child import environment
from manole.models.engine.llamacpp import VERSION
from manole.models.engine.options import fingerprint
from manole.models.gpu import notes as gpu_notes
from manole.models.gpu import offload
from manole.models.gpu.devices import Gpu, devices, driver, listed
from manole.models.gpu.layers import MARGIN, header, room
from manole.models.gpu.notes import Token
from manole.models.gpu.offload import difference
from manole.models.load import ChatLoader
from manole.models.machine.gpu_report import gpu_report
from manole.models.machine.tuning import Choice, key_for, remember
from manole.models.vision import VisionModel
from manole.models.weights.cache import Weights
from manole.models.weights.files import sha256_of
from manole.settings import ModelSettings, Settings

FAKE = Path(__file__).parent / "fake_gpu_server.py"
BLOCKS = 31  # and the output: 32 layers
GIB = 2**30


@pytest.fixture
def weights(tmp_path):
    """Weights that say what they are, and hold nothing: 64 MiB that take no room."""
    path = tmp_path / "some.gguf"
    keys = gguf.GGUFWriter(path, "llama")
    keys.add_block_count(BLOCKS)
    keys.add_embedding_length(512)
    keys.add_head_count(8)
    keys.add_head_count_kv(2)
    keys.add_token_list(["a", "b"])
    keys.write_header_to_file()
    keys.write_kv_data_to_file()
    keys.close()
    with path.open("r+b") as file:
        file.truncate(64 * 2**20)
    return path


class Machine:
    """A machine whose compiled engine is the fake, measured and chosen to run on its device."""

    def __init__(self, tmp_path: Path, weights: Path) -> None:
        self.cache, self.weights = tmp_path / "cache", weights
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
        remember(self.cache, key_for(fingerprint(weights), VERSION), choice)

    def has(self, **faults: object) -> None:
        """From now on the device is like this."""
        self.file.write_text(json.dumps({"free": 8192} | faults))

    def loader(self, **model: object) -> ChatLoader:
        settings = Settings(
            cache_dir=self.cache,
            model=ModelSettings(name=str(self.weights), context=1024, threads=1, **model),
        )
        return ChatLoader(settings, Weights(settings.weights_dir))

    def starts(self) -> list[int]:
        """Layers of the starts since this was asked."""
        log = self.file.with_suffix(".starts")
        told = [int(line) for line in log.read_text().split()] if log.exists() else []
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
def machine(tmp_path, weights):
    one = Machine(tmp_path, weights)
    one.has()
    return one


async def test_all_layers_after_one_look_at_what_the_cpu_says(machine):
    assert await machine.once() == ("32 layers", "")
    assert machine.starts() == [0, 32]
    assert await machine.once() == ("32 layers", "")
    assert machine.starts() == [32]


async def test_off_is_off(machine):
    assert await machine.once(gpu="off") == ("0 layers", "")
    assert machine.starts() == [0]


async def test_a_device_with_little_memory_gets_what_has_room(machine):
    machine.has(free=1024 + 40)
    text, notice = await machine.once()
    layers = int(text.split()[0])
    assert 8 < layers < 24
    assert f"room for {layers} of 32 layers of some" in notice


async def test_a_device_without_room_is_left_alone(machine):
    machine.has(free=900)
    text, notice = await machine.once()
    assert text == "0 layers"
    assert "no room for some.gguf (0.9 GiB are free)" in notice
    assert machine.starts() == [0]


async def test_memory_that_is_not_there_is_found_out_once(machine):
    machine.has(free=65536, fits=9)
    text, notice = await machine.once()
    assert text == "8 layers"
    assert "takes 8 of 32 layers of some.gguf: with 16 it did not load" in notice
    assert machine.starts() == [0, 32, 16, 8]
    assert (await machine.once()) == (text, notice)
    assert machine.starts() == [8]


async def test_memory_that_another_program_took_is_used_again_when_it_is_free(machine):
    machine.has(free=2048, fits=9)
    await machine.once()
    machine.has(free=4096)
    machine.starts()
    assert await machine.once() == ("32 layers", "")
    assert machine.starts() == [32]


async def test_a_device_that_loads_nothing(machine):
    machine.has(fits=0)
    text, notice = await machine.once()
    assert text == "0 layers"
    assert "some.gguf did not load on Fake Graphics (Mesa) 9; the CPU is used." in notice
    assert machine.starts() == [0, 32, 16, 8, 4, 2, 0]
    assert (await machine.once()) == (text, notice)
    assert machine.starts() == [0]


@pytest.mark.parametrize("wrong", ["other", "nan"])
async def test_a_device_that_computes_wrongly_is_not_used(machine, wrong):
    machine.has(wrong=wrong)
    text, notice = await machine.once()
    assert text == "0 layers"
    assert "Fake Graphics (Mesa) 9 computes wrongly (token 1 " in notice
    assert machine.starts() == [0, 32, 0]
    assert (await machine.once()) == (text, notice)
    assert machine.starts() == [0]


async def test_a_device_that_is_slower_than_the_cpu_is_not_used(machine):
    machine.has(rate=9.0)
    text, notice = await machine.once()
    assert text == "0 layers"
    assert notice == "Fake Graphics (Mesa) 9 reads 9 tokens/s, the CPU 40; the CPU is used."
    machine.starts()
    assert (await machine.once()) == (text, notice)
    assert machine.starts() == [0]


async def test_a_device_that_hangs(machine, monkeypatch):
    monkeypatch.setattr(offload, "_CHECK_S", 0.3)
    machine.has(hangs=True)
    text, notice = await machine.once()
    assert text == "0 layers"
    assert "ended, or hung, on Fake Graphics (Mesa) 9; the CPU is used for a day" in notice
    assert machine.starts() == [0, 32, 0]
    machine.has()
    assert (await machine.once()) == (text, notice)


async def test_another_driver_is_tried_anew(machine, monkeypatch):
    machine.has(wrong="other")
    await machine.once()
    machine.has()
    monkeypatch.setattr(gpu_notes, "driver", lambda: "a new one")
    assert await machine.once() == ("32 layers", "")


async def test_a_device_that_goes_in_the_midst_of_an_answer(machine):
    machine.has(dies=True)
    loader = machine.loader()
    with pytest.raises(ModelError, match="SIGSEGV") as caught:
        await said(loader)
    assert "Ask again" in caught.value.hint
    assert "Fake Graphics (Mesa) 9" in caught.value.hint
    assert await said(loader) == "0 layers"
    assert "ended, or hung, on Fake Graphics" in loader.notice
    await loader.close()
    assert (await machine.once())[0] == "0 layers"


async def test_after_a_day_it_is_tried_again(machine, monkeypatch):
    machine.has(dies=True)
    with pytest.raises(ModelError):
        await machine.once()
    machine.has()
    assert (await machine.once())[0] == "0 layers"
    monkeypatch.setattr(gpu_notes, "REST", timedelta(0))
    assert await machine.once() == ("32 layers", "")


async def test_a_device_that_is_gone_at_the_next_start(machine):
    await machine.once()
    machine.has(gone=True)
    assert await machine.once() == ("0 layers", "")


@pytest.mark.parametrize("junk", ["", "{", '{"version": 1, "notes": {"x": {}}}', "[]"])
async def test_damaged_notes_are_none(machine, junk):
    await machine.once()
    (machine.cache / "gpu.json").write_text(junk)
    machine.starts()
    assert await machine.once() == ("32 layers", "")
    assert machine.starts() == [0, 32]


async def test_notes_that_another_could_write_are_none(machine):
    machine.has(wrong="other")
    await machine.once()
    machine.has()
    (machine.cache / "gpu.json").chmod(0o666)
    assert await machine.once() == ("32 layers", "")


def test_a_program_that_is_no_engine_has_no_devices(tmp_path, machine):
    assert listed(machine.program) == (
        Gpu("Vulkan0", "Fake Graphics (Mesa) 9", 8192 * 2**20, 8192 * 2**20),
    )
    assert listed(tmp_path / "gone") == ()


def test_the_prebuilt_engine_here_says_what_it_has():
    assert all(gpu.total >= 0 and gpu.name for gpu in devices())
    assert driver() == driver()


def test_what_stands_in_a_model_file(weights):
    found = header(weights)
    assert found["llama.block_count"] == BLOCKS
    assert not any(key.startswith("tokenizer") for key in found)
    gpu = Gpu("x", "x", MARGIN + 8 * GIB, 8 * GIB)
    assert room(weights, [gpu], 1024, "f16").layers == BLOCKS + 1
    # A layer is 2 MiB, and of keys and values 1024 tokens, 2 heads, 2 x 64 numbers, 2 bytes.
    each = 2 * 2**20 + 1024 * 2 * 2 * 64 * 2
    tight = Gpu("x", "x", MARGIN + 5 * each + 1, 8 * GIB)
    assert room(weights, [tight], 1024, "f16").layers == 5
    assert room(weights, [tight, tight], 1024, "f16").layers == 10
    assert room(weights, [tight], 1024, "q8_0").layers == 5
    assert room(weights, [tight], 65536, "f16").layers == 0


@pytest.mark.parametrize("cut", [4, 8, 24, 30, 60, 90])
def test_a_file_that_ends_too_soon_has_no_layers(weights, tmp_path, cut):
    path = tmp_path / "cut.gguf"
    path.write_bytes(weights.read_bytes()[:cut])
    assert room(path, [Gpu("x", "x", 9 * GIB, 9 * GIB)], 1024, "f16").layers == 0


def test_lengths_that_lie_are_no_header(tmp_path):
    path = tmp_path / "lies.gguf"
    for lie in (b"\xff" * 8, b"\x00\x00\x00\x00\x01\x00\x00\x00"):
        path.write_bytes(b"GGUF\x03\x00\x00\x00" + bytes(8) + b"\xff" * 8 + lie + b"x" * 99)
        assert header(path) == {}


def tokens(*likely):
    return [Token(id=one, logprob=p, others=dict(others)) for one, p, others in likely]


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (tokens((1, -0.1, {}), (2, -0.2, {})), ""),
        (tokens((1, -0.4, {}), (2, -0.5, {})), ""),
        (tokens((1, -0.1, {}), (3, -0.6, {})), ""),  # as likely as 2: whatever comes next is right
        (tokens((1, -0.1, {}), (4, -0.6, {})), "token 2 is another"),
        (tokens((9, -0.1, {})), "token 1 is another"),
        (tokens((1, -5.0, {})), "token 1 is 134 times"),
        (tokens((1, None, {})), "token 1 has no probability"),
        (tokens((1, float("nan"), {})), "token 1 has no probability"),
        ([], "it says nothing"),
    ],
)
def test_what_is_taken_for_right(told, why):
    cpu = tokens(
        (1, -0.1, {1: -0.1, 4: -3.0}), (2, -0.5, {2: -0.5, 3: -0.7, 4: -6.0}), (5, -0.1, {5: -0.1})
    )
    found = difference(cpu, told)
    assert found.startswith(why) if why else found == ""


async def test_what_is_said_of_it(machine):
    def now(**model):
        loader = machine.loader(**model)
        return gpu_report("some", machine.weights, machine.cache, loader.settings.model)

    assert (
        now().text
        == "Fake Graphics (Mesa) 9, 32 of 32 layers; it is checked when it is first used."
    )
    await machine.once()
    assert now().text == (
        "Fake Graphics (Mesa) 9, 32 of 32 layers; it reads 400 tokens/s, the CPU 40."
    )
    assert now(gpu="off").text == "none. model.gpu is off."
    machine.has(free=1000)
    assert now().text.startswith("none. Fake Graphics (Mesa) 9 has no room for some")
    machine.has(gone=True)
    assert now().text == "none. The engine compiled here finds none that it can use."


async def test_the_doctor_warns_of_one_that_computes_wrongly(machine):
    settings = machine.loader().settings
    assert [finding.level for finding in check_graphics(settings)] == [Level.GOOD]
    machine.has(wrong="other")
    await machine.once()
    (finding,) = check_graphics(settings)
    assert finding.level is Level.WARNING
    assert "computes wrongly" in finding.text
    assert "manole models tune" in finding.remedy


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


async def test_photos_go_on_with_the_cpu_when_the_device_goes():
    first, second = FakeSeer(dies=True), FakeSeer(dies=False)

    async def again():
        return second, 0

    eyes = VisionModel(first, again=again)
    photo = b"\xff\xd8\xff"
    assert "The engine ended." in (await eyes.caption(photo)).reason
    assert (await eyes.caption(photo)).text == "A dog on a meadow."
    assert first.closed
