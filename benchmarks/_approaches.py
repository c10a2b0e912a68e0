"""What `side_by_side.py` compares: common approaches to query reformulation and turnkeeper's programs, over one LM.

The prompts of the common approaches are plain statements of their idea in our own words; no text of a framework is
copied. Each takes a history that is cut already and the query, and asks greedily for at most `MAX_TOKENS` tokens.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dspy
from dspy import lm15
from dspy.utils.exceptions import AdapterParseError, ContextWindowExceededError, LMError
from dspy.utils.usage_tracker import track_usage

from turnkeeper.errors import InputError
from turnkeeper.evaluation.keys import code_digest
from turnkeeper.loading import load
from turnkeeper.modules._guard import Guard
from turnkeeper.modules._tally import Tally
from turnkeeper.modules._window import Quoted, quote
from turnkeeper.signatures.types import Turn, Usage

MAX_TOKENS = 120
CHAT_ROLES = (
    "Rephrase the user's last message as a standalone question: one that makes sense to somebody who has not read "
    "this conversation. Do not answer it. When it makes sense as it is, repeat it word for word."
)
ONE_MESSAGE = (
    "Turn a conversation and the message that follows it into one standalone question. Keep what the message asks and "
    "name what it only points at. Reply with the question alone."
)
ONE_MESSAGE_TURN = "Conversation:\n{history}\n\nMessage that follows: {query}\n\nStandalone question:"
_ZERO_SHOT = "zero-shot"


class StandaloneQuery(dspy.Signature):  # type: ignore[misc]  # DSPy ships no types
    """Rewrite the user's query so that it can be searched without the conversation."""

    history: str = dspy.InputField(desc="the conversation so far, oldest first")
    query: str = dspy.InputField(desc="the user's last query")
    standalone_query: str = dspy.OutputField(desc="the query, complete in itself")


class Said(NamedTuple):
    """What came of a turn.

    Attributes:
        fallback: Whether the text is the raw query because the reply was of no use.
        error: Class of the LM error that was the reason; None when the model's own words were.
    """

    text: str
    fallback: bool = False
    error: str | None = None


Rewrite = Callable[[Sequence[Turn], str], Said]


class Approach(NamedTuple):
    """One way from history and query to a standalone query.

    Attributes:
        name: Its name in files and options.
        title: Its name in the table.
        rewrite: May raise what the LM or the adapter raises; `ask` makes a fallback of it.
        identity: What its answers depend on beside the LM and the turn: instruction, adapter, demos, code.
        asks: Whether it asks an LM at all, and so can fall back.
    """

    name: str
    title: str
    rewrite: Rewrite
    identity: str
    asks: bool = True


def compiled_program(lm: Any, program: str) -> Guard[Any, Any]:
    """Return turnkeeper's compiled program for an LM.

    Args:
        lm: A `dspy.LM` with its cache off.
        program: "auto", or the path of an artifact.

    Raises:
        InputError: There is none for this LM, or the artifact cannot be used.
    """
    # Without the cache of identical turns: a turn that stands twice in a set is asked twice of every approach.
    compiled = load("reformulate", lm=lm, program=program, cache_size=0)
    if compiled.program_id == _ZERO_SHOT:
        raise InputError(f"--program {program}: no compiled program for {lm.model}; give the path of an artifact")
    return compiled


def approaches(lm: Any, compiled: Guard[Any, Any]) -> list[Approach]:
    """Return all approaches over an LM, in the order of the table.

    Args:
        lm: A `dspy.LM` with its cache off.
        compiled: From `compiled_program`; the demos of its free rewrite are given to DSPy's own program too.

    Raises:
        InputError: Its free rewrite carries no demos.
    """
    zero_shot = load("reformulate", lm=lm, program=_ZERO_SHOT, cache_size=0)
    demos = _rewrite_demos(compiled)
    shots = f"{len(demos)} demos"
    code = code_digest()
    return [
        Approach("copy", "copy of the raw query", lambda history, query: Said(query), "", asks=False),
        Approach("chat-roles", "history as chat roles", _chat_roles(lm), f"{MAX_TOKENS} {CHAT_ROLES}"),
        Approach(
            "one-message",
            "history quoted in one message",
            _one_message(lm),
            f"{MAX_TOKENS} {ONE_MESSAGE} {ONE_MESSAGE_TURN}",
        ),
        _predict("dspy-chat", "DSPy Predict, zero-shot, ChatAdapter", lm, dspy.ChatAdapter()),
        _predict("dspy-json", "DSPy Predict, zero-shot, JSONAdapter", lm, dspy.JSONAdapter()),
        _predict("dspy-demos-chat", f"DSPy Predict, {shots}, ChatAdapter", lm, dspy.ChatAdapter(), demos),
        _predict("dspy-demos-json", f"DSPy Predict, {shots}, JSONAdapter", lm, dspy.JSONAdapter(), demos),
        Approach("turnkeeper-zero-shot", "turnkeeper, zero-shot, bare", _bare(zero_shot), code),
        Approach("turnkeeper-bare", "turnkeeper, compiled, bare", _bare(compiled), code + compiled.program_id),
        Approach("turnkeeper-guarded", "turnkeeper, compiled, guarded", _guarded(compiled), code + compiled.program_id),
    ]


