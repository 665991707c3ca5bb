"""A model's tokenizer: `tokenizer.json`, or a BERT vocabulary where nobody published one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENIZER, VOCABULARY = "tokenizer.json", "vocab.txt"


def tokenizer_path(files: Mapping[str, Path]) -> Path:
    """Return the one of a model's files that holds its tokenizer."""
    return files[TOKENIZER] if TOKENIZER in files else files[VOCABULARY]


def load_tokenizer(path: Path) -> Tokenizer:
    """Load the tokenizer of a file, without padding and truncation.

    A vocabulary is WordPiece (Devlin et al., "BERT", 2019). It also shows whether its model
    lower-cases and drops accents: then it has no capital letter outside brackets. Raises whatever
    `tokenizers` raises for a file that is none.
    """
    from tokenizers import BertWordPieceTokenizer, Tokenizer

    if path.suffix != ".txt":
        tokenizer = Tokenizer.from_file(str(path))
    else:
        words = path.read_text("utf-8").splitlines()
        cased = any(re.search("[A-Z]", word) for word in words if not word.startswith("["))
        tokenizer = Tokenizer.from_str(
            BertWordPieceTokenizer(str(path), lowercase=not cased).to_str()
        )
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
