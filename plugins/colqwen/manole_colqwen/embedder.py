"""Pages found by their looks: ColQwen2.5, many vectors a page from its picture.

A vision-language model reads the picture of a page and makes a vector of each patch; a question has
one for each of its tokens. They are compared by late interaction (Faysse and others, "ColPali:
Efficient Document Retrieval with Vision Language Models", ICLR 2025), as lines are
(`manole.index.search.pages`). The model is colpali-engine's.

A weight that is missing would be drawn at random, and the vectors would look as good as any. So
every weight has to come from a file, else the model is refused and the weight named. Pictures are
scaled by Pillow, as in the model's training, whether torchvision is installed or not.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.errors import ModelError

Vectors = npt.NDArray[np.float32]

OFFICIAL = "vidore/colqwen2.5-v0.2"
AGAIN = "Download the model again."
EXTRA = 'Install the extra: pip install "manole[colqwen]"'
ADAPTER, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
CONFIG, WEIGHTS, SHARDS = "config.json", "model.safetensors", "model.safetensors.index.json"
PICTURES = ("preprocessor_config.json", "processor_config.json")  # one of them, by version
TOKENIZER = "tokenizer.json"
BATCH = 1  # pages: on a CPU two at a time are no faster, and take twice the memory
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_UNUSED = {"lm_head.weight"}  # writes words, which an embedder does not need
# Names in adapters of colpali-engine up to 0.3.10, when the model was nested differently.
_RENAMED = (
    (re.compile(r"^base_model\.model\."), ""),
    (re.compile(r"^model\.(?=language_model\.|visual\.)"), ""),
    (re.compile(r"^model\.(?=layers\.|embed_tokens\.|norm\.)"), "language_model."),
)
_NOT_IN_NAME = {"_name_or_path", "base_model_name_or_path", "transformers_version", "peft_version"}
_SAMPLES, _SAMPLE = 64, 4096  # for the name, of each weights file: number, bytes; set by hand


class ColQwenEmbedder:
    """A `PageEmbedder` that sees: ColQwen2.5, merged or as an adapter on its base.

    Safe to call from several threads; one of them computes at a time.
    """

    sees = True

    def __init__(self, name: str, model: Any, processor: Any, dimensions: int, pool: int) -> None:
        """Use `load`."""
        self.name = name
        self.dimensions = dimensions
        self._model = model
        self._processor = processor
        self._pool = pool
        self._lock = threading.Lock()

    @classmethod
    def load(cls, source: str | Path, *, half: bool = False, pool: int = 1) -> ColQwenEmbedder:
        """Return the model in a folder or of a name on the hub, such as "vidore/colqwen2.5-v0.2".

        A folder has a whole model, or an adapter whose base is a folder or on the hub. `half` loads
        bfloat16, and `pool` clusters a page's vectors to one in so many. Raises `ModelError` when
        the extra is not installed, files are missing or of another model, or a weight is not there.
        """
        if pool < 1:
            raise ModelError(f"pool = {pool} is less than 1.", "1 keeps every vector of a page.")
        _check_extra()
        import torch

        folder = _folder(str(source))
        adapter = folder if (folder / ADAPTER).is_file() else None
        settings = _adapter_settings(adapter) if adapter else {}
        if adapter:
            folder = _folder(str(settings["base_model_name_or_path"]), beside=adapter)
            if (folder / ADAPTER).is_file():
                raise ModelError(f"{folder} is an adapter, and cannot be the base of {adapter}.")
        dtype = torch.bfloat16 if half else torch.float32
        model = _load_base(folder, dtype, given=settings.get("modules_to_save") or ())
        dimensions = int(model.custom_text_proj.out_features)
        if adapter:
            _apply_adapter(model, adapter)
        home = adapter if adapter and _has_processor(adapter) else folder
        processor = _load_processor(home)
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = model.to(device).eval()
        digest = hashlib.sha256(f"{half} {pool}".encode())
        for part in _fingerprint(folder, adapter, home):
            digest.update(part)
        return cls(f"colqwen2.5:{digest.hexdigest()[:12]}", model, processor, dimensions, pool)

    def embed(self, pages: Sequence[object], pictures: Sequence[bytes] = ()) -> list[Vectors]:
        """Return the vectors of each page from its JPEG picture: float32, (n, dimensions).

        Each has length 1. Pages are only counted. Raises `ModelError` for a picture that cannot be
        read, `ValueError` unless there is one a page.
        """
        if len(pages) != len(pictures):
            raise ValueError(f"{len(pages)} pages with {len(pictures)} pictures")
        found: list[Vectors] = []
        for start in range(0, len(pictures), BATCH):
            images = [_open(picture) for picture in pictures[start : start + BATCH]]
            try:
                inputs = self._processor.process_images(images)
            except ValueError as error:  # 200 times longer than wide
                raise ModelError(f"A page's picture cannot be scaled: {error}") from error
            found += self._infer(inputs)
        return [self._pooled(vectors) for vectors in found]

    def embed_query(self, text: str) -> tuple[Vectors, npt.NDArray[np.float32]]:
        """Return a question's vectors (tokens × dimensions) and their equal weights (tokens).

        Each vector has length 1; the weights sum up to 1.
        """
        (vectors,) = self._infer(self._processor.process_queries(texts=[text]))
        return vectors, np.full(len(vectors), 1 / len(vectors), np.float32)

    def _infer(self, inputs: Any) -> list[Vectors]:
        """Return the vectors of each row of the inputs, without those of padding."""
        import torch

        with self._lock, torch.inference_mode():
            given = inputs.to(self._model.device)
            rows = self._model(**given).float().cpu().numpy()
            kept = given["attention_mask"].bool().cpu().numpy()
        return [_unit(row[mask]) for row, mask in zip(rows, kept, strict=True)]

    def _pooled(self, vectors: Vectors) -> Vectors:
        if self._pool == 1:
            return vectors
        import torch
        from colpali_engine.compression.token_pooling import HierarchicalTokenPooler

        pooled = HierarchicalTokenPooler().pool_embeddings(
            [torch.from_numpy(vectors)], pool_factor=self._pool
        )
        return _unit(pooled[0].numpy())


def _check_extra() -> None:
    """Import the libraries of the extra. Raises `ModelError` if it is not installed."""
    try:
        import colpali_engine.models  # noqa: F401
        import peft  # noqa: F401
        from transformers.models.qwen2_vl import image_processing_pil_qwen2_vl  # noqa: F401
    except ImportError as error:
        raise ModelError(f"ColQwen2.5 cannot run: {error}.", EXTRA) from error


def _folder(source: str, *, beside: Path | None = None) -> Path:
    """Return the folder of a model; for a name on the hub, after fetching its files."""
    for base in (Path(), beside):
        if base is not None and (path := base / Path(source).expanduser()).is_dir():
            return path
    if not _HUB_NAME.fullmatch(source):
        raise ModelError(
            f"{source} is no folder" + (f", but the base of {beside}." if beside else "."),
            "Name a folder with a ColQwen2.5 model, or one on the hub.",
        )
    from huggingface_hub import snapshot_download

    wanted = ["*.json", "*.safetensors", "*.txt", "*.jinja"]
    try:
        # The person names what to trust; weights and settings are fetched, and no code.
        found = snapshot_download(source, allow_patterns=wanted, ignore_patterns=["*/*"])  # nosec B615
        return Path(found)
    except (OSError, ValueError) as error:  # the hub's own errors are of these two
        first = str(error).strip().splitlines()
        raise ModelError(
            f"{source} is no folder, and cannot be had from the hub: {first[0] if first else ''}",
            "Check the name and the connection, or download it and name the folder.",
        ) from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ModelError(f"{path.parent} has no {path.name}.", AGAIN) from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}", AGAIN) from error
    if not isinstance(found, dict):
        raise ModelError(f"{path} has no settings in it.", AGAIN)
    return found


def _adapter_settings(folder: Path) -> dict[str, Any]:
    settings = _read_json(folder / ADAPTER)
    if settings.get("peft_type") != "LORA" or not settings.get("base_model_name_or_path"):
        raise ModelError(f"{folder / ADAPTER} describes no LoRA adapter with a base.")
    if not (folder / ADAPTER_WEIGHTS).is_file():
        raise ModelError(f"{folder} has no {ADAPTER_WEIGHTS}.", "Download the adapter again.")
    return settings


def _shards(folder: Path) -> list[Path]:
    """Return the files with a model's weights. Raises `ModelError` if one is missing."""
    names = {WEIGHTS}
    if not (folder / WEIGHTS).is_file():
        if not (folder / SHARDS).is_file():
            raise ModelError(f"{folder} has no {WEIGHTS}.", AGAIN)
        names = set(_read_json(folder / SHARDS).get("weight_map", {}).values())
    for name in sorted(names):
        if not (folder / name).is_file():
            raise ModelError(f"{folder} has no {name}.", AGAIN)
    return [folder / name for name in sorted(names)]


