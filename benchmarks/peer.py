"""The peer: LlamaIndex's own query engine, with our model and our embedder.

It is what its documentation starts with: a `VectorStoreIndex` over the documents and
`as_query_engine()`, with its default splitter (1,024 tokens, 200 overlapping), its default prompts
and the two nearest chunks. Three things are handed to it, so that they are not what is compared:
the text that our index has of each file (a document a page, as its PDF reader makes them, with
its reader's `file_path` and `page_label`), the same embedder, and the same model in the same
process, reached through its loopback port. The answer is streamed, which changes no word of it,
so that its first token can be timed; and it ends after 256 tokens, the room that LlamaIndex sets
apart for an answer by default.

It is needed here only: `make bench-peer` installs it (`benchmarks/requirements.txt`). Everything
runs on the machine; the tokenizer's data come with its wheel.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any

# Read when LlamaIndex is imported: its tracing and its tokenizers must not look for a network.
os.environ.setdefault("LLAMA_INDEX_DISABLE_TELEMETRY", "1")

import httpx
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ChatResponseAsyncGen
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.constants import DEFAULT_NUM_OUTPUTS
from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters
from llama_index.llms.openai_like import OpenAILike

from manole.agent.events import Complete, Event, Source, Token, TokensUsed
from manole.library import Library
from manole.models.chat.protocol import SAMPLING, Endpoint
from manole.models.encode.embedder import Embedder
from manole.settings import ModelSettings
from manole_evaluate.questions import Question

NOTHING = "Empty Response"  # what it says when it found no text at all


class SameEmbedder(BaseEmbedding):
    """Our embedder under LlamaIndex's interface."""

    _embedder: Any = PrivateAttr()

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(model_name=embedder.name)
        self._embedder = embedder

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._embedder.embed(texts).tolist()
        return vectors

    def _get_query_embedding(self, query: str) -> list[float]:
        vector: list[float] = self._embedder.embed_query(query).tolist()
        return vector

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class SameModel(OpenAILike):
    """Our model's endpoint as LlamaIndex's LLM, which keeps account of what it read and wrote."""

    _calls: int = PrivateAttr(default=0)
    _tokens: TokensUsed = PrivateAttr(default_factory=TokensUsed)

    async def astream_chat(
        self, messages: list[ChatMessage], **options: Any
    ) -> ChatResponseAsyncGen:
        """As `OpenAILike`, each call noted."""
        stream = await super().astream_chat(messages, **options)
        self._calls += 1

        async def noting() -> ChatResponseAsyncGen:
            async for response in stream:
                self._note(response)
                yield response

        return noting()

    def taken(self) -> tuple[int, TokensUsed]:
        """Calls and tokens since the last time."""
        used = self._calls, self._tokens
        self._calls, self._tokens = 0, TokensUsed()
        return used

    def _note(self, response: ChatResponse) -> None:
        usage = getattr(response.raw, "usage", None)  # with the last chunk only
        if usage is None:
            return
        details = usage.prompt_tokens_details
        self._tokens = TokensUsed(
            prompt=self._tokens.prompt + usage.prompt_tokens,
            cached=self._tokens.cached + ((details.cached_tokens or 0) if details else 0),
            completion=self._tokens.completion + usage.completion_tokens,
        )


class PeerAsker:
    """LlamaIndex as an `Asker`. Use `PeerAsker.over`."""

    cites = True

    def __init__(self, index: VectorStoreIndex, model: SameModel, files: list[str]) -> None:
        self._index = index
        self._model = model
        self._files = files

    @classmethod
    async def over(
        cls, library: Library, endpoint: Endpoint, name: str, settings: ModelSettings
    ) -> PeerAsker:
        """An index of the texts that `library` has; some seconds for a thousand pages."""
        pages = await texts(library)
        documents = [
            Document(text=text, metadata=_metadata(file, page))
            for (file, page), text in pages.items()
        ]
        index = VectorStoreIndex.from_documents(
            documents, embed_model=SameEmbedder(library.embedder)
        )
        model = SameModel(
            model=name,
            api_base=endpoint.url,
            api_key=endpoint.key or "none",
            is_chat_model=True,
            context_window=settings.context,
            max_tokens=DEFAULT_NUM_OUTPUTS,
            temperature=SAMPLING["temperature"],
            timeout=600.0,
            max_retries=0,
            additional_kwargs={"stream_options": {"include_usage": True}},
            async_http_client=httpx.AsyncClient(trust_env=False, timeout=600.0),
        )
        return cls(index, model, list(dict.fromkeys(file for file, _ in pages)))

    async def ask(self, question: Question) -> AsyncIterator[Event]:
        """Its answer as tokens, then `Complete` with the chunks it read as sources."""
        self._model.taken()
        engine = self._index.as_query_engine(
            llm=self._model, streaming=True, **self._within(question.scope)
        )
        response = await engine.aquery(question.question)
        parts: list[str] = []
        async for part in response.async_response_gen():
            if part:  # the first chunk names the role only
                parts.append(part)
                yield Token(content=part)
        calls, tokens = self._model.taken()
        answer = "".join(parts).strip()
        yield Complete(
            answer=answer,
            found=answer not in {"", NOTHING},
            sources=[
                Source(
                    n=n,
                    file=found.node.metadata["file_path"],
                    page=int(found.node.metadata.get("page_label", 0)) or None,
                    quote=found.node.get_content(),
                )
                for n, found in enumerate(response.source_nodes, 1)
            ],
            model_calls=calls,
            tokens=tokens,
        )

    def _within(self, scope: str | None) -> dict[str, Any]:
        """Its retriever's own filter, for a question about one folder or file."""
        if scope is None:
            return {}
        inside = [file for file in self._files if file == scope or file.startswith(f"{scope}/")]
        only = MetadataFilter(key="file_path", value=inside, operator=FilterOperator.IN)
        return {"filters": MetadataFilters(filters=[only])}


async def texts(library: Library) -> dict[tuple[str, int | None], str]:
    """The text that the index has, by file and page; passages that overlap are joined once."""
    made: dict[tuple[str, int | None], str] = {}
    for file in await library.files():
        ends: dict[int | None, int] = {}
        for passage in await library.passages(file):
            place = (file.path, passage.page)
            begun = ends.get(passage.page)
            if begun is None:
                made[place] = passage.text
            else:
                made[place] += "\n" + passage.text[max(0, begun - passage.start) :]
            ends[passage.page] = passage.end
    return made


def _metadata(file: str, page: int | None) -> dict[str, Any]:
    return {"file_path": file} | ({"page_label": str(page)} if page else {})
