"""What one call of carry_forward asks an LM for: the inputs, and the fixed JSON where an engine can prefill it."""

from __future__ import annotations

from typing import Any

import dspy

from ..signatures.carry_forward_forms import MISSING, Form
from ._carry_forward_covered import share
from ._carry_forward_request import CURRENT, Asked, Batch, CarryForwardRequest
from ._cite_evidence import numbered
from ._window import quote, window

_ANSWER = {"max_tokens": 90, "stop": '"'}
# What the model's own odds are shifted by where a passage has none of the question's words (natural logarithm); chosen
# on train rows. What was found for an open question mostly answers something else; what was found for the question
# of this turn mostly answers it.
_PENDING_BIAS = 12.0
_CURRENT_BIAS = 4.0


def inputs_of(request: CarryForwardRequest, batch: Batch, form: Form, feedback: str = "") -> dict[str, Any]:
    """Return the inputs of a predictor. Demos are made by the same function, so that they look like the prompt."""
    own = {item.place for item in batch.asked}
    told = " ".join(message for place, message in request.feedback if place in own)
    feedback = told if feedback and told else feedback
    shown = {"passages": numbered(batch.evidence), "history": _history(request, batch)}
    questions = [" ".join(item.question.split()) for item in batch.asked]
    if form == "single":
        return {**shown, "question": questions[0], "correction_feedback": feedback}
    lines = "\n".join(f"{number}. {text}" for number, text in enumerate(questions, 1))
    return {**shown, "questions": lines, "correction_feedback": feedback}


def asked_of(request: CarryForwardRequest, batch: Batch, form: Form, feedback: str = "") -> dict[str, Any]:
    """Return the inputs with the fixed JSON of the answer, where the adapter of this call knows how to pass it on."""
    inputs = inputs_of(request, batch, form, feedback)
    # Only an adapter that says so knows what a skeleton is; others would hand it to the LM as an option.
    if not getattr(dspy.settings.adapter, "takes_skeleton", False):
        return inputs
    holes = [_hole(request, item) for item in batch.asked]
    return {**inputs, "config": {"skeleton": _single(holes[0]) if form == "single" else _table(holes)}}


def _history(request: CarryForwardRequest, batch: Batch) -> str:
    """Return the newest turns where they may be needed: a current question that nobody has made to stand alone."""
    if request.standalone or not any(item.place == CURRENT for item in batch.asked):
        return ""
    return quote(window(request.history, request.question, recent=2))


def _hole(request: CarryForwardRequest, item: Asked) -> dict[str, Any]:
    """Return the hole for an answer: the fewer words of a question one passage has, the surer the model must be."""
    weight = _CURRENT_BIAS if item.place == CURRENT else _PENDING_BIAS
    bias = weight * (1.0 - share(item.question, request.own_words(item.place), item.evidence))
    return {**_ANSWER, "offer": {"text": MISSING, "bias": bias}} if bias else dict(_ANSWER)


def _single(hole: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"text": '{"answer": "'}, {"hole": hole}, {"text": '"}'}]


def _table(holes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a table in which each question stands once: an engine that prefills can neither drop nor invent one."""
    skeleton: list[dict[str, Any]] = []
    lead = '{"decisions": ['
    for number, hole in enumerate(holes, 1):
        skeleton += [{"text": f'{lead}{{"question": {number}, "answer": "'}, {"hole": hole}]
        lead = '"}, '
    return [*skeleton, {"text": '"}]}'}]
