"""carry_forward: the program that decides open questions by this turn's evidence; `_carry_forward_rules` guards it."""

from __future__ import annotations

import asyncio
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from ..errors import InputError
from ..signatures.carry_forward_forms import FORMS, MAX_ASKED, DecideQuestion, DecideQuestions, Form
from ._carry_forward_compose import composed
from ._carry_forward_prompt import asked_of
from ._carry_forward_reading import read_single, read_table, unread
from ._carry_forward_request import Batch, CarryForwardRequest, Decided


class CarryForward(dspy.Module):
    """Decide each open question whose evidence changed, and the current one where nobody else answers it.

    The bare program: what optimizers compile. It asks as often as the questions need, and not at all when there is
    nothing to decide. An answer that cannot be read leaves its questions undecided and costs no other one.

    Args:
        form: "table" asks about up to `MAX_ASKED` questions a call, "single" about one.
    """

    def __init__(self, form: Form = "table") -> None:
        super().__init__()
        if form not in FORMS:
            raise InputError(f"form must be one of {', '.join(FORMS)}, not {form!r}")
        self.form = form
        if form == "table":
            self.table = dspy.Predict(DecideQuestions)
        else:
            self.single = dspy.Predict(DecideQuestion)

    def forward(self, *, request: CarryForwardRequest, correction_feedback: str = "") -> dspy.Prediction:
        """Return a prediction with the fields of `CarriedForward`, `ledger_turn`, `doubts`, `lm_calls`."""
        batches = self.batches(request)
        answers: list[Any] = []
        for batch in batches:
            try:
                answers.append(self._predictor()(**asked_of(request, batch, self.form, correction_feedback)))
            except AdapterParseError as error:
                answers.append(error)
        return self._composed(request, batches, answers)

    async def aforward(self, *, request: CarryForwardRequest, correction_feedback: str = "") -> dspy.Prediction:
        """As `forward`, without blocking; the calls of a turn run side by side."""
        batches = self.batches(request)
        predictor = self._predictor()
        calls = [predictor.acall(**asked_of(request, batch, self.form, correction_feedback)) for batch in batches]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, AdapterParseError):
                raise answer
        return self._composed(request, batches, answers)

    def asks(self, *, request: CarryForwardRequest) -> tuple[str, ...]:
        """Return the name of the predictor for each call that a turn makes; none where there is nothing to decide."""
        return (self.form,) * len(self.batches(request))

    def batches(self, request: CarryForwardRequest) -> tuple[Batch, ...]:
        """Return the calls that a turn makes."""
        return request.batches(MAX_ASKED if self.form == "table" else 1)

    def _predictor(self) -> dspy.Predict:
        return self.table if self.form == "table" else self.single

    def _composed(self, request: CarryForwardRequest, batches: tuple[Batch, ...], answers: list[Any]) -> Any:
        decided = [d for batch, answer in zip(batches, answers, strict=True) for d in self._read(batch, answer)]
        return composed(request, decided, len(batches))

    def _read(self, batch: Batch, answer: Any) -> tuple[Decided, ...]:
        if isinstance(answer, AdapterParseError):
            return unread(batch)
        if self.form == "table":
            return read_table(batch, answer["decisions"])
        return read_single(batch, answer["answer"])
