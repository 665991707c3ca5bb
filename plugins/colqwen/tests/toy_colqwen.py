"""Writes tiny ColQwen2.5 models, with the official classes and seeded random weights."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
# The layers that the vidore adapters change (LoRA, by this very pattern).
TARGETS = (
    "(.*(model).*(down_proj|gate_proj|up_proj|k_proj|q_proj|v_proj|o_proj).*$"
    "|.*(custom_text_proj).*$)"
)


def write_model(folder: Path, *, seed: int = 0) -> Path:
    """A whole model: weights as safetensors, tokenizer, picture settings. Returns `folder`."""
    import torch
    from colpali_engine.models import ColQwen2_5
    from transformers import Qwen2_5_VLConfig

    ids = _write_tokenizer(folder)
    text = {
        "vocab_size": len(ids),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": 4096,
        "rope_parameters": {
            "rope_type": "default",
            "mrope_section": [2, 3, 3],
            "rope_theta": 1e6,
        },
        "bos_token_id": None,
        "eos_token_id": ids["<|im_end|>"],
        "pad_token_id": ids["<|endoftext|>"],
    }
    vision = {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_heads": 2,
        "out_hidden_size": 32,
        "window_size": 56,
        "fullatt_block_indexes": [1],
    }
    config = Qwen2_5_VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = ColQwen2_5(config)
        for parameter in model.parameters():  # large enough for pictures to differ
            torch.nn.init.normal_(parameter, std=0.2 if parameter.ndim > 1 else 0.05)
        for name, parameter in model.named_parameters():
            if "norm" in name or name.endswith("ln_q.weight"):
                torch.nn.init.ones_(parameter)
    model.save_pretrained(folder)
    pictures = {
        "image_processor_type": "Qwen2VLImageProcessor",
        "processor_class": "ColQwen2_5_Processor",
        "min_pixels": 4 * 28 * 28,
        "max_pixels": 64 * 28 * 28,
        "patch_size": 14,
        "temporal_patch_size": 2,
        "merge_size": 2,
        "image_mean": [0.48145466, 0.4578275, 0.40821073],
        "image_std": [0.26862954, 0.26130258, 0.27577711],
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(pictures))
    return folder


def write_adapter(folder: Path, base: Path | str, *, seed: int = 1, whole: bool = False) -> Path:
    """A LoRA adapter for `base`, a folder, as the vidore ones are. Returns `folder`.

    With `whole`, the projection stands in it whole (`modules_to_save`) rather than as LoRA.
    """
    import torch
    from colpali_engine.models import ColQwen2_5
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=4,
        lora_alpha=4,
        lora_dropout=0.1,
        init_lora_weights="gaussian",
        bias="none",
        task_type="FEATURE_EXTRACTION",
        target_modules=TARGETS.partition("|.*(custom")[0] + ")" if whole else TARGETS,
        modules_to_save=["custom_text_proj"] if whole else None,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = get_peft_model(ColQwen2_5.from_pretrained(base), config)
        for name, parameter in model.named_parameters():
            if "lora_" in name or "modules_to_save" in name:
                torch.nn.init.normal_(parameter, std=0.2)
    with warnings.catch_warnings(action="ignore"):
        model.save_pretrained(str(folder), save_embedding_layers=False)
    return folder


def _write_tokenizer(folder: Path) -> dict[str, int]:
    """A byte-level BPE tokenizer with the special tokens; returns its vocabulary."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer: Any = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["Describe the image. Where is the valve on the page?"], trainer)
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL])
    named = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=4096, **named)
    fast.save_pretrained(folder)
    return tokenizer.get_vocab()
