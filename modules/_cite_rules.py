"""The rules of cite for the guard: input, cache key, what is settled, check, acceptance, best effort."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from ..errors import InputError
from ..events import emit
from ..metrics.cite import check as check_answer
from ..signatures.cite import ABSTENTION, CiteResult
from ..signatures.types import AccessScope, CitationRegistry, Convention, Notice, Passage, Turn, Violation
from ._cite_best_effort import Standard, salvage
from ._cite_evidence import WHOLE, Budget, Evidence, evidence
from ._cite_registry import after_turn
from ._cite_render import Rendered
from ._guard import Outcome, RiskLevel, Scrub, Seen
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
from ._masking import mask_history, mask_restricted

DEFAULT_CONVENTION: Convention = "source_tag"
"""How a session cites that was told nothing else."""
_REGISTRY = TypeAdapter(CitationRegistry)
_PASSAGES = TypeAdapter(list[Passage])
_FIELDS = {
    "history": "", "query": "str", "registry": "", "context": "", "access_scope": "", "turn": "int",
}  # fmt: skip


@dataclass(frozen=True)
class CiteTask:
    """One turn, validated and scrubbed; `context` is None when the retrieval failed."""

    history: tuple[Turn, ...]
    question: str
    registry: CitationRegistry
    context: tuple[Passage, ...] | None
    scope: AccessScope | None
    turn: int
    risk_level: RiskLevel
    budget: Budget = WHOLE

    @cached_property
    def found(self) -> tuple[Evidence, ...]:
        return evidence(self.registry, self.context, self.scope, self.budget)

    @property
    def told(self) -> CitationRegistry:
        """The registry with the convention that this turn's answer has to keep."""
        convention = self.registry.convention or DEFAULT_CONVENTION
        return self.registry.model_copy(update={"convention": convention})