def ask(approach: Approach, history: Sequence[Turn], query: str) -> tuple[Said, Usage]:
    """Ask an approach about one turn, and say what it took; failed calls count as far as the LM answered them.

    A reply that cannot be parsed, an empty one and a prompt that does not fit give the raw query as a fallback, and so
    does an error of the LM, which is named. Anything else is a bug and propagates.
    """
    tally = Tally()
    with track_usage() as tracker:
        said = _said(approach, history, query)
    tally.add(tracker)
    return said, tally.usage()


def _said(approach: Approach, history: Sequence[Turn], query: str) -> Said:
    try:
        said = approach.rewrite(history, query)
    except (AdapterParseError, ContextWindowExceededError):
        return Said(query, fallback=True)
    except LMError as error:
        return Said(query, fallback=True, error=type(error).__name__)
    return said if said.text.strip() else Said(query, fallback=True)


def _chat_roles(lm: Any) -> Rewrite:
    def rewrite(history: Sequence[Turn], query: str) -> Said:
        spoken = {"user": lm15.Message.user, "assistant": lm15.Message.assistant}
        earlier = [spoken[turn.role](turn.content) for turn in history]
        return _asked(lm, CHAT_ROLES, [*earlier, lm15.Message.user(query)])

    return rewrite


def _one_message(lm: Any) -> Rewrite:
    # The instruction is the system message and not part of the user's, so that its prefix stays warm.
    def rewrite(history: Sequence[Turn], query: str) -> Said:
        text = ONE_MESSAGE_TURN.format(history=quoted(history), query=query)
        return _asked(lm, ONE_MESSAGE, [lm15.Message.user(text)])

    return rewrite


def _asked(lm: Any, system: str, messages: Sequence[lm15.Message]) -> Said:
    config = lm15.Config(temperature=0.0, max_tokens=MAX_TOKENS)
    request = lm15.Request(model=lm.model, system=system, messages=tuple(messages), config=config)
    with dspy.context(disable_history=True):
        return Said((lm(request, cache=False).text or "").strip())


def _predict(name: str, title: str, lm: Any, adapter: dspy.Adapter, demos: Sequence[dict[str, str]] = ()) -> Approach:
    predictor = dspy.Predict(StandaloneQuery)
    predictor.demos = list(demos)
    bounded = lm.copy(temperature=0.0, max_tokens=MAX_TOKENS, cache=False)

    def rewrite(history: Sequence[Turn], query: str) -> Said:
        with dspy.context(lm=bounded, adapter=adapter, disable_history=True, trace=None):
            return Said(str(predictor(history=quoted(history), query=query).standalone_query or "").strip())

    # The first messages hold all that does not come from the turn: fields, instruction, demos, format.
    static = adapter.format(StandaloneQuery, list(demos), {"history": "", "query": ""})
    return Approach(name, title, rewrite, json.dumps([dspy.__version__, MAX_TOKENS, static]))


def _bare(guard: Guard[Any, Any]) -> Rewrite:
    def rewrite(history: Sequence[Turn], query: str) -> Said:
        with dspy.context(lm=guard.lm, adapter=guard.adapter, disable_history=True, trace=None):
            return Said(str(guard.program(history=history, query=query).standalone_query))

    return rewrite


def _guarded(guard: Guard[Any, Any]) -> Rewrite:
    def rewrite(history: Sequence[Turn], query: str) -> Said:
        result = guard(history=history, query=query)
        # The guard names the class of an LM error at the end of its warning's sentence.
        failed = [w.message.rstrip(".").rpartition(" ")[2] for w in result.warnings if w.code == "lm_error"]
        outage = [name for name in failed if name != ContextWindowExceededError.__name__]
        return Said(result.standalone_query, result.fallback, outage[0] if outage else None)

    return rewrite


def quoted(history: Sequence[Turn]) -> str:
    """Return a cut history as turnkeeper's own prompts and demos quote it: one line a message."""
    return quote([Quoted(place, turn) for place, turn in enumerate(history)])


def _rewrite_demos(guard: Guard[Any, Any]) -> list[dict[str, str]]:
    """Return the demos of a program's free rewrite as demos of `StandaloneQuery`."""
    held = {name: predictor.demos for name, predictor in guard.program.named_predictors()}.get("rewrite", [])
    demos = [{name: demo[name] for name in StandaloneQuery.fields} for demo in held]
    if not demos:
        raise InputError(f"{guard.program_id}: its free rewrite has no demos, so DSPy's programs can be given none")
    return demos
