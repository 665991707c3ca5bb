"""The embedder against the publisher's weights, and against a real HTTP server."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from manole.errors import ModelError, SettingsError
from manole.models.catalog.encoders import ENCODERS
from manole.models.encode.embedder import Embedder, OnnxEmbedder, load_embedder
from manole.models.encode.onnx_encoder import BATCH_ROWS, BATCH_TOKENS, batches
from manole.models.encode.openai_embedder import OpenAIEmbedder
from manole.models.weights.cache import Weights
from manole.settings import IndexSettings, ModelSettings, Settings

SUBJECTS = (
    "The boiler in the cellar", "My grandmother's bread recipe", "Invoice 2023-117",
    "The tenancy agreement", "A letter from the insurance company", "Our trip to Lisbon",
    "The neighbour's dog", "The annual budget", "Doctor Ionescu", "The washing machine",
    "Chapter four of the manual", "The meeting on Tuesday", "A warranty for the oven",
    "The electricity meter", "The river behind the house", "Her curriculum vitae",
    "The old photograph", "The bank statement of March", "A recipe for plum cake", "The roof",
)  # fmt: skip
PREDICATES = (
    "was paid on the third of May.", "has to be renewed every two years, or it lapses.",
    "is not where I left it.", "mentions a deposit of 1,250 euros and a notice of three months.",
    "needs flour, sugar, six eggs and a little patience.", "was repaired twice last winter.",
    "explains how to reset the pressure valve.", "arrived late because of the snow.",
    "will be discussed again next week with everybody who could not come.", "is beautiful.",
)  # fmt: skip
SENTENCES = [f"{subject} {predicate}" for subject, predicate in product(SUBJECTS, PREDICATES)]


@pytest.fixture(scope="module")
def weights() -> Weights:
    return Weights(Settings.load().cache_dir / "models")


@pytest.fixture(scope="module")
def embedder(weights) -> Embedder:
    return load_embedder(Settings(index=IndexSettings(embedder="all-minilm-l6-v2")), weights)


class OfficialMiniLM:
    """all-MiniLM-L6-v2 in float32 as its card describes it: BERT, mean pooling, normalised."""

    def __init__(self, weights: Path, tokenizer: Path) -> None:
        self.w = load_file(weights)
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.tokenizer.no_padding()

    def embed(self, texts: list[str]) -> np.ndarray:
        """All texts at once: their tokens stand in one long row, only attention keeps apart."""
        ids = [self.tokenizer.encode(text).ids for text in texts]
        ends = np.cumsum([len(row) for row in ids])
        spans = [slice(end - len(row), end) for row, end in zip(ids, ends, strict=True)]
        w = self.w
        x = w["embeddings.word_embeddings.weight"][np.concatenate(ids)]
        places = np.concatenate([np.arange(len(row)) for row in ids])
        x = x + w["embeddings.position_embeddings.weight"][places]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(6):
            x = self.layer(x, spans, f"encoder.layer.{layer}")
        pooled = np.stack([x[span].mean(0) for span in spans])
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)

    def layer(self, x: np.ndarray, spans: list[slice], name: str) -> np.ndarray:
        heads = 12
        q, k, v = (
            self.linear(x, f"{name}.attention.self.{part}").reshape(len(x), heads, -1)
            for part in ("query", "key", "value")
        )
        mixed = np.empty_like(q)
        for span in spans:
            scores = np.einsum("ihd,jhd->hij", q[span], k[span]) / np.sqrt(q.shape[2])
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed[span] = np.einsum("hij,jhd->ihd", scores, v[span])
        out = self.linear(mixed.reshape(x.shape), f"{name}.attention.output.dense")
        x = self.norm(x + out, f"{name}.attention.output.LayerNorm")
        inner = gelu(self.linear(x, f"{name}.intermediate.dense"))
        return self.norm(x + self.linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def linear(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def norm(self, x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * self.w[f"{name}.weight"] + self.w[f"{name}.bias"]


def gelu(x: np.ndarray) -> np.ndarray:
    """x times the normal distribution function; erf by Abramowitz and Stegun 7.1.26 (1.5e-7)."""
    z = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    poly = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    erf = np.sign(x) * (1 - poly * np.exp(-(z**2)))
    return x * 0.5 * (1 + erf)


def test_int8_vectors_agree_with_the_official_weights(embedder, weights):
    official = OfficialMiniLM(
        weights.ensure("all-minilm-l6-v2-official")["model.safetensors"],
        weights.ensure("all-minilm-l6-v2")["tokenizer.json"],
    )
    cosines = (official.embed(SENTENCES) * embedder.embed(SENTENCES)).sum(1)
    assert len(cosines) == 200
    assert cosines.mean() >= 0.98
    assert cosines.min() >= 0.95


def test_vectors_are_unit_float32_in_the_order_of_the_texts(embedder):
    texts = ["short", "a much longer text " * 40, "", "middle sized text here", "\ud800 lone"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (5, embedder.dimensions) == (5, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        assert embedder.embed([text])[0] @ vector > 0.95  # int8 scales depend on the batch
    assert embedder.embed([]).shape == (0, 384)


def test_similar_sentences_are_nearer_than_others(embedder):
    cat, feline, bill = embedder.embed(
        ["A cat sits on the mat.", "A feline rests on a rug.", "The gas bill is unpaid."]
    )
    assert cat @ feline > cat @ bill + 0.2
    assert embedder.embed_query("where is the cat") @ cat > 0.4


def test_texts_are_cut_at_max_tokens(embedder):
    long = "word " * 300
    same = embedder.embed([long + "ending one", long + "another close"])
    assert same[0] @ same[1] == pytest.approx(1, abs=1e-5)


def test_time_and_tokens_inside_are_counted(embedder):
    seconds, tokens = embedder.seconds_inside, embedder.tokens_inside
    embedder.embed(["one two three"])
    assert embedder.tokens_inside - tokens == 5  # with [CLS] and [SEP]
    assert embedder.seconds_inside > seconds


def test_batches_hold_every_row_once_and_keep_their_bounds():
    lengths = [3, 256, 7, 7, 256, 1, 90, 2000, 5] * 5
    found = list(batches(lengths, range(len(lengths))))
    assert [row for batch in found for row in batch] == list(range(len(lengths)))
    for batch in found:
        width = max(lengths[row] for row in batch)
        assert len(batch) <= BATCH_ROWS
        assert len(batch) == 1 or width * len(batch) <= BATCH_TOKENS
    assert list(batches([], [])) == []


def test_a_file_that_is_no_model_is_a_model_error(tmp_path, weights):
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    files = weights.ensure("all-minilm-l6-v2") | {"model.onnx": tmp_path / "model.onnx"}
    with pytest.raises(ModelError, match="manole models verify"):
        OnnxEmbedder("x", files, ENCODERS["all-minilm-l6-v2"])


@pytest.mark.parametrize("name", ["nonsense", "openai:", "openai:model"])
def test_a_name_that_leads_nowhere_is_a_settings_error(weights, name):
    with pytest.raises(SettingsError, match=r"index\.embedder"):
        load_embedder(Settings(index=IndexSettings(embedder=name)), weights)


class Endpoint(BaseHTTPRequestHandler):
    """An embeddings endpoint: answers out of order, and fails as often as it is told to."""

    failures: list[int]
    seen: list[dict]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
        if self.failures:
            self.send_response(self.failures.pop())
            self.end_headers()
            return
        rows = [
            {"index": i, "embedding": [len(text), 1, 0]} for i, text in enumerate(body["input"])
        ]
        answer = json.dumps({"data": rows[::-1], "usage": {"prompt_tokens": 7}}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint():
    handler = type("Handler", (Endpoint,), {"failures": [], "seen": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield handler, f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_an_endpoint_gives_unit_vectors_in_order(endpoint, weights):
    handler, url = endpoint
    settings = Settings(index=IndexSettings(embedder=f"openai:some-model@{url}"))
    embedder = load_embedder(settings, weights)
    assert isinstance(embedder, OpenAIEmbedder)
    assert (embedder.name, embedder.dimensions) == (f"openai:some-model@{url}", 3)
    vectors = embedder.embed(["x" * length for length in range(1, 151)])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(150), abs=1e-5)
    assert vectors[:, 0] / vectors[:, 1] == pytest.approx(np.arange(1, 151), rel=1e-4)
    assert handler.seen[-1]["path"] == "/v1/embeddings"
    assert handler.seen[-1]["model"] == "some-model"
    assert embedder.tokens_inside > 0
    embedder.close()


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_passages_go_to_the_endpoint_itself_whatever_proxy_the_environment_names(
    endpoint, monkeypatch, name
):
    handler, url = endpoint
    monkeypatch.setenv(name, "http://127.0.0.1:9")  # where nobody listens
    for other in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(other, raising=False)
    embedder = OpenAIEmbedder("m", url)
    assert embedder.embed_query("abc").shape == (3,)
    assert [seen["path"] for seen in handler.seen] == ["/v1/embeddings"] * 2
    embedder.close()


def test_an_endpoint_that_fails_for_a_moment_is_asked_again(endpoint):
    handler, url = endpoint
    handler.failures.extend([503, 429])
    embedder = OpenAIEmbedder("m", url)
    assert embedder.embed_query("abc").shape == (3,)
    embedder.close()


@pytest.mark.parametrize(("codes", "requests"), [([500] * 3, 3), ([401], 1)])
def test_an_endpoint_that_keeps_failing_is_a_model_error(endpoint, codes, requests):
    handler, url = endpoint
    handler.failures.extend(codes)
    with pytest.raises(ModelError, match="Check that it runs"):
        OpenAIEmbedder("m", url)
    assert len(handler.seen) == requests


@pytest.mark.parametrize("same_host", [True, False])
def test_the_chat_endpoints_key_goes_to_no_other_host(endpoint, weights, same_host):
    handler, url = endpoint
    chat = ModelSettings(base_url=url if same_host else "http://example.com/v1", api_key="secret")
    settings = Settings(index=IndexSettings(embedder=f"openai:m@{url}"), model=chat)
    load_embedder(settings, weights).close()
    assert handler.seen[-1]["key"] == ("Bearer secret" if same_host else None)
