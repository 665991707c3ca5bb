"""Embedders that only the model hub has: rows of the catalog, the types of which are in `specs.py`.

Those marked "not tried here" could not be had where this was written. Their hashes are what public
projects pin, which stand beside them; the first fetch compares them with the file. How each is
used, `encoders.py` says.
"""

from __future__ import annotations

from typing import NamedTuple


class HubEmbedder(NamedTuple):
    """A repository at one revision; `files`: name, bytes (0: not known), SHA-256, path there.

    A file of external data keeps the name that its model refers to it by.
    """

    name: str
    repo: str
    revision: str
    licence: str
    description: str
    files: tuple[tuple[str, int, str, str], ...]
    pinned_by: str = ""  # as `ModelSpec.pinned_by`


SEVERAL = "several projects that use the same files"

HUB_EMBEDDERS = (
    # The publisher's own list.
    HubEmbedder(
        "bge-small-en-v1.5",
        "BAAI/bge-small-en-v1.5",
        "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
        "MIT",
        "BGE small English v1.5: 384 dimensions; model hub only",
        (
            (
                "model.onnx",
                133_093_490,
                "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
                "onnx/model.onnx",
            ),
            (
                "tokenizer.json",
                711_396,
                "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
                "tokenizer.json",
            ),
        ),
    ),
    # zapstore's relay and app.
    HubEmbedder(
        "mdbr-leaf-ir",
        "MongoDB/mdbr-leaf-ir",
        "4262131b32c3182bd06e67e92ae69d7bd66e0c5c",
        "Apache-2.0",
        "Leaf IR, int8: 384 of its 768 dimensions, English; not tried here",
        (
            (
                "model.onnx",
                0,
                "8c08cb4ecc00bad721b117a85738c537ceb9b85b3eedc52d9c6906fddaa55718",
                "onnx/model_quantized.onnx",
            ),
            (
                "model_quantized.onnx_data",
                0,
                "e77ea96a124230e23e5bac8e26c3ffe5410154973d8635673fa0220b06c13f8b",
                "onnx/model_quantized.onnx_data",
            ),
            (
                "dense.safetensors",
                0,
                "b3e7c0e1ef65e39a5ef1ca3bc5e4aef5feafb6e204bd161503145ed062f12c69",
                "2_Dense/model.safetensors",
            ),
            (
                "vocab.txt",
                231_508,
                "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
                "vocab.txt",
            ),
        ),
        pinned_by=SEVERAL,
    ),
    # c4g-john/scottsearch-for-obsidian, docs and src/model-assets/manifest.ts; debrief.
    HubEmbedder(
        "snowflake-arctic-embed-xs",
        "Snowflake/snowflake-arctic-embed-xs",
        "d8c86521100d3556476a063fc2342036d45c106f",
        "Apache-2.0",
        "Arctic Embed XS, int8: 384 dimensions, English; not tried here",
        (
            (
                "model.onnx",
                22_972_992,
                "e6aa5e656466a73d7c3111e9a3378bd13e5b93af30eaac2b3f13fd56692589a1",
                "onnx/model_int8.onnx",
            ),
            (
                "tokenizer.json",
                711_649,
                "91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854",
                "tokenizer.json",
            ),
        ),
        pinned_by=SEVERAL,
    ),
    # Mattac766383/ZEMO, models/manifests; Catchword; ContextMole.
    HubEmbedder(
        "granite-embedding-97m-multilingual-r2",
        "ibm-granite/granite-embedding-97m-multilingual-r2",
        "835ad14087e140460703cf0fae09f97d469d65c2",
        "Apache-2.0",
        "Granite 97M R2, int8: 384 dimensions, many languages; not tried here",
        (
            (
                "model.onnx",
                98_247_878,
                "a6022dd8220ea6f6595562a1328ee216f4a94faa55362f2f4747c80f1e78772e",
                "onnx/model_quint8_avx2.onnx",
            ),
            (
                "tokenizer.json",
                25_301_672,
                "4f2842d568e2724370aec203652a42ac783c7937f8347a1a2cc7506d71f1582f",
                "tokenizer.json",
            ),
        ),
        pinned_by=SEVERAL,
    ),
    # signal_grep; Bee Memory Bank. The weights are intfloat's, int8 by Xenova.
    HubEmbedder(
        "multilingual-e5-small",
        "Xenova/multilingual-e5-small",
        "761b726dd34fb83930e26aab4e9ac3899aa1fa78",
        "MIT",
        "Multilingual E5 small, int8: 384 dimensions, many languages; not tried here",
        (
            (
                "model.onnx",
                118_308_185,
                "f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193",
                "onnx/model_quantized.onnx",
            ),
            (
                "tokenizer.json",
                17_082_730,
                "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
                "tokenizer.json",
            ),
        ),
        pinned_by=SEVERAL,
    ),
    # At least five public projects pin these three alike, which a search for the hashes finds.
    HubEmbedder(
        "embeddinggemma-300m",
        "onnx-community/embeddinggemma-300m-ONNX",
        "5090578d9565bb06545b4552f76e6bc2c93e4a66",
        "Gemma Terms of Use",
        "EmbeddingGemma, int8: 768 dimensions, many languages; not tried here",
        (
            (
                "model.onnx",
                567_874,
                "172efde319fe1542dc41f31be6154910b05b78f7a861c265c4600eec906bd6d8",
                "onnx/model_quantized.onnx",
            ),
            (
                "model_quantized.onnx_data",
                308_890_624,
                "705626e28e4c23c82ade34566b4197d97f534c12275fa406dfb71e9937d388c0",
                "onnx/model_quantized.onnx_data",
            ),
            (
                "tokenizer.json",
                20_323_312,
                "4dda02faaf32bc91031dc8c88457ac272b00c1016cc679757d1c441b248b9c47",
                "tokenizer.json",
            ),
        ),
        pinned_by=SEVERAL,
    ),
    # The publisher's own list.
    HubEmbedder(
        "nomic-embed-text",
        "nomic-ai/nomic-embed-text-v1.5",
        "e9b6763023c676ca8431644204f50c2b100d9aab",
        "Apache-2.0",
        "Nomic Embed Text v1.5: 768 dimensions; model hub only",
        (
            (
                "model.onnx",
                547_310_275,
                "147d5aa88c2101237358e17796cf3a227cead1ec304ec34b465bb08e9d952965",
                "onnx/model.onnx",
            ),
            (
                "tokenizer.json",
                711_396,
                "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
                "tokenizer.json",
            ),
        ),
    ),
)
