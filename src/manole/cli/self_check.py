"""`manole doctor --try`: a trial of this installation, from its libraries to an answer.

Without `--try` what is stored is examined; this tries the program itself, on two files of its own
in a temporary folder. Nothing is fetched, and no index of the person is touched.
"""

from __future__ import annotations

import platform
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from manole import __version__
from manole.care.findings import Finding, Level, command, good, problem, warning
from manole.errors import ManoleError

if TYPE_CHECKING:
    from manole.library import Library
    from manole.models.weights.cache import Weights
    from manole.settings import Settings

TOPIC = "installation"
# Compiled libraries, which may be built for another machine. pyproject.toml says what they are for.
ENGINES = (
    "numpy", "pyarrow", "lancedb", "onnxruntime", "tokenizers", "semantic_text_splitter",
    "kreuzberg", "pypdfium2", "PIL", "cv2", "rapidocr", "Stemmer", "xllamacpp",
)  # fmt: skip
_IMPORTING = (
    "import manole, sys\nfor name in sys.argv[1:]:\n print(name, flush=True)\n __import__(name)"
)
_SECONDS = 120  # for all libraries to load; set by hand, for a slow disk
_FILES = {
    "garden.md": "# Garden\n\nThe code of the garden gate is 4711.\n",
    "boat.html": "<p>The boat was painted blue in May 2023.</p>",
}
_QUESTION, _ANSWER = "What is the code of the garden gate?", "4711"
_REINSTALL = "Install Manole anew: `pip install --force-reinstall manole`."


async def tried(settings: Settings, tell: Callable[[str], None]) -> list[Finding]:
    """Try the libraries, the page, the embedder, an index and the model.

    Nothing is fetched, and nothing of the person's is read or changed.
    """
    tell("the libraries")
    found = [good(TOPIC, f"Manole {__version__}, Python {platform.python_version()}"), _libraries()]
    found += [_page()]
    if found[1].level is Level.PROBLEM:
        return found  # loading them would end this process too
    from manole.care.folders import check_folders
    from manole.models.weights.cache import Weights

    found += check_folders(settings)
    weights = Weights(settings.weights_dir)
    tell("the models")
    found += [finding async for finding in _answers(settings, weights)]
    return found


def _libraries() -> Finding:
    """Load each compiled library in a process of its own, which a broken one may end."""
    child = [sys.executable, "-P", "-c", _IMPORTING, *ENGINES]
    try:
        done = subprocess.run(child, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return problem(TOPIC, f"the libraries did not load in {_SECONDS} seconds", "", _REINSTALL)
    if done.returncode == 0:
        return good(TOPIC, f"{len(ENGINES)} compiled libraries load")
    name = (done.stdout.split() or ["manole"])[-1]
    if done.returncode == -signal.SIGILL:
        text = f"{name} does not run on this processor: SIGILL"
        return problem(TOPIC, text, name, "Use a machine of 2013 or later (AVX2), or 64-bit ARM.")
    killed = (
        f"it was ended by signal {-done.returncode}" if done.returncode < 0 else "no reason given"
    )
    reason = (done.stderr.strip().splitlines() or [killed])[-1]
    lacks = re.search(r"(\S+\.so[.\d]*): cannot open shared object", reason)
    remedy = f"Install {lacks[1]} by your system's packages." if lacks else _REINSTALL
    return problem(TOPIC, f"{name} does not load: {reason}", name, remedy)


def _page() -> Finding:
    """Check that the page is there, with every file that its first one names."""
    from manole.serve.http.page import WEB, read_page

    page = read_page()
    named = re.findall(r'(?:src|href)="/assets/([^"]+)"', page.index.content.decode("utf-8"))
    lacking = [name for name in named if name not in page.assets]
    if not named:
        return problem(TOPIC, "the page was not built", WEB, "`make web`, in the source folder.")
    if lacking:
        return problem(TOPIC, f"the page lacks {', '.join(lacking)}", WEB, _REINSTALL)
    return good(TOPIC, f"the page is there, {len(page.assets)} files")


async def _answers(settings: Settings, weights: Weights) -> AsyncIterator[Finding]:
    """Index two files, find one and ask about it; yield what was found."""
    from manole.library import Library
    from manole.models.endpoints import chosen_embedder

    name = chosen_embedder(settings)
    if not name.startswith("openai:") and weights.path(name) is None:
        text = f"the embedder {name} is not at hand, so no index was tried"
        yield problem(TOPIC, text, weights.cache_dir, command("manole", "models", "fetch"))
        return
    with tempfile.TemporaryDirectory(prefix="manole-") as place:
        folder = _written(Path(place, "files"))
        index = settings.index.model_copy(
            update={"exclude": (), "pages": "lines", "reranker": "off"}
        )
        own = settings.model_copy(update={"data_dir": Path(place, "data"), "index": index})
        try:
            async with await Library.open(folder, own) as library:
                yield await _found(library, name)
                yield await _asked(library, own, weights)
        except ManoleError as error:
            yield problem(TOPIC, error.message, "", error.hint or "")
        except Exception as error:  # a fault of ours, or a library that loads and does not work
            yield problem(TOPIC, f"{type(error).__name__}: {error}", "", _REINSTALL)


def _written(folder: Path) -> Path:
    folder.mkdir()
    for file, text in _FILES.items():
        (folder / file).write_text(text, "utf-8")
    return folder


async def _found(library: Library, embedder: str) -> Finding:
    report = await library.sync()
    hits = await library.search(_QUESTION, limit=1)
    if report.added != len(_FILES) or not hits or hits[0].passage.path != "garden.md":
        text = (
            f"{report.added} of {len(_FILES)} files were indexed, and the right one was not found"
        )
        return problem(TOPIC, text, "", command("manole", "doctor"))
    return good(TOPIC, f"{len(_FILES)} files were read, embedded by {embedder}, and found")


async def _asked(library: Library, settings: Settings, weights: Weights) -> Finding:
    from manole.agent.loop import Agent
    from manole.models.choose import chat_at_hand
    from manole.models.endpoints import endpoint_of
    from manole.models.load import ChatLoader

    name = settings.model.name
    if endpoint_of(name)[0]:
        return good(TOPIC, f"the chat model is {name}, an endpoint; it was not asked")
    at_hand = chat_at_hand(settings, weights) if name == "auto" else weights.path(name)
    if not at_hand:
        text = "no chat model is at hand; files can be searched, not asked"
        return warning(TOPIC, text, weights.cache_dir, command("manole", "models", "fetch"))
    loader = ChatLoader(settings, weights)
    try:
        model = await loader.get()
        async for event in Agent(library, loader, settings).ask(_QUESTION):
            if event.type == "complete" and _ANSWER in event.answer:
                return good(TOPIC, f"{model.name} answered a question")
    finally:
        await loader.close()
    text = f"{model.name} did not answer a question whose answer stands in a file"
    return problem(TOPIC, text, "model.name", command("manole", "models"))
