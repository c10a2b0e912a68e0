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
from ._reformulate_plan import Plan, plan
from ._substitution import Resolved, clean_referent, nominal, substitute
from ._window import quote, window


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
        if decided.ask == "nothing" or not _open(decided):
            return _compose(decided, query, history, {})
        predictor = self.referents if decided.ask == "referents" else self.rewrite
        return _compose(decided, query, history, predictor(**_asked(decided, query, history, correction_feedback)))

    async def aforward(self, *, history: Sequence[Turn], query: str, correction_feedback: str = "") -> dspy.Prediction:
        """As `forward`, without blocking."""
        decided = plan(query, history, self.form)
        if decided.ask == "nothing" or not _open(decided):
            return _compose(decided, query, history, {})
        predictor = self.referents if decided.ask == "referents" else self.rewrite
        asked = await predictor.acall(**_asked(decided, query, history, correction_feedback))
        return _compose(decided, query, history, asked)


def _open(decided: Plan) -> list[int]:
    """Return the indices of the mentions that a model has to resolve; a rewrite is always open."""
    if decided.ask != "referents":
        return [0]
    picked = {number for number, _ in decided.picked}
    return [number for number in range(len(decided.mentions)) if number not in picked]


def _asked(decided: Plan, query: str, history: Sequence[Turn], feedback: str) -> dict[str, Any]:
    """Return the inputs of the predictor, with the JSON that an engine may prefill where the adapter knows how."""
    inputs: dict[str, Any] = {
        "history": quote(window(history, query)),
        "query": " ".join(decided.query.split()),
        "correction_feedback": feedback,
    }
    if decided.ask == "referents":
        inputs["mentions"] = [decided.mentions[number].text for number in _open(decided)]
    # Only an adapter that says so knows what a skeleton is; others would hand it to the LM as an option.
    if getattr(dspy.settings.adapter, "takes_skeleton", False):
        skeleton = _skeleton(decided, inputs.get("mentions", []))
        return {**inputs, "config": {"skeleton": skeleton}} if skeleton else inputs
    return inputs


def _skeleton(decided: Plan, mentions: Sequence[str]) -> list[dict[str, Any]]:
    """Return the answer's fixed JSON with holes for what the model has to give."""
    if decided.ask == "rewrite":
        if not decided.kept:
            return []
        start = json.dumps(decided.kept, ensure_ascii=False)[1:-1]
        hole = {"hole": {"max_tokens": 120, "stop": '"'}}
        return [{"text": f'{{"standalone_query": "{start}'}, hole, {"text": '"}'}]
    skeleton: list[dict[str, Any]] = []
    lead = '{"referents": ['
    for mention in mentions:
        skeleton += [
            {"text": f'{lead}{{"mention": {json.dumps(mention, ensure_ascii=False)}, "referent": "'},
            {"hole": {"max_tokens": 40, "stop": '"'}},
        ]
        lead = '"}, '
    return [*skeleton, {"text": '"}]}'}]


def _compose(decided: Plan, query: str, history: Sequence[Turn], asked: Any) -> dspy.Prediction:
    """Turn a predictor's answer into the prediction; never raises on what a model wrote."""
    if decided.ask == "referents":
        return _substituted(decided, query, history, asked)
    if decided.ask == "nothing":
        text, calls = decided.query, 0
    else:
        answer, calls = asked["standalone_query"], 1
        text = _punctuated(" ".join(answer.split()) if isinstance(answer, str) else "", query)
    same = text == " ".join(query.split())
    return _prediction(
        query if same else text,
        "unchanged" if same else "rewrite",
        lm_calls=calls,
        notices=doubts_of_rewrite(decided, query, text, history),
        raw=text if calls else None,
        reason=decided.reason,
    )


def _substituted(decided: Plan, query: str, history: Sequence[Turn], asked: Any) -> dspy.Prediction:
    answers = dict(decided.picked)
    wanted = _open(decided)
    given = asked["referents"] if wanted else []
    for number, item in zip(wanted, given if isinstance(given, (list, tuple)) else [], strict=False):
        answers[number] = nominal(clean_referent(str(getattr(item, "referent", ""))))
    resolved, notices = [], []
    for number, mention in enumerate(decided.mentions):
        referent = answers.get(number, "")
        if not fits(mention, referent, query):
            continue  # the mention stays, and the check names it
        resolved.append(Resolved(mention, referent))
        notices += doubts_of_referent(mention, referent, history, by_rule=number not in wanted)
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
        lm_calls=1 if wanted else 0,
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
