"""reformulate: the program that makes a query stand alone (design section 4); `_reformulate_rules` guards it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import dspy

from ..errors import InputError
from ..metrics._language import identify
from ..signatures.reformulate_forms import FORMS, Form, ResolveReferents, RewriteQuery
from ..signatures.types import ResolvedReference, Turn
from ._reformulate_doubts import anchored, doubts_of_referent, doubts_of_result, doubts_of_rewrite, fits, turn_of
from ._reformulate_lengths import longest, shortened, trimmed
from ._reformulate_plan import plan
from ._reformulate_request import Request, asked_of
from ._substitution import Resolved, clean_referent, nominal, substitute


class Reformulate(dspy.Module):
    """Make the user's query stand alone.

    The bare program: what optimizers compile. It asks at most one predictor a call, and none where rules suffice.

    Args:
        form: "referents" asks what each mention stands for and substitutes by code; "rewrite" asks for the whole query.
    """

    def __init__(self, form: Form = "referents") -> None:
        super().__init__()
        if form not in FORMS:
            raise InputError(f"form must be one of {', '.join(FORMS)}, not {form!r}")
        self.form = form
        if form == "referents":
            self.referents = dspy.Predict(ResolveReferents)
        self.rewrite = dspy.Predict(RewriteQuery)

    def forward(self, *, history: Sequence[Turn], query: str, correction_feedback: str = "") -> dspy.Prediction:
        """Return a prediction with `standalone_query`, `resolved_references`, `action`, `notices`, `lm_calls`."""
        decided = plan(query, history, self.form)
        request = Request(decided, query, history, correction_feedback)
        if decided.ask == "nothing" or not request.open:
            return _compose(request, {})
        predictor = self.referents if decided.ask == "referents" else self.rewrite
        return _compose(request, predictor(**asked_of(request)))

    def asks(self, *, history: Sequence[Turn], query: str) -> tuple[str, ...]:
        """Return the name of the predictor that a turn asks; none where rules suffice."""
        decided = plan(query, history, self.form)
        return () if decided.ask == "nothing" or not Request(decided, query, history, "").open else (decided.ask,)

    async def aforward(self, *, history: Sequence[Turn], query: str, correction_feedback: str = "") -> dspy.Prediction:
        """As `forward`, without blocking."""
        decided = plan(query, history, self.form)
        request = Request(decided, query, history, correction_feedback)
        if decided.ask == "nothing" or not request.open:
            return _compose(request, {})
        predictor = self.referents if decided.ask == "referents" else self.rewrite
        return _compose(request, await predictor.acall(**asked_of(request)))


def _compose(request: Request, asked: Any) -> dspy.Prediction:
    """Turn a predictor's answer into the prediction; never raises on what a model wrote."""
    decided, query = request.decided, request.query
    if decided.ask == "referents":
        return _substituted(request, asked)
    if decided.ask == "nothing":
        text, calls = decided.query, 0
    else:
        answer, calls = asked["standalone_query"], 1
        text = _punctuated(" ".join(answer.split()) if isinstance(answer, str) else "", query)
        text = trimmed(text, request.led.kept, query, limit=longest(query))
    same = text == " ".join(query.split())
    return _prediction(
        query if same else text,
        "unchanged" if same else "rewrite",
        lm_calls=calls,
        notices=doubts_of_rewrite(decided, query, text, request.history),
        raw=text if calls else None,
        reason=decided.reason,
    )


def _substituted(request: Request, asked: Any) -> dspy.Prediction:
    decided, query, history = request.decided, request.decided.query, request.history
    answers = dict(decided.picked)
    given = asked["referents"] if request.open else []
    for number, item in zip(request.open, given if isinstance(given, (list, tuple)) else [], strict=False):
        answers[number] = nominal(clean_referent(str(getattr(item, "referent", ""))))
    resolved, notices = [], []
    for number, mention in enumerate(decided.mentions):
        referent, guessed = answers.get(number, ""), False
        if not fits(mention, referent, query):
            referent, guessed = request.guess(number), True
        elif request.invented(referent) and (likelier := request.guess(number)):
            referent, guessed = likelier, True
        if not referent:
            continue  # the mention stays, and the check names it
        resolved.append(Resolved(mention, referent))
        notices += doubts_of_referent(mention, referent, history, by_rule=number not in request.open, guessed=guessed)
    resolved = shortened(query, resolved, limit=longest(query))
    references = tuple(
        ResolvedReference(mention=r.mention.text, referent=r.referent, turn=turn_of(r.referent, history))
        for r in resolved
    )
    text = substitute(query, anchored(query, resolved, history), english=identify(query) in (None, "en"))
    return _prediction(
        text,
        "rewrite" if resolved else "unchanged",
        resolved_references=references,
        notices=(*notices, *doubts_of_result(query, text, resolved)),
        lm_calls=1 if request.open else 0,
        raw=json.dumps([answers.get(n, "") for n in range(len(decided.mentions))], ensure_ascii=False),
        reason=decided.reason,
    )


def _punctuated(text: str, query: str) -> str:
    """Give a rewrite the end of the user's query, and the query itself when only punctuation differs."""
    ends = "?.!。？！ "
    if text.rstrip(ends) == " ".join(query.split()).rstrip(ends):
        return " ".join(query.split())
    return text + "?" if query.rstrip().endswith("?") and text and text[-1] not in ends else text


def _prediction(text: str, action: str, **fields: Any) -> dspy.Prediction:
    filled = {"resolved_references": (), "notices": (), "lm_calls": 1, "raw": None, **fields}
    return dspy.Prediction(standalone_query=text, action=action, **filled)
