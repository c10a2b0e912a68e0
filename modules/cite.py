"""cite: the program that answers from numbered sources (design section 6); `_cite_rules` guards it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dspy

from ..errors import InputError
from ..signatures.cite import ABSTENTION
from ..signatures.cite_forms import FORMS, AnswerInClaims, AnswerWithHandles, Form
from ..signatures.types import CitationRegistry, Turn
from ._cite_evidence import Evidence, sources_text
from ._cite_history import replayed
from ._cite_render import from_claims, rendered
from ._window import quote


class Cite(dspy.Module):
    """Answer a question from the evidence, every claim with its source.

    The bare program: what optimizers compile. Without evidence it asks nobody and abstains.

    Args:
        form: "handles" asks for running text with numbers, "claims" for one object a sentence.
    """

    def __init__(self, form: Form = "handles") -> None:
        super().__init__()
        if form not in FORMS:
            raise InputError(f"form must be one of {', '.join(FORMS)}, not {form!r}")
        self.form = form
        if form == "handles":
            self.handles = dspy.Predict(AnswerWithHandles)
        else:
            self.claims = dspy.Predict(AnswerInClaims)

    def forward(
        self,
        *,
        history: Sequence[Turn],
        question: str,
        registry: CitationRegistry,
        evidence: Sequence[Evidence],
        correction_feedback: str = "",
    ) -> dspy.Prediction:
        """Return a prediction with the fields of `CitedAnswer`, `unknown`, `lm_calls`."""
        if not evidence:
            return _composed(None, registry, evidence)
        asked = asked_of(history, question, evidence, correction_feedback)
        return _composed(self._predictor()(**asked), registry, evidence)

    async def aforward(
        self,
        *,
        history: Sequence[Turn],
        question: str,
        registry: CitationRegistry,
        evidence: Sequence[Evidence],
        correction_feedback: str = "",
    ) -> dspy.Prediction:
        """As `forward`, without blocking."""
        if not evidence:
            return _composed(None, registry, evidence)
        asked = asked_of(history, question, evidence, correction_feedback)
        return _composed(await self._predictor().acall(**asked), registry, evidence)

    def asks(self, *, evidence: Sequence[Evidence], **_: Any) -> tuple[str, ...]:
        """Return the name of the predictor that a turn asks; none without evidence."""
        return (self.form,) if evidence else ()

    def _predictor(self) -> dspy.Predict:
        return self.handles if self.form == "handles" else self.claims


def asked_of(
    history: Sequence[Turn], question: str, evidence: Sequence[Evidence], feedback: str = ""
) -> dict[str, Any]:
    """Return the inputs of the predictor. Demos are made by the same function, so that they look like the prompt."""
    return {
        "sources": sources_text(evidence),
        "history": quote(replayed(history, question, evidence)),
        "question": " ".join(question.split()),
        "correction_feedback": feedback,
    }


def _composed(asked: Any, registry: CitationRegistry, evidence: Sequence[Evidence]) -> dspy.Prediction:
    """Turn a predictor's answer into the prediction; never raises on what a model wrote."""
    if asked is None:
        text = ""
    elif "claims" in asked:
        text = from_claims(asked["claims"] if isinstance(asked["claims"], (list, tuple)) else [])
    else:
        text = asked["answer"] if isinstance(asked["answer"], str) else ""
    told = rendered(text, evidence, registry.convention)
    return dspy.Prediction(
        answer=told.answer,
        sources=told.sources,
        new_citations=told.new,
        reused_citations=told.reused,
        unknown=told.unknown,
        abstained=told.answer == ABSTENTION,
        lm_calls=0 if asked is None else 1,
        raw=text or None,
        reason="no_evidence" if asked is None else "asked",
    )
