"""One answer: the prompt is evaluated, then free text, schema-bound JSON or the holes of a skeleton are written."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from dspy import lm15

from . import _skeleton
from ._choices import choose, leans, most_tokens, prefers
from ._context import ContextPool, PromptContext, Reuse
from ._model import NativeModel
from ._sampling import Sampler, banned_tokens
from ._skeleton import Hole, Text
from ._template import Prompt


class Options(NamedTuple):
    """What a request asks of the generation."""

    max_tokens: int
    temperature: float
    top_p: float | None
    top_k: int | None
    seed: int | None
    stop: tuple[str, ...]
    grammar: str | None
    skeleton: list[Text | Hole] | None
    banned_words: tuple[str, ...]

    @classmethod
    def of(cls, config: lm15.Config, default_max_tokens: int) -> Options:
        """Read a request's configuration.

        Raises:
            dspy.lm15.InvalidRequestError: A schema, a skeleton or banned words that cannot be used.
        """
        extensions: dict[str, Any] = dict(config.extensions or {})
        raw_skeleton, words = extensions.get("skeleton"), extensions.get("banned_words") or ()
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise lm15.InvalidRequestError("banned_words must be a list of words")
        try:
            skeleton = None if raw_skeleton is None else _skeleton.parse(raw_skeleton)
            grammar = None if skeleton else _grammar(config.response_format)
        except ValueError as problem:
            raise lm15.InvalidRequestError(str(problem)) from problem
        return cls(
            max_tokens=config.max_tokens or default_max_tokens,
            temperature=config.temperature or 0.0,
            top_p=config.top_p,
            top_k=config.top_k,
            seed=config.seed,
            stop=config.stop,
            grammar=grammar,
            skeleton=skeleton,
            banned_words=tuple(words),
        )


class Outcome(NamedTuple):
    """A finished answer and what it took."""

    text: str
    cut_short: bool
    prompt_tokens: int
    reused_tokens: int
    completion_tokens: int
    prompt_seconds: float
    completion_seconds: float


class _Written(NamedTuple):
    text: bytes
    rest: bytes
    """The start of a token that reached past the stop: not evaluated yet, but part of the text."""
    full: bool
    """Whether the token limit ended it."""


class Generation:
    """One call on a loaded model. `check` raises when the call must end."""

    def __init__(self, model: NativeModel, n_ctx: int, options: Options, check: Callable[[], None]) -> None:
        self._model = model
        self._n_ctx = n_ctx
        self._options = options
        self._check = check
        self._chosen = 0

    def run(self, prompt: Prompt, pool: ContextPool, reuse: Reuse) -> Outcome:
        """Write the answer in the context of this prompt's kind."""
        fixed = self._fixed_tokens()
        self._require_room(len(prompt.tokens) + fixed)
        begin = time.perf_counter()
        context = pool.get(prompt.tokens[: prompt.static])
        try:
            reused = context.start(prompt.tokens, prompt.static, reuse, self._check)
            ready = time.perf_counter()
            text, cut_short = self._free(context) if self._options.skeleton is None else self._holes(context)
        except BaseException:
            context.cut(0)  # the context may stop anywhere: the next call starts from nothing
            raise
        return Outcome(
            text=text,
            cut_short=cut_short,
            prompt_tokens=len(prompt.tokens) + fixed,
            reused_tokens=reused,
            completion_tokens=self._chosen,
            prompt_seconds=ready - begin,
            completion_seconds=time.perf_counter() - ready,
        )

    def _free(self, context: PromptContext) -> tuple[str, bool]:
        sampler = self._sampler(self._options.grammar)
        try:
            stops = self._options.stop
            written = self._write(context, sampler, self._options.max_tokens, partial(_first, stops=stops))
        finally:
            sampler.close()
        return written.text.decode("utf-8", "replace"), written.full

    def _holes(self, context: PromptContext) -> tuple[str, bool]:
        """Fixed text is evaluated only in front of a hole; the model need not read what stands behind the last one."""
        answer: list[str] = []
        pending = ""
        cut_short = False
        sampler = self._sampler(None)
        try:
            for element in self._options.skeleton or ():
                if isinstance(element, Text):
                    answer.append(element.text)
                    pending += element.text
                    continue
                # Tokens carry the space in front of a word: a model that has to write after a lone space stumbles.
                spaced = pending.endswith(" ")
                context.extend(self._model.tokens(pending[:-1] if spaced else pending, special=False), self._check)
                written = self._filled(context, sampler, element, spaced)
                content = written.text.decode("utf-8", "replace")
                content = content.removeprefix(" ") if spaced else content
                answer.append(_skeleton.string_content(content) if element.stop == _skeleton.QUOTE else content)
                pending = written.rest.decode("utf-8", "replace")
                cut_short |= written.full
        finally:
            sampler.close()
        return "".join(answer), cut_short

    def _filled(self, context: PromptContext, sampler: Sampler, hole: Hole, spaced: bool) -> _Written:
        find_stop = partial(_skeleton.find_stop, stop=hole.stop)
        lead = " " if spaced else ""
        if hole.offer is not None and prefers(self._model, context.logits(), hole.offer, lead):
            hole = hole._replace(choices=(hole.offer[0],), open=True, lean=None)
        if not hole.choices or (hole.lean is not None and not leans(self._model, context.logits(), hole, lead)):
            return self._write(context, sampler, hole.max_tokens, find_stop)
        chosen = self._choose(context, sampler, hole, lead)
        if not hole.open:
            return _Written(chosen, b"", False)
        rest = self._write(context, sampler, hole.max_tokens, find_stop)
        return rest._replace(text=chosen + rest.text)

    def _choose(self, context: PromptContext, sampler: Sampler, hole: Hole, lead: str) -> bytes:
        def pick(allowed: set[int]) -> int:
            self._check()
            self._chosen += 1
            return sampler.next(context.logits(), allowed=allowed)

        return choose(self._model, hole, lead, pick, lambda token: context.extend([token], self._check))

    def _write(
        self, context: PromptContext, sampler: Sampler, limit: int, find_stop: Callable[[bytes], int]
    ) -> _Written:
        text = b""
        for _ in range(limit):
            self._check()
            token = sampler.next(context.logits())
            self._chosen += 1
            if self._model.ends_generation(token):
                return _Written(text, b"", False)
            before = len(text)
            text += self._model.piece(token)
            end = find_stop(text)
            if end >= 0:
                return _Written(text[:end], text[before:end], False)
            context.extend([token], self._check)
        return _Written(text, b"", True)

    def _sampler(self, grammar: str | None) -> Sampler:
        options = self._options
        try:
            return Sampler(
                self._model,
                temperature=options.temperature,
                top_p=options.top_p,
                top_k=options.top_k,
                seed=options.seed,
                grammar=grammar,
                banned=banned_tokens(self._model, options.banned_words),
            )
        except ValueError as problem:
            raise lm15.InvalidRequestError(str(problem)) from problem

    def _fixed_tokens(self) -> int:
        texts = [element.text for element in self._options.skeleton or () if isinstance(element, Text)]
        return sum(len(self._model.tokens(text, special=False)) for text in texts)

    def _require_room(self, given: int) -> None:
        skeleton = self._options.skeleton
        wanted = (
            self._options.max_tokens
            if skeleton is None
            else sum(most_tokens(element) for element in skeleton if isinstance(element, Hole))
        )
        if given + wanted > self._n_ctx:
            raise lm15.ContextLengthError(
                f"{given} prompt tokens and {wanted} to answer do not fit in a context of {self._n_ctx} tokens"
            )


def _first(text: bytes, stops: Sequence[str]) -> int:
    found = [place for stop in stops if (place := text.find(stop.encode())) >= 0]
    return min(found, default=-1)


def _grammar(response_format: Any) -> str | None:
    if response_format is None:
        return None
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    schema = response_format["schema"] if response_format["type"] == "json_schema" else {"type": "object"}
    try:
        return str(json_schema_to_gbnf(json.dumps(schema)))
    except Exception as problem:  # the converter asserts and raises KeyError on schemas that it does not know
        raise ValueError(f"this JSON schema has no grammar: {problem}") from problem
