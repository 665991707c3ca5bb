"""Compiling the engine, with a fake pip and a fake cmake on the PATH."""

from __future__ import annotations

import hashlib
import io
import stat
import sys
import tarfile

import pytest

from manole.errors import ModelError
from manole_engine import build as building
from manole_engine.build import build, built, problem

FAKE_CMAKE = f"""#!{sys.executable}
# A fake cmake: notes how it was called, and "compiles" a program that runs.
import pathlib, sys
log = pathlib.Path(__file__).parent / "calls.txt"
with log.open("a") as file:
    print(*sys.argv[1:], sep="\\n", end="\\n--\\n", file=file)
if "--build" in sys.argv:
    if (log.parent / "fails").exists():
        sys.exit("error: no such register")
    into = pathlib.Path(sys.argv[sys.argv.index("--build") + 1], "bin")
    into.mkdir(parents=True)
    print("[1/2] Building CXX object a.o")
    print("[ 100%] Linking CXX executable bin/llama-server")
    program = into / "llama-server"
    program.write_text("#!/bin/sh\\necho version 1\\n")
    program.chmod(0o755)
else:
    if (log.parent / "no-vulkan").exists() and "-DGGML_VULKAN=ON" in sys.argv:
        sys.exit("error: no such extension")
    source = pathlib.Path(sys.argv[sys.argv.index("-S") + 1])
    assert (source / "CMakeLists.txt").read_text() == "project(fake)"
"""
FAKE_PIP = f"""#!{sys.executable}
# A fake pip: notes its arguments and the pinned hash, and delivers the archive beside it.
import pathlib, shutil, sys
here = pathlib.Path(__file__).parent
wanted = pathlib.Path(sys.argv[sys.argv.index("--requirement") + 1]).read_text()
(here / "pip.txt").write_text(" ".join(sys.argv[1:]) + "\\n" + wanted)
shutil.copy(here / "source.tar.gz", pathlib.Path(sys.argv[sys.argv.index("--dest") + 1]))
"""


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """A folder with the fakes, alone on the PATH but for what a compiler would be."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name, text in (("cmake", FAKE_CMAKE), ("fake-pip", FAKE_PIP), ("c++", ""), ("ninja", "")):
        (folder / name).write_text(text)
        (folder / name).chmod(stat.S_IRWXU)
    with tarfile.open(folder / "source.tar.gz", "w:gz") as archive:
        for name in ("x-1/thirdparty/llama.cpp/CMakeLists.txt", "x-1/setup.py"):
            member = tarfile.TarInfo(name)
            member.size = len("project(fake)")
            archive.addfile(member, io.BytesIO(b"project(fake)"))
    digest = hashlib.sha256((folder / "source.tar.gz").read_bytes()).hexdigest()
    monkeypatch.setattr(building, "SHA256", digest)
    monkeypatch.setattr(building, "pip_command", lambda: [str(folder / "fake-pip")])
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "a cache"


def kept(cache):
    return sorted(p.name for p in (cache / "engines").iterdir())


def test_the_source_is_fetched_by_its_hash_and_compiled_for_this_processor(tools, cache):
    seen = []
    program = build(cache, lambda done, total: seen.append((done, total)))
    pip, _, wanted = (tools / "pip.txt").read_text().partition("\n")
    assert pip.startswith("download --no-deps --no-binary xllamacpp")
    assert "--require-hashes" in pip
    assert wanted.split("--hash=sha256:")[1].strip() == building.SHA256
    configured, made, _ = (tools / "calls.txt").read_text().split("--\n")
    lines = configured.splitlines()
    assert lines[:2] == ["-G", "Ninja"]
    assert {"-DGGML_NATIVE=ON", "-DLLAMA_CURL=OFF", "-DBUILD_SHARED_LIBS=OFF"} <= set(lines)
    assert lines[-1].startswith('-DCMAKE_CXX_FLAGS=-include "')
    assert "--target\nllama-server" in made
    assert seen == [(1, 2), (100, 100)]
    assert program == built(cache)
    assert kept(cache) == [program.name, f"{program.name}.sha256"]


@pytest.fixture
def vulkan(tools, tmp_path, monkeypatch):
    """What compiling for graphics processors takes: a shader compiler, and headers in an SDK."""
    (tools / "glslc").write_text("")
    (tools / "glslc").chmod(stat.S_IRWXU)
    headers = tmp_path / "sdk/include"
    for name, text in (
        ("vulkan/vulkan_core.h", "#define VK_EXT_layer_settings 1"),
        ("spirv/unified1/spirv.hpp", ""),
    ):
        (headers / name).parent.mkdir(parents=True)
        (headers / name).write_text(text)
    monkeypatch.setenv("VULKAN_SDK", str(tmp_path / "sdk"))
    monkeypatch.setattr(building, "_INCLUDED", ())
    monkeypatch.setattr(building.sys, "platform", "linux")
    return headers


def test_it_is_compiled_for_graphics_processors_where_that_can_be(tools, vulkan, cache):
    said = []
    program = build(cache, tell=said.append)
    assert "-DGGML_VULKAN=ON\n" in (tools / "calls.txt").read_text()
    assert "too (Vulkan)" in said[0]
    assert program == built(cache) == built(cache, vulkan=True)
    assert built(cache, vulkan=False) is None


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ("glslc", "shader compiler"),
        ("vulkan/vulkan_core.h", "headers of Vulkan were not found"),
        ("spirv/unified1/spirv.hpp", "headers of SPIR-V"),
    ],
)
def test_without_what_vulkan_takes_it_is_compiled_without(tools, vulkan, cache, lacking, said):
    (tools / lacking if lacking == "glslc" else vulkan / lacking).unlink()
    told = []
    program = build(cache, tell=told.append)
    assert "VULKAN" not in (tools / "calls.txt").read_text()
    assert said in told[0]
    assert program == built(cache, vulkan=False)


def test_headers_that_are_too_old_are_told_from_new_ones(vulkan):
    assert building.vulkan_problem() is None
    (vulkan / "vulkan/vulkan_core.h").write_text("#define VK_HEADER_VERSION 239")
    assert "too old for this engine" in building.vulkan_problem()


def test_where_vulkan_does_not_compile_the_engine_does(tools, vulkan, cache):
    (tools / "no-vulkan").touch()
    told = []
    program = build(cache, tell=told.append)
    assert "no such extension" in told[-1]
    assert program == built(cache, vulkan=False)


def test_other_bytes_than_the_pinned_ones_are_refused(tools, cache, monkeypatch):
    monkeypatch.setattr(building, "SHA256", "0" * 64)
    with pytest.raises(ModelError, match="not the one that was pinned"):
        build(cache)
    assert not (tools / "calls.txt").exists()
    assert kept(cache) == []


def test_a_failed_build_says_why_and_leaves_nothing(tools, cache):
    (tools / "fails").touch()
    with pytest.raises(ModelError, match=r"cmake.*no such register"):
        build(cache)
    assert built(cache) is None
    assert kept(cache) == []


def test_a_build_cut_short_leaves_nothing(tools, cache):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(cache, stop)
    assert kept(cache) == []


def test_a_changed_program_is_not_taken_for_the_built_one(tools, cache):
    program = build(cache)
    program.write_text("#!/bin/sh\n")
    assert built(cache) is None
    assert build(cache) == built(cache)


@pytest.mark.parametrize(
    ("gone", "said"), [("cmake", "cmake"), ("c++", "compiler"), ("ninja", "make")]
)
def test_what_is_missing_is_named(tools, cache, gone, said):
    (tools / gone).unlink()
    assert said in problem()
    with pytest.raises(ModelError, match=said):
        build(cache)
    assert not cache.exists()


def test_nothing_was_built(cache):
    assert built(cache) is None
