"""The journal's two functions as BAML makes them (`baml_src/completions.baml`), by the chat model.

The model's endpoint is the one that Manole runs on loopback, or the one that the settings name; it
is given at each call. The choice of a search is held to the same schema as without BAML. BAML's own
tracing, which sends what is asked to its makers where a key for it is set, is left out of the
environment of each call.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from manole.agent.answer.evidence import answer_tokens
from manole.agent.journal.functions import CALL_TOKENS
from manole.agent.journal.selector import SearchToolCall, schema
from manole.agent.turn import GetModel, TurnUsage
from manole.errors import ModelError, UsageError
from manole.hooks import Extra
from manole.models.chat.protocol import SAMPLING, Completion, Endpoint, Usage
from manole.models.chat.rates import reach_of
from manole.settings import Settings

if TYPE_CHECKING:
    from manole_strategies.baml_client.async_client import BamlAsyncClient

EXTRA = Extra(("baml_py",), "the journal's functions can be BAML's")
_TRACING = ("BOUNDARY_API_KEY", "BOUNDARY_PROJECT_ID", "BOUNDARY_SECRET")
T = TypeVar("T")


class _Addressed(Protocol):
    """A chat model with an address, as the engine's and any endpoint's are."""

    name: str
    endpoint: Endpoint


class BamlFunctions:
    """The functions by BAML: a `manole.agent.journal.JournalFunctions`.

    Raises `UsageError` where `baml-py` is not installed.
    """

    def __init__(self, model: GetModel, usage: TurnUsage, settings: Settings) -> None:
        os.environ.setdefault("BAML_LOG", "off")  # else every prompt is printed
        try:
            from manole_strategies.baml_client.async_client import b
        except ImportError:
            raise UsageError(
                "journal.functions = baml needs baml-py.",
                'Install it: pip install "manole[baml]".',
            ) from None
        self._client: BamlAsyncClient = b
        self._model = model
        self._usage = usage
        self._settings = settings

    async def agent_tool_selector(
        self, user_query: str, accumulated_context: str, iteration: int, max_iterations: int
    ) -> SearchToolCall:
        """Choose the next search. Raises `ModelError`."""
        form = {"name": "answer", "schema": schema(may_end=iteration > 1), "strict": True}
        call = await self._called(
            lambda client: client.AgentToolSelector(
                user_query, accumulated_context, iteration, max_iterations
            ),
            max_tokens=CALL_TOKENS,
            response_format={"type": "json_schema", "json_schema": form},
        )
        return SearchToolCall.model_validate(call.model_dump(mode="json"))

    async def agent_synthesizer(
        self, user_query: str, chat_history: str, accumulated_context: str, search_trace: str
    ) -> str:
        """Write the answer. Raises `ModelError`."""
        most = answer_tokens(self._settings, await reach_of(await self._model()))
        return await self._called(
            lambda client: client.AgentSynthesizer(
                user_query, chat_history, accumulated_context, search_trace
            ),
            max_tokens=most,
        )

    async def _called(self, ask: Callable[[BamlAsyncClient], Awaitable[T]], **options: Any) -> T:
        """Call a function of the client, for the model at hand, and count what it cost."""
        from baml_py import ClientRegistry, Collector
        from baml_py.errors import BamlError

        model: Any = await self._model()
        place = getattr(model, "endpoint", None)
        if place is None:
            raise ModelError("This chat model has no address that BAML could ask.")
        registry, collector = ClientRegistry(), Collector(name="manole")
        registry.add_llm_client("Model", "openai-generic", self._options(model, place) | options)
        registry.set_primary("Model")
        client = self._client.with_options(
            client_registry=registry, collector=collector, env=dict.fromkeys(_TRACING)
        )
        try:
            async with asyncio.timeout(self._settings.model.timeout_s):
                return await ask(client)
        except BamlError as error:
            kind = type(error).__name__  # its text has the whole prompt
            raise ModelError(f"BAML's call of {model.name} failed ({kind}).") from None
        except TimeoutError:
            raise ModelError(f"{model.name} took too long to answer.") from None
        finally:
            self._usage.add(_cost(collector))

    def _options(self, model: _Addressed, place: Endpoint) -> dict[str, Any]:
        own = {"base_url": place.url, "api_key": place.key or "none", "model": model.name}
        return own | SAMPLING


def _cost(collector: Any) -> Completion:
    last = collector.last
    spent = last.usage if last else None
    return Completion(
        "",
        Usage(
            prompt_tokens=(spent.input_tokens or 0) if spent else 0,
            cached_tokens=(spent.cached_input_tokens or 0) if spent else 0,
            completion_tokens=(spent.output_tokens or 0) if spent else 0,
            total_s=(last.timing.duration_ms or 0) / 1000 if last else 0.0,
        ),
    )