def _load_base(folder: Path, dtype: Any, *, given: Iterable[str]) -> Any:
    """Load the model, each weight from a file, but for modules that an adapter has whole."""
    from colpali_engine.models import ColQwen2_5
    from safetensors import SafetensorError

    kind = _read_json(folder / CONFIG).get("model_type")
    if kind != "qwen2_5_vl":
        raise ModelError(
            f"{folder} has a model of the kind {kind}, and qwen2_5_vl is needed.",
            "Name a ColQwen2.5 model, such as vidore/colqwen2.5-v0.2.",
        )
    _shards(folder)
    try:
        with _quiet():
            model, report = ColQwen2_5.from_pretrained(
                folder,
                dtype=dtype,
                use_safetensors=True,
                local_files_only=True,
                output_loading_info=True,
                ignore_mismatched_sizes=True,  # they are in the report, by name
            )
    except (OSError, ValueError, RuntimeError, TypeError, KeyError, SafetensorError) as error:
        raise ModelError(f"{folder} cannot be loaded: {error}", "Download it again.") from error
    whole = tuple(given)
    missing = {key for key in report["missing_keys"] if not key.rpartition(".")[0].endswith(whole)}
    sizes = {entry if isinstance(entry, str) else entry[0] for entry in report["mismatched_keys"]}
    _refuse(folder, missing, set(report["unexpected_keys"]) - _UNUSED, sizes)
    return model


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the bars and tables that transformers prints; errors are raised."""
    from transformers.utils import logging

    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _apply_adapter(model: Any, folder: Path) -> None:
    """Put an adapter's layers into the model, in place, each of its weights used."""
    from peft import LoraConfig, get_peft_model_state_dict, inject_adapter_in_model
    from peft import set_peft_model_state_dict as set_weights
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        weights = {
            _current(key): value for key, value in load_file(folder / ADAPTER_WEIGHTS).items()
        }
        config = LoraConfig.from_pretrained(str(folder), local_files_only=True)
        config.inference_mode = True
        inject_adapter_in_model(config, model)
    except (OSError, ValueError, RuntimeError, TypeError, SafetensorError) as error:
        raise ModelError(f"{folder} cannot be applied: {error}", "Download it again.") from error
    wanted = get_peft_model_state_dict(model, save_embedding_layers=False)
    sizes = {key for key in wanted.keys() & weights if wanted[key].shape != weights[key].shape}
    _refuse(folder, wanted.keys() - weights, weights.keys() - wanted, sizes)
    set_weights(model, weights)


