"""A turn of cite: what the application passed, validated, scrubbed, its passages under the ids that are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from ..errors import InputError
from ..metrics._evidence_scope import in_scope
from ..signatures.types import AccessScope, CitationRegistry, Convention, Passage, Turn
from ._cite_evidence import WHOLE, Budget, Evidence, evidence
from ._cite_shown import Shown, with_shown_ids
from ._guarded import RiskLevel, Scrub
from ._inputs import (
    HISTORY,
    SCOPE,
    require_encodable,
    require_fields,
    require_size,
    scrubbed,
    validated,
    validated_list,
)

DEFAULT_CONVENTION: Convention = "source_tag"
"""How a session cites that was told nothing else."""
_REGISTRY = TypeAdapter(CitationRegistry)
_PASSAGES = TypeAdapter(list[Passage])
_FIELDS = {
    "history": "", "query": "str", "registry": "", "context": "", "retrieved": "", "access_scope": "", "turn": "int",
}  # fmt: skip


@dataclass(frozen=True)
class CiteTask:
    """One turn, validated and scrubbed.

    Attributes:
        context: The passages under the ids that are shown; None when the retrieval failed.
        source_ids: Shown id to the retriever's.
    """

    history: tuple[Turn, ...]
    question: str
    registry: CitationRegistry
    context: tuple[Passage, ...] | None
    scope: AccessScope | None
    turn: int
    risk_level: RiskLevel
    source_ids: Mapping[str, str] = field(default_factory=dict)
    budget: Budget = WHOLE
    shrunk: bool = False

    @cached_property
    def found(self) -> tuple[Evidence, ...]:
        return evidence(self.registry, self.context, self.scope, self.budget)

    @cached_property
    def whole(self) -> tuple[Evidence, ...]:
        """The evidence as it is stored: in full, whatever a prompt had room for."""
        return evidence(self.registry, self.context, self.scope, WHOLE)

    @property
    def told(self) -> CitationRegistry:
        """The registry with the convention that this turn's answer has to keep."""
        convention = self.registry.convention or DEFAULT_CONVENTION
        return self.registry.model_copy(update={"convention": convention})


def prepared(inputs: Mapping[str, Any], scrub: Scrub | None, risk_level: RiskLevel) -> CiteTask:
    """Validate what the application passed. Raises `InputError` that names the field."""
    require_fields("cite", inputs, _FIELDS)
    history = validated_list("cite", "history", HISTORY, inputs)
    require_size("cite", inputs["query"], history)
    require_encodable("cite", "query", (inputs["query"],))
    turn = inputs.get("turn", 1)
    if not isinstance(turn, int) or turn < 1:
        raise InputError(f"cite: field `turn` must be a number from 1, not {turn!r}")
    registry = validated("cite", "registry", _REGISTRY, inputs) or CitationRegistry()
    scope = validated("cite", "access_scope", SCOPE, inputs)
    shown = _shown(inputs, registry, scope)
    return CiteTask(
        history=scrubbed("cite", history, scrub),
        question=inputs["query"],
        registry=registry,
        context=shown.passages if shown else None,
        scope=scope,
        turn=turn,
        risk_level=risk_level,
        source_ids=shown.source_ids if shown else {},
    )


def _shown(inputs: Mapping[str, Any], registry: CitationRegistry, scope: AccessScope | None) -> Shown | None:
    """Return the passages under the ids that are shown; None when the retrieval failed.

    `context` has them already, as rows do, save where an id is missing or no id of the convention; `retrieved` has a
    retriever's. What today's scope hides gets no id, so that the ids of a turn do not tell how much there is.
    """
    names = [name for name in ("context", "retrieved") if name in inputs]
    if len(names) > 1:
        raise InputError("cite takes `context` (ids as they are shown) or `retrieved` (the retriever's ids), not both")
    name = names[0] if names else "context"
    if names and inputs[name] is None:
        return None
    passages = validated_list("cite", name, _PASSAGES, {name: _with_ids(inputs.get(name))})
    if name == "retrieved":
        passages = tuple(p for p in passages if in_scope(scope, p.metadata, (p.doc_id,), p.title, p.text))
    convention = registry.convention or DEFAULT_CONVENTION
    return with_shown_ids(registry, passages, convention, as_shown=name == "context")


def _with_ids(given: Any) -> Any:
    """Give passages without an id an empty one: a retriever may know none."""
    if not isinstance(given, (list, tuple)):
        return given
    return [{**p, "doc_id": p.get("doc_id") or ""} if isinstance(p, Mapping) else p for p in given]
