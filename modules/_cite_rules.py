"""The rules of cite for the guard: input, cache key, what is settled, check, acceptance, best effort."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..events import emit
from ..metrics.cite import check as check_answer
from ..signatures.cite import ABSTENTION, CiteResult
from ..signatures.types import Notice, Violation
from ._cite_best_effort import Standard, salvage
from ._cite_drafts import CiteDraft
from ._cite_evidence import WHOLE
from ._cite_registry import after_turn
from ._cite_render import Rendered
from ._cite_task import DEFAULT_CONVENTION, CiteTask, prepared
from ._guarded import Outcome, RiskLevel, Scrub, Seen
from ._heard import Reader
from ._masking import mask_history, mask_restricted
from ._recorded import Recorded
from .cite import asked_of


class CiteBehaviour:
    """The rules of cite for the guard."""

    name = "cite"
    retries = 2
    result_type = CiteResult

    def prepare(self, inputs: Mapping[str, Any], *, scrub: Scrub | None, risk_level: RiskLevel) -> CiteTask:
        return prepared(inputs, scrub, risk_level)

    def key(self, task: CiteTask) -> Hashable:
        models = (task.registry, task.scope, *(task.context or ()))
        rest = json.dumps([*(m and m.model_dump(mode="json") for m in models), task.source_ids])
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
            return replace(task, history=task.history[-2:] if len(task.history) > 2 else (), shrunk=True)
        smaller = task.budget.smaller()
        return replace(task, budget=smaller, shrunk=True) if smaller else None

    def prompt_bytes(self, task: CiteTask) -> int:
        """Return the size of what the task puts into a prompt."""
        asked = asked_of(mask_history(task.history, task.question, task.scope), task.question, task.found)
        return sum(len(str(value).encode("utf-8", "replace")) for value in asked.values())

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
        left = salvage(_standard(task), seen)
        if left is None:
            return None
        failed = _codes(seen[-1].violations)
        verdict = f"failed: {failed}; shown is what passed, {left.kept} of {left.of} sentences"
        notice = self._alert(task, seen[-1].violations, verdict)
        return self._outcome(task, left.rendered, (notice,), verdict)

    def drafting(self, task: CiteTask) -> Callable[[], Reader] | None:
        """Return what makes the reader of a reply as it is written; None where a person may have to see it first."""
        return None if task.risk_level == "high" else partial(CiteDraft, _standard(task))

    def fall_back(self, task: CiteTask, violations: Sequence[Violation]) -> Outcome:
        """Without an answer that is safe: nothing with risk_level="high", else the abstention, and a warning."""
        verdict = f"failed: {_codes(violations)}; nothing is claimed"
        notices: tuple[Notice, ...] = (self._alert(task, violations, verdict),)
        if task.risk_level == "high":
            notices = (*notices, Notice(code="human_review", message="A person has to answer this question."))
        return self._abstained(task, notices, verdict)

    def describe(self, task: CiteTask) -> dict[str, Any]:
        def inputs() -> dict[str, Any]:
            context = None if task.context is None else [each.model_dump(mode="json") for each in task.context]
            return {"turn": task.turn, "registry": task.registry.model_dump(mode="json"), "context": context}

        window = [turn.model_dump() for turn in task.history[-4:]]
        return {"original": task.question, "window": window, "inputs": Recorded(inputs, task.scope)}

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
        return Outcome(fields, (*_shrunk(task), *notices))

    def _outcome(self, task: CiteTask, told: Rendered, notices: tuple[Notice, ...], verdict: str) -> Outcome:
        registry = after_turn(
            task.registry,
            (*told.new, *told.reused),
            task.whole,
            task.context,
            task.told.convention or DEFAULT_CONVENTION,
            task.turn,
            task.source_ids,
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
        return Outcome(fields, (*_shrunk(task), *notices))


def _standard(task: CiteTask) -> Standard:
    return Standard(task.told, task.context, task.question, task.scope, task.found)


def _shrunk(task: CiteTask) -> tuple[Notice, ...]:
    if not task.shrunk:
        return ()
    texts = "history and texts of sources" if task.budget != WHOLE else "history"
    return (Notice(code="context_shrunk", message=f"The prompt was too long: {texts} were cut, no source was lost."),)


def _codes(violations: Sequence[Violation]) -> str:
    return ", ".join(dict.fromkeys(v.code for v in violations)) or "no answer of the LM"


def _given(prediction: Any) -> dict[str, Any]:
    return {
        "answer": prediction.answer,
        "sources": list(prediction.sources),
        "new_citations": list(prediction.new_citations),
        "reused_citations": list(prediction.reused_citations),
    }