def _refuse(folder: Path, missing: set[str], unknown: set[str], sizes: set[str]) -> None:
    """Raise `ModelError` if any weight is missing, unknown or of another size, and name some."""
    for names, what in (
        (missing, "lacks"),
        (sizes, "has in another size"),
        (unknown, "has, and the model does not know,"),
    ):
        if names:
            first = ", ".join(sorted(names)[:3]) + (", ..." if len(names) > 3 else "")
            raise ModelError(
                f"{folder} {what} {len(names)} weights: {first}.",
                "It is no whole ColQwen2.5 model; with weights drawn at random it finds nothing.",
            )


def _current(key: str) -> str:
    """Return the current name of an adapter's weight."""
    for pattern, name in _RENAMED:
        key = pattern.sub(name, key)
    return key


def _has_processor(folder: Path) -> bool:
    return (folder / TOKENIZER).is_file() and any((folder / name).is_file() for name in PICTURES)


def _load_processor(folder: Path) -> Any:
    """Return the processor of pictures and texts, without videos, which need torchvision."""
    if not _has_processor(folder):
        raise ModelError(f"{folder} has no {TOKENIZER} or no {PICTURES[0]}.", AGAIN)
    from colpali_engine.models import ColQwen2_5_Processor
    from transformers import AutoTokenizer
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    class Processor(ColQwen2_5_Processor):  # type: ignore[misc]
        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument_name == "video_processor" and argument is None:
                return None
            return super().check_argument_for_proper_class(argument_name, argument)

    try:
        local = {"local_files_only": True}
        images = Qwen2VLImageProcessorPil.from_pretrained(folder, **local)  # nosec B615
        tokenizer = AutoTokenizer.from_pretrained(folder, **local)  # nosec B615
        return Processor(image_processor=images, tokenizer=tokenizer)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ModelError(
            f"The tokenizer in {folder} cannot be loaded: {error}", "Download it again."
        ) from error


def _fingerprint(folder: Path, adapter: Path | None, home: Path) -> Iterator[bytes]:
    """Yield the data that the vectors depend on: whole settings, samples of the weights."""
    settings = [folder / CONFIG, *(home / name for name in PICTURES)]
    weights = [*_shards(folder), home / TOKENIZER]
    if adapter:
        settings.append(adapter / ADAPTER)
        weights.append(adapter / ADAPTER_WEIGHTS)
    for path in settings:
        if path.is_file():
            found = _read_json(path)
            kept = {key: found[key] for key in found.keys() - _NOT_IN_NAME}
            yield json.dumps([path.name, kept], sort_keys=True).encode()
    for path in weights:
        size = path.stat().st_size
        yield f"{path.name} {size}".encode()
        with path.open("rb") as file:
            for start in range(0, size, max(size // _SAMPLES, _SAMPLE)):
                file.seek(start)
                yield file.read(_SAMPLE)


def _open(picture: bytes) -> Any:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(picture)) as image:
            return image.convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise ModelError(f"A page's picture cannot be read: {error}") from error


def _unit(vectors: npt.NDArray[Any]) -> Vectors:
    """Return the vectors as float32 of length 1. Raises `ModelError` if some are not finite."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ModelError("ColQwen2.5 gave vectors that are no numbers.", "Load it without half.")
    return np.asarray(vectors / lengths, np.float32)
