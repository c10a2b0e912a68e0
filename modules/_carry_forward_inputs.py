"""What the application passes to carry_forward, validated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from ..errors import InputError
from ..metrics._ledger import DEFAULT_POLICY, Ledger
from ..metrics._near_duplicates import required
from ..signatures.carry_forward import CurrentAnswer, LedgerPolicy
from ..signatures.types import AccessScope, CitationRegistry, Exclusion, OpenQuestion, Passage, Turn
from ._guard import Scrub
from ._inputs import (
    EXCLUSIONS,
    HISTORY,
    SCOPE,
    require_encodable,
    require_fields,
    require_size,
    scrubbed,
    validated,
    validated_list,
)

Passages = tuple[Passage, ...]
MAX_OPEN = 1_000
"""Questions of a ledger that are accepted at all."""
_LEDGER = TypeAdapter(list[OpenQuestion])
_PASSAGES = TypeAdapter(list[Passage])
_EVIDENCE = TypeAdapter(dict[str, list[Passage] | None])
_REGISTRY = TypeAdapter(CitationRegistry)
_CURRENT = TypeAdapter(CurrentAnswer)
_POLICY = TypeAdapter(LedgerPolicy)
_FIELDS = {
    "turn": "int", "history": "", "ledger": "", "query": "str", "standalone_query": "str", "context": "",
    "evidence": "", "access_scope": "", "exclusions": "", "registry": "", "current_answer": "",
    "current_missing": "str", "policy": "",
}  # fmt: skip


@dataclass(frozen=True)
class Given:
    """One turn as the application gave it.

    Attributes:
        turn: Its number, from 1.
        question: The user's words, verbatim.
        standalone: The question that can be read alone, or "".
        history: What was said before, oldest first, scrubbed.
        ledger: Open questions before this turn, as stored.
        context: This turn's passages; None when the retrieval failed.
        evidence: Id of a pending question to what was found for it, None where that search failed; without an entry
            the question is held against `context`.
        scope: What this user may see.
        exclusions: What is ruled out now.
        registry: How the session cites, and which sources are withdrawn.
        current: The answer to the current question, where another step has given it.
        missing: What that answer lacks.
        policy: When a person has to look at the ledger, and when a question is given up.
    """

    turn: int
    question: str
    standalone: str
    history: tuple[Turn, ...]
    ledger: Ledger
    context: Passages | None
    evidence: Mapping[str, Passages | None]
    scope: AccessScope | None
    exclusions: tuple[Exclusion, ...]
    registry: CitationRegistry
    current: CurrentAnswer | None
    missing: str
    policy: LedgerPolicy

    @property
    def failed(self) -> bool:
        """Whether nothing was searched, so that nothing may change."""
        return self.context is None

    def context_of(self, question_id: str) -> Passages | None:
        """Return the passages that a pending question is held against; None when its own search failed."""
        return self.evidence[question_id] if question_id in self.evidence else self.context

    def as_json(self) -> list[Any]:
        """Return all that a result depends on, in a form that compares."""
        found = {name: _dumped(passages) for name, passages in sorted(self.evidence.items())}
        models = (self.scope, self.registry, self.current, self.policy)
        return [
            self.turn, self.question, self.standalone, self.missing, _dumped(self.history), _dumped(self.ledger),
            _dumped(self.context), found, _dumped(self.exclusions), _dumped(models),
        ]  # fmt: skip


def read(behaviour: str, inputs: Mapping[str, Any], scrub: Scrub | None) -> Given:
    """Return what was passed, as its types; raise `InputError` that names the field.

    `question` is taken for `query`, as rows of the command line call it.
    """
    if "question" in inputs and "query" not in inputs:
        inputs = {("query" if name == "question" else name): value for name, value in inputs.items()}
    require_fields(behaviour, inputs, _FIELDS)
    history = validated_list(behaviour, "history", HISTORY, inputs)
    ledger = validated_list(behaviour, "ledger", _LEDGER, inputs)
    if len(ledger) > MAX_OPEN:
        raise InputError(f"{behaviour}: field `ledger` holds {len(ledger)} questions; at most {MAX_OPEN} are accepted")
    require_size(behaviour, inputs["query"], history)
    turn = inputs.get("turn", 1)
    if not isinstance(turn, int) or isinstance(turn, bool) or turn < 1:
        raise InputError(f"{behaviour}: field `turn` must be a number from 1, not {turn!r}")
    failed = "context" in inputs and inputs["context"] is None
    evidence = validated(behaviour, "evidence", _EVIDENCE, inputs) or {}
    given = Given(
        turn=turn,
        question=inputs["query"],
        standalone=_text(behaviour, "standalone_query", inputs),
        history=scrubbed(behaviour, history, scrub),
        ledger=ledger,
        context=None if failed else validated_list(behaviour, "context", _PASSAGES, inputs),
        evidence={name: None if found is None else tuple(found) for name, found in evidence.items()},
        scope=validated(behaviour, "access_scope", SCOPE, inputs),
        exclusions=validated_list(behaviour, "exclusions", EXCLUSIONS, inputs),
        registry=validated(behaviour, "registry", _REGISTRY, inputs) or CitationRegistry(),
        current=validated(behaviour, "current_answer", _CURRENT, inputs),
        missing=_text(behaviour, "current_missing", inputs),
        policy=required(validated(behaviour, "policy", _POLICY, inputs) or DEFAULT_POLICY),
    )
    for field, texts in _texts(given):
        require_encodable(behaviour, field, texts)
    return given


def _text(behaviour: str, field: str, inputs: Mapping[str, Any]) -> str:
    given = inputs.get(field)
    if given is not None and not isinstance(given, str):
        raise InputError(f"{behaviour}: field `{field}` must be a text, not {type(given).__name__}")
    return given or ""


def _texts(given: Given) -> Iterator[tuple[str, list[str]]]:
    yield "query", [given.question]
    yield "standalone_query", [given.standalone]
    yield "current_missing", [given.missing]
    yield "history", [turn.content for turn in given.history]
    for entry in given.ledger:
        yield "ledger", [entry.question_id, entry.question, entry.standalone_query, entry.missing_evidence]
    for field, passages in (("context", given.context), *((f"evidence.{k}", v) for k, v in given.evidence.items())):
        yield field, [text for p in passages or () for text in (p.doc_id, p.title, p.text)]


def _dumped(models: Any) -> Any:
    return None if models is None else [m and m.model_dump(mode="json") for m in models]
