"""llama.cpp in this process as a DSPy engine: `dspy.LM(model, engine=LlamaEngine(path), async_engine=...)`."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dspy import lm15

from .. import settings
from ._context import ContextPool, PromptContext, Reuse
from ._generation import Generation, Options, Outcome
from ._model import NativeModel
from ._streaming import Hear, aevents_of, events_of
from ._template import ChatMessage, ChatTemplate

DEFAULT_MAX_TOKENS = 256


@dataclass(frozen=True)
class Stats:
    """Running totals of an engine.

    Attributes:
        calls: Requests answered.
        prompt_tokens: Tokens that were given, fixed text of skeletons included.
        reused_tokens: Those of them that stood in a context already.
        completion_tokens: Tokens that the model chose.
        prompt_seconds: Time until the model could choose its first token.
        completion_seconds: Time from there to the end.
    """

    calls: int = 0
    prompt_tokens: int = 0
    reused_tokens: int = 0
    completion_tokens: int = 0
    prompt_seconds: float = 0.0
    completion_seconds: float = 0.0

    def plus(self, outcome: Outcome) -> Stats:
        return Stats(
            self.calls + 1,
            self.prompt_tokens + outcome.prompt_tokens,
            self.reused_tokens + outcome.reused_tokens,
            self.completion_tokens + outcome.completion_tokens,
            self.prompt_seconds + outcome.prompt_seconds,
            self.completion_seconds + outcome.completion_seconds,
        )


class LlamaEngine:
    """One GGUF file, loaded at the first call. Thread-safe: calls wait for each other.

    Extensions of `Request.config`: `skeleton` (see `_skeleton`), and `banned_words`, a list of words that the model
    may not write as whole tokens.

    Args:
        path: The GGUF file.
        n_ctx: Tokens of a context, prompt and answer together; never more than the model was trained for.
        threads: Threads of llama.cpp; `settings.threads()` by default.
        max_contexts: Prompt kinds (system message and demos) whose prefix stays evaluated.
        reuse: "exact" cuts a context back to the static prefix, so that the order of requests cannot change a greedy
            or seeded answer; "longest" keeps the longest common prefix, which is faster in a chat.
        deadline: Seconds that one call may take; `settings.lm_deadline()` by default. Looked at between batches of
            128 prompt tokens and between tokens of the answer, so a call may outlast it by the time of one batch.
    """

    supports_response_schema = True
    supports_function_calling = False
    supports_reasoning = False
    supports_skeleton = True
    supported_params = frozenset({"temperature", "max_tokens", "top_p", "top_k", "seed", "stop", "response_format"})

    def __init__(
        self,
        path: str | Path,
        *,
        n_ctx: int = 4096,
        threads: int | None = None,
        max_contexts: int = 6,
        reuse: Reuse = "exact",
        deadline: float | None = None,
    ) -> None:
        if n_ctx < 16 or max_contexts < 1 or (deadline is not None and deadline <= 0):
            raise ValueError("n_ctx must be at least 16, max_contexts at least 1, and a deadline positive")
        self.path = Path(path)
        self.n_ctx = n_ctx
        self.threads = threads
        self.max_contexts = max_contexts
        self.reuse: Reuse = reuse
        self.deadline = deadline
        self.stats = Stats()
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._loaded: _Loaded | None = None

    @property
    def contexts(self) -> int:
        """How many llama.cpp contexts exist now."""
        return len(self._loaded.pool) if self._loaded else 0

    def complete(
        self, request: lm15.Request, cancelled: threading.Event | None = None, hear: Hear | None = None
    ) -> lm15.Response:
        """Answer one request.

        Args:
            request: Text messages only; `config` is honoured as far as `supported_params` goes.
            cancelled: When set by another thread, the call ends at the next token.
            hear: Told of the answer piece by piece.

        Raises:
            dspy.lm15.ContextLengthError: Prompt and answer do not fit in `n_ctx` tokens.
            dspy.lm15.TimeoutError: The deadline has passed.
            dspy.lm15.InvalidRequestError: A schema, a skeleton or an option that cannot be used.
            SetupError: The file or llama-cpp-python is missing.
        """
        options = Options.of(request.config, DEFAULT_MAX_TOKENS)
        messages = chat_messages(request)
        with self._lock:
            loaded = self._load()
            generation = Generation(loaded.model, loaded.n_ctx, options, self._checker(cancelled), hear)
            outcome = generation.run(loaded.template.render(messages), loaded.pool, self.reuse)
            self.stats = self.stats.plus(outcome)
        return lm15.Response(
            id=f"llama-{next(self._ids)}",
            model=request.model,
            message=lm15.Message.assistant(outcome.text),
            finish_reason="length" if outcome.cut_short else "stop",
            usage=lm15.Usage(
                input_tokens=outcome.prompt_tokens,
                output_tokens=outcome.completion_tokens,
                total_tokens=outcome.prompt_tokens + outcome.completion_tokens,
                cache_read_tokens=outcome.reused_tokens,
            ),
        )

    def stream(self, request: lm15.Request) -> Iterator[Any]:
        """Yield lm15's stream events of one request; raises as `complete`. Closing the iterator ends the call."""
        return events_of(self.complete, request)

    def load(self) -> None:
        """Load the weights now rather than at the first call.

        Raises:
            SetupError: As `complete`; or llama.cpp cannot load the file.
        """
        with self._lock:
            self._load()

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as data, for budgets."""
        with self._lock:
            return len(self._load().model.tokens(text, special=False))

    def reset_stats(self) -> None:
        self.stats = Stats()

    def close(self) -> None:
        """Free the contexts and the weights; the next call loads them again."""
        with self._lock:
            if self._loaded is not None:
                self._loaded.pool.close()
                self._loaded.model.close()
                self._loaded = None

    def _load(self) -> _Loaded:
        if self._loaded is None:
            model = NativeModel(self.path)
            n_ctx = min(self.n_ctx, model.trained_context)
            threads = self.threads or settings.threads()
            pool = ContextPool(lambda: PromptContext(model, n_ctx, threads), self.max_contexts)
            self._loaded = _Loaded(model, ChatTemplate(model), pool, n_ctx)
        return self._loaded

    def _checker(self, cancelled: threading.Event | None) -> Callable[[], None]:
        seconds = self.deadline or settings.lm_deadline()
        end = time.monotonic() + seconds

        def check() -> None:
            if cancelled is not None and cancelled.is_set():
                raise lm15.TransportError("the caller gave up this call")
            if time.monotonic() > end:
                raise lm15.TimeoutError(f"the embedded LM did not answer within {seconds:g} s")

        return check

    # Optimizers deep-copy programs with their LM; the weights and the lock must stay one.
    def __copy__(self) -> LlamaEngine:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> LlamaEngine:
        return self


class AsyncLlamaEngine:
    """The same engine in a worker thread. Cancelling the task ends the call at the next token."""

    supports_response_schema = True
    supports_function_calling = False
    supports_reasoning = False
    supports_skeleton = True
    supported_params = LlamaEngine.supported_params

    def __init__(self, engine: LlamaEngine) -> None:
        self.engine = engine

    async def complete(self, request: lm15.Request) -> lm15.Response:
        cancelled = threading.Event()
        try:
            return await asyncio.to_thread(self.engine.complete, request, cancelled)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def stream(self, request: lm15.Request) -> AsyncIterator[Any]:
        """As `LlamaEngine.stream`, without blocking."""
        return aevents_of(self.engine.complete, request)

    def __copy__(self) -> AsyncLlamaEngine:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> AsyncLlamaEngine:
        return self


@dataclass(frozen=True)
class _Loaded:
    model: NativeModel
    template: ChatTemplate
    pool: ContextPool
    n_ctx: int


def chat_messages(request: lm15.Request) -> list[ChatMessage]:
    """The messages of a request, system text first.

    Raises:
        dspy.lm15.UnsupportedFeatureError: Tools, or a message that is not text.
    """
    if request.tools:
        raise lm15.UnsupportedFeatureError("the embedded LM takes no tools", feature="tools")
    rows = [("system", request.system)] if request.system is not None else []
    rows += [("system" if message.role == "developer" else message.role, message.parts) for message in request.messages]
    return [ChatMessage(role, _text(content)) for role, content in rows]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if any(not isinstance(part, lm15.TextPart) for part in content):
        raise lm15.UnsupportedFeatureError("the embedded LM takes text only", feature="messages")
    return "".join(part.text for part in content)