class CiteBehaviour:
    """The rules of cite for the guard."""

    name = "cite"
    retries = 2
    result_type = CiteResult

    def prepare(self, inputs: Mapping[str, Any], *, scrub: Scrub | None, risk_level: RiskLevel) -> CiteTask:
        """Validate what the application passed; raise `InputError` that names the field."""
        require_fields(self.name, inputs, _FIELDS)
        history = validated_list(self.name, "history", HISTORY, inputs)
        require_size(self.name, inputs["query"], history)
        require_encodable(self.name, "query", (inputs["query"],))
        turn = inputs.get("turn", 1)
        if not isinstance(turn, int) or turn < 1:
            raise InputError(f"cite: field `turn` must be a number from 1, not {turn!r}")
        failed = "context" in inputs and inputs["context"] is None
        return CiteTask(
            history=scrubbed(self.name, history, scrub),
            question=inputs["query"],
            registry=validated(self.name, "registry", _REGISTRY, inputs) or CitationRegistry(),
            context=None if failed else validated_list(self.name, "context", _PASSAGES, inputs),
            scope=validated(self.name, "access_scope", SCOPE, inputs),
            turn=turn,
            risk_level=risk_level,
        )

    def key(self, task: CiteTask) -> Hashable:
        models = (task.registry, task.scope, *(task.context or ()))
        rest = json.dumps([m and m.model_dump(mode="json") for m in models])
        return task.question, task.history, task.context is None, rest, task.turn, task.risk_level

    def settled(self, task: CiteTask) -> Outcome | None:
        """Abstain without a call where there is no evidence."""
        if task.found:
            return None
        failed = Notice(code="retrieval_failed", message="The retrieval failed; nothing could be answered.")
        return self._abstained(task, (failed,) if task.context is None else ())

    def program_inputs(self, task: CiteTask) -> dict[str, Any]:
        return {
            "history": mask_history(task.history, task.question, task.scope),
            "question": task.question,
            "registry": task.told,
            "evidence": task.found,
        }

    def shrink(self, task: CiteTask) -> CiteTask | None:
        """Cut the history first, then stored texts, then passages; never an id of the registry."""
        if task.history:
            return replace(task, history=())
        smaller = task.budget.smaller()
        return replace(task, budget=smaller) if smaller else None

    def check(self, task: CiteTask, prediction: Any) -> list[Violation]:
        if not any(c.isalnum() for c in prediction.answer):
            return [Violation(code="unparsable", message="Answer in sentences, or write NO_EVIDENCE.")]
        found = check_answer(
            registry=task.told,
            context=task.context,
            question=task.question,
            prediction=_given(prediction),
            access_scope=task.scope,
        )
        told = [
            Violation(
                code="fabricated_id", span=f"[{number}]",
                message=f"There is no source [{number}]; the sources are numbered 1 to {len(task.found)}.",
            )
            for number in prediction.unknown[:4]
        ]  # fmt: skip
        return [*told, *found]

    def accept(self, task: CiteTask, prediction: Any) -> Outcome:
        told = Rendered(
            prediction.answer, tuple(prediction.sources), tuple(prediction.new_citations),
            tuple(prediction.reused_citations), (),
        )  # fmt: skip
        return self._outcome(task, told, (), "passed")

    def best_effort(self, task: CiteTask, seen: Sequence[Seen]) -> Outcome | None:
        """Return what is safe of the answers that failed; None when nothing is, or a person has to look at it."""
        if task.risk_level == "high":
            return None
        standard = Standard(task.told, task.context, task.question, task.scope, task.found)
        left = salvage(standard, seen)
        if left is None:
            return None
        failed = _codes(seen[-1].violations)
        verdict = f"failed: {failed}; shown is what passed, {left.kept} of {left.of} sentences"
        notice = self._alert(task, seen[-1].violations, verdict)
        return self._outcome(task, left.rendered, (notice,), verdict)

    def fall_back(self, task: CiteTask, violations: Sequence[Violation]) -> Outcome:
        """Without an answer that is safe: nothing with risk_level="high", else the abstention, and a warning."""
        verdict = f"failed: {_codes(violations)}; nothing is claimed"
        notices: tuple[Notice, ...] = (self._alert(task, violations, verdict),)
        if task.risk_level == "high":
            notices = (*notices, Notice(code="human_review", message="A person has to answer this question."))
        return self._abstained(task, notices, verdict)

    def describe(self, task: CiteTask) -> dict[str, Any]:
        return {"original": task.question, "window": [turn.model_dump() for turn in task.history[-4:]]}

    def discreet(self, task: CiteTask, text: str) -> str:
        return mask_restricted(text, task.scope)

    def _alert(self, task: CiteTask, violations: Sequence[Violation], verdict: str) -> Notice:
        """Send the turn's one alert event, and return the warning that says the same."""
        notice = Notice(code="citation_unverified", message=f"No answer passed the checks ({verdict}).")
        emit("cite_alert", code=notice.code, violations=[v.model_dump() for v in violations], turn=task.turn)
        return notice

    def _abstained(self, task: CiteTask, notices: tuple[Notice, ...], verdict: str = "no citation") -> Outcome:
        fields = {
            "answer": ABSTENTION,
            "registry": task.registry,
            "abstained": True,
            "citation_consistency_check": verdict,
        }
        return Outcome(fields, notices)

    def _outcome(self, task: CiteTask, told: Rendered, notices: tuple[Notice, ...], verdict: str) -> Outcome:
        registry = after_turn(
            task.registry,
            (*told.new, *told.reused),
            task.found,
            task.context,
            task.told.convention or DEFAULT_CONVENTION,
            task.turn,
        )
        fields = {
            "answer": told.answer,
            "sources": told.sources,
            "new_citations": told.new,
            "reused_citations": told.reused,
            "citation_consistency_check": verdict,
            "registry": registry,
            "abstained": told.answer == ABSTENTION,
        }
        return Outcome(fields, notices)


def _codes(violations: Sequence[Violation]) -> str:
    return ", ".join(dict.fromkeys(v.code for v in violations)) or "no answer of the LM"


def _given(prediction: Any) -> dict[str, Any]:
    return {
        "answer": prediction.answer,
        "sources": list(prediction.sources),
        "new_citations": list(prediction.new_citations),
        "reused_citations": list(prediction.reused_citations),
    }
