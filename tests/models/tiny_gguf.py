"""Tiny vision-language models in GGUF, with seeded random weights, for tests.

`write_moondream` and `write_qwen3vl` each write a text model and its projector, some hundred KB
together, that llama.cpp loads like Moondream2 and Qwen3-VL: same architectures, same tensor names.
What the models say is gibberish, but it is a function of the picture: another picture, another
text; the same picture, the same text. Only printable ASCII is ever sampled, and the end of a turn
only where a grammar allows nothing else, so an answer is as long as `max_tokens` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
END_OF_TEXT, IM_START, IM_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
SPECIAL = (END_OF_TEXT, IM_START, IM_END, "<|vision_start|>", "<|vision_end|>", "<|image_pad|>")
CONTEXT = 4096

_LAYERS = 2
_EPS = 1e-5
# Standard deviation of what a matrix makes of a normalised input. Well above 1, so that attention
# picks few positions: spread evenly over a prompt, the picture would drown in it.
_GAIN = 3.0


@dataclass(frozen=True)
class Text:
    """Sizes of the text model. A head of 32 also allows a quantised cache (blocks of 32)."""

    width: int = 64
    hidden: int = 128
    heads: int = 2
    kv_heads: int = 2

    @property
    def head(self) -> int:
        """Width of one attention head."""
        return self.width // self.heads


@dataclass(frozen=True)
class Vision:
    """Sizes of the vision encoder; pictures are `side` pixels square in `patch` pixel patches."""

    side: int
    patch: int
    width: int = 32
    hidden: int = 64
    heads: int = 2

    @property
    def patches(self) -> int:
        """Patches of a picture of the nominal size, which is also the number of positions."""
        return (self.side // self.patch) ** 2


class _File:
    """One GGUF file being written; the tensors are drawn in the order of the calls."""

    def __init__(self, path: Path, architecture: str, name: str, seed: int) -> None:
        self.path = path
        self.keys = gguf.GGUFWriter(path, architecture)
        self.keys.add_name(name)
        self.keys.add_file_type(gguf.LlamaFileType.ALL_F32)
        self._random = np.random.default_rng(seed)

    def put(self, name: str, values: NDArray[Any]) -> None:
        """Add a tensor. GGUF lists the sizes of an array in reverse."""
        self.keys.add_tensor(name, np.ascontiguousarray(values, dtype=np.float32))

    def normal(self, *shape: int, scale: float = 1.0) -> NDArray[Any]:
        """Random numbers of a standard deviation."""
        return self._random.standard_normal(shape) * scale

    def linear(self, name: str, inputs: int, outputs: int, *, bias: bool = True) -> None:
        """Add `name.weight`, and `name.bias` if there is one."""
        self.put(f"{name}.weight", self.normal(outputs, inputs, scale=_GAIN / inputs**0.5))
        if bias:
            self.put(f"{name}.bias", self.normal(outputs, scale=0.1))

    def norm(self, name: str, width: int, *, bias: bool = True) -> None:
        """Add a normalisation that changes nothing more."""
        self.put(f"{name}.weight", np.ones(width))
        if bias:
            self.put(f"{name}.bias", np.zeros(width))

    def close(self) -> Path:
        """Write all of it to disk."""
        self.keys.write_header_to_file()
        self.keys.write_kv_data_to_file()
        self.keys.write_tensors_to_file()
        self.keys.close()
        return self.path


def write_moondream(folder: Path, seed: int = 0) -> tuple[Path, Path]:
    """Write a model like Moondream2: Phi-2 with a SigLIP encoder and a two-layer projector.

    A picture, of whatever size, becomes 16 tokens. Returns the paths of model and projector.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = Text()
    file = _File(folder / "moondream.gguf", "phi2", "tiny-moondream", seed)
    file.keys.add_layer_norm_eps(_EPS)
    file.keys.add_rope_dimension_count(text.head // 2)
    _text_keys(file, text)
    tokens = _tokenizer(file, "phi-2")
    _embeddings(file, tokens, text.width)
    file.put("output.bias", np.zeros(len(tokens)))
    file.norm("output_norm", text.width)
    for index in range(_LAYERS):
        block = f"blk.{index}"
        file.norm(f"{block}.attn_norm", text.width)
        file.linear(f"{block}.attn_qkv", text.width, 3 * text.width)
        file.linear(f"{block}.attn_output", text.width, text.width)
        file.linear(f"{block}.ffn_up", text.width, text.hidden)
        file.linear(f"{block}.ffn_down", text.hidden, text.width)
    model = file.close()

    vision = Vision(side=56, patch=14)
    file = _File(folder / "moondream-mmproj.gguf", "clip", "tiny-moondream-mmproj", seed + 1)
    # The engine leaves the last block out for this projector.
    _vision_keys(file, "mlp", vision, text)
    _vision_input(file, vision)
    for index in range(_LAYERS):
        for part in ("attn_q", "attn_k", "attn_v"):
            file.linear(f"v.blk.{index}.{part}", vision.width, vision.width)
        _vision_block(file, index, vision)
    file.linear("mm.0", vision.width, text.width)
    file.linear("mm.2", text.width, text.width)
    return model, file.close()


def write_crashing(path: Path) -> Path:
    """Write some hundred bytes that llama.cpp ends its process over instead of refusing them."""
    keys = gguf.GGUFWriter(path, "llama")
    keys.add_block_count(2**31)
    keys.add_context_length(CONTEXT)
    keys.add_embedding_length(64)
    keys.add_feed_forward_length(64)
    keys.add_head_count(0)
    keys.add_layer_norm_rms_eps(_EPS)
    keys.write_header_to_file()
    keys.write_kv_data_to_file()
    keys.write_tensors_to_file()
    keys.close()
    return path


def write_qwen3vl(folder: Path, seed: int = 0) -> tuple[Path, Path]:
    """Write a model like Qwen3-VL, with its three-part rotary positions and one DeepStack layer.

    A picture becomes a token for every 32 pixels square, 8 at least; the engine's option
    `image_max_tokens` bounds it. Returns the paths of model and projector.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = Text(kv_heads=1)
    file = _File(folder / "qwen3vl.gguf", "qwen3vl", "tiny-qwen3vl", seed)
    file.keys.add_layer_norm_rms_eps(_EPS)
    file.keys.add_key_length(text.head)
    file.keys.add_value_length(text.head)
    file.keys.add_rope_freq_base(10000.0)
    # Pairs of a head turned by time, height and width: they add up to half a head.
    file.keys.add_rope_dimension_sections([text.head // 4, text.head // 8, text.head // 8, 0])
    file.keys.add_num_deepstack_layers(1)
    _text_keys(file, text)
    tokens = _tokenizer(file, "qwen2")
    _embeddings(file, tokens, text.width)
    file.norm("output_norm", text.width, bias=False)
    for index in range(_LAYERS):
        block = f"blk.{index}"
        for name, width in (
            ("attn_norm", text.width),
            ("attn_q_norm", text.head),
            ("attn_k_norm", text.head),
            ("ffn_norm", text.width),
        ):
            file.norm(f"{block}.{name}", width, bias=False)
        for name, inputs, outputs in (
            ("attn_q", text.width, text.heads * text.head),
            ("attn_k", text.width, text.kv_heads * text.head),
            ("attn_v", text.width, text.kv_heads * text.head),
            ("attn_output", text.heads * text.head, text.width),
            ("ffn_gate", text.width, text.hidden),
            ("ffn_up", text.width, text.hidden),
            ("ffn_down", text.hidden, text.width),
        ):
            file.linear(f"{block}.{name}", inputs, outputs, bias=False)
    model = file.close()

    vision = Vision(side=128, patch=16)
    merged = 4 * vision.width  # 2 x 2 patches are one token
    file = _File(folder / "qwen3vl-mmproj.gguf", "clip", "tiny-qwen3vl-mmproj", seed + 1)
    _vision_keys(file, "qwen3vl_merger", vision, text)
    file.keys.add_vision_spatial_merge_size(2)
    file.keys.add_vision_is_deepstack_layers([True] + [False] * (_LAYERS - 1))
    _vision_input(file, vision)
    # The second of two video frames; a still picture is given to both.
    file.put("v.patch_embd.weight.1", _patches(file, vision))
    for index in range(_LAYERS):
        file.linear(f"v.blk.{index}.attn_qkv", vision.width, 3 * vision.width)
        _vision_block(file, index, vision)
    file.norm("v.deepstack.0.norm", merged)
    file.linear("v.deepstack.0.fc1", merged, merged)
    file.linear("v.deepstack.0.fc2", merged, text.width)
    file.linear("mm.0", merged, merged)
    file.linear("mm.2", merged, text.width)
    return model, file.close()


def _text_keys(file: _File, text: Text) -> None:
    """What every text model says of itself."""
    file.keys.add_type(gguf.GGUFType.MODEL)
    file.keys.add_context_length(CONTEXT)
    file.keys.add_embedding_length(text.width)
    file.keys.add_feed_forward_length(text.hidden)
    file.keys.add_block_count(_LAYERS)
    file.keys.add_head_count(text.heads)
    file.keys.add_head_count_kv(text.kv_heads)


def _tokenizer(file: _File, pre: str) -> list[str]:
    """Add a byte-level tokenizer: the 256 bytes, one merge (there must be some), special tokens."""
    letters = _byte_letters()
    tokens = [*letters, letters[ord(" ")] + "t", *SPECIAL]
    types = [gguf.TokenType.NORMAL] * 257 + [gguf.TokenType.CONTROL] * len(SPECIAL)
    file.keys.add_tokenizer_model("gpt2")
    file.keys.add_tokenizer_pre(pre)
    file.keys.add_token_list(tokens)
    file.keys.add_token_types(types)
    file.keys.add_token_merges([f"{letters[ord(' ')]} t"])
    file.keys.add_bos_token_id(tokens.index(END_OF_TEXT))
    file.keys.add_eos_token_id(tokens.index(IM_END))
    file.keys.add_pad_token_id(tokens.index(END_OF_TEXT))
    file.keys.add_add_bos_token(False)
    file.keys.add_chat_template(CHATML)
    return tokens


def _byte_letters() -> list[str]:
    """The visible letter that stands for each byte in a byte-level vocabulary, by its value."""
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    spare = iter(range(0x100, 0x200))
    return [chr(byte if byte in visible else next(spare)) for byte in range(256)]


def _embeddings(file: _File, tokens: list[str], width: int) -> None:
    """Add the input and output embeddings; a row of zeros never has the highest score."""
    file.put("token_embd.weight", file.normal(len(tokens), width))
    output = file.normal(len(tokens), width)
    wanted = set(range(ord(" "), 0x7F))
    output[[index for index in range(len(tokens)) if index not in wanted]] = 0.0
    file.put("output.weight", output)


def _vision_keys(file: _File, projector: str, vision: Vision, text: Text) -> None:
    """What every projector says of itself."""
    file.keys.add_type(gguf.GGUFType.MMPROJ)
    file.keys.add_clip_has_vision_encoder(True)
    file.keys.add_clip_projector_type(projector)
    file.keys.add_vision_projection_dim(text.width)
    file.keys.add_vision_image_size(vision.side)
    file.keys.add_vision_patch_size(vision.patch)
    file.keys.add_vision_embedding_length(vision.width)
    file.keys.add_vision_feed_forward_length(vision.hidden)
    file.keys.add_vision_block_count(_LAYERS)
    file.keys.add_vision_head_count(vision.heads)
    file.keys.add_vision_attention_layernorm_eps(_EPS)
    file.keys.add_vision_image_mean([0.5, 0.5, 0.5])
    file.keys.add_vision_image_std([0.5, 0.5, 0.5])
    file.keys.add_vision_use_gelu(True)


def _patches(file: _File, vision: Vision) -> NDArray[Any]:
    """A convolution from pixels to patches."""
    values = 3 * vision.patch**2
    shape = (vision.width, 3, vision.patch, vision.patch)
    return file.normal(*shape, scale=_GAIN / values**0.5)


def _vision_input(file: _File, vision: Vision) -> None:
    """Add what is before and after the blocks of a vision encoder."""
    file.put("v.patch_embd.weight", _patches(file, vision))
    file.put("v.patch_embd.bias", file.normal(vision.width, scale=0.1))
    file.put("v.position_embd.weight", file.normal(vision.patches, vision.width, scale=0.1))
    file.norm("v.post_ln", vision.width)


def _vision_block(file: _File, index: int, vision: Vision) -> None:
    """Add a block of a vision encoder without its queries, keys and values."""
    block = f"v.blk.{index}"
    file.norm(f"{block}.ln1", vision.width)
    file.norm(f"{block}.ln2", vision.width)
    file.linear(f"{block}.attn_out", vision.width, vision.width)
    file.linear(f"{block}.ffn_up", vision.width, vision.hidden)
    file.linear(f"{block}.ffn_down", vision.hidden, vision.width)
