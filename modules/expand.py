"""expand: the program that adds terms to a query and keeps what is ruled out away (design section 5)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import dspy

from ..errors import InputError
from ..metrics._content import Vocabulary, must_survive, terms
from ..metrics._language import identify
from ..metrics._negation import Detected, detect, without_exclusions
from ..metrics._utterance import is_small_talk
from ..signatures.expand_forms import FORMS, MAX_TERMS, AddTerms, ExcludeAndAddTerms, Form
from ..signatures.types import DomainContext, Exclusion, Turn
from ._expand_compose import Vetted, known_terms, vetted
from ._expand_merge import merged
from ._window import quote, window


@dataclass(frozen=True)
class ExpandRequest:
    """One turn as the program sees it, with all that code finds out on its own.

    Attributes:
        history: What was said before, oldest first.
        query: The user's own words; the exclusions are read there.
        standalone: The query that can be read alone; the expansion starts there.
        context: Words of the application's field.
        carried: Exclusions after the turn before; None when they are to be found in the history.
        restricted: Names that may not be searched for.
        rules_only: Whether nobody needs a model's words: the domain's synonyms suffice, and the exclusions.
    """

    history: Sequence[Turn]
    query: str
    standalone: str
    context: DomainContext
    carried: tuple[Exclusion, ...] | None
    restricted: tuple[str, ...] = ()
    rules_only: bool = False

    @cached_property
    def detected(self) -> Detected:
        return detect(self.history, self.query, self.context, self.carried)

    @cached_property
    def base(self) -> str:
        """The standalone query without what is ruled out; "" when nothing else is left."""
        return self.without(self.detected.exclusions)

    def without(self, exclusions: Sequence[Exclusion]) -> str:
        """Return the standalone query without what is ruled out; "" when no content is left."""
        text = without_exclusions(" ".join(self.standalone.split()), exclusions)
        language = identify(text)
        return text if any(must_survive(term, language) for term in terms(text)) else ""

    @cached_property
    def known(self) -> tuple[str, ...]:
        """Synonyms of the domain context, which need no model."""
        return known_terms(self.base, self.context, self.detected.exclusions, self.restricted)

    @cached_property
    def supported(self) -> Vocabulary:
        """The words that somebody gave: names and numbers must be among them."""
        context = self.context
        given = [*context.entities]
        for words in (context.glossary, context.aliases):
            given += [*words, *(value for values in words.values() for value in values)]
        return Vocabulary([self.query, self.standalone, *(turn.content for turn in self.history), *given])

    @property
    def asks(self) -> bool:
        """Whether a model may add anything: not to small talk, and not to a query of which nothing is left."""
        return bool(self.base) and not is_small_talk(self.query) and len(self.known) < MAX_TERMS


class Expand(dspy.Module):
    """Add search terms to a query without anything that the user ruled out.

    The bare program: what optimizers compile. At most one predictor a call; the exclusions that the detector finds
    hold whatever the model answers.

    Args:
        form: "terms" asks for added terms; "exclusions" for what is ruled out too.
    """

    def __init__(self, form: Form = "terms") -> None:
        super().__init__()
        if form not in FORMS:
            raise InputError(f"form must be one of {', '.join(FORMS)}, not {form!r}")
        self.form = form
        if form == "terms":
            self.terms = dspy.Predict(AddTerms)
        else:
            self.exclusions = dspy.Predict(ExcludeAndAddTerms)

    def forward(self, *, request: ExpandRequest, correction_feedback: str = "") -> dspy.Prediction:
        """Return a prediction with the fields of `Expansion`, `exclusions`, `left_out`, `lm_calls`."""
        if not self.asks(request=request):
            return _compose(request, None)
        return _compose(request, self._predictor()(**asked_of(request, self.form, correction_feedback)))

    async def aforward(self, *, request: ExpandRequest, correction_feedback: str = "") -> dspy.Prediction:
        """As `forward`, without blocking."""
        if not self.asks(request=request):
            return _compose(request, None)
        asked = asked_of(request, self.form, correction_feedback)
        return _compose(request, await self._predictor().acall(**asked))

    def asks(self, *, request: ExpandRequest) -> tuple[str, ...]:
        """Return the name of the predictor that a turn asks; none where rules suffice.

        A model that is also asked for what is ruled out is asked for that whoever needs its words.
        """
        needed = self.form == "exclusions" or not request.rules_only
        return (self.form,) if needed and request.asks else ()

    def _predictor(self) -> dspy.Predict:
        return self.terms if self.form == "terms" else self.exclusions


def asked_of(request: ExpandRequest, form: Form, feedback: str = "") -> dict[str, Any]:
    """Return the inputs of the predictor. Demos are made by the same function, so that they look like the prompt."""
    active = [e.phrase for e in request.detected.exclusions if e.status == "active"]
    shared = {"excluded": active, "known_terms": list(request.known), "correction_feedback": feedback}
    if form == "terms":
        return {"query": request.base, **shared}
    query = " ".join(request.query.split())
    return {"history": quote(window(request.history, request.query)), "query": query, **shared}


def _compose(request: ExpandRequest, asked: Any) -> dspy.Prediction:
    """Turn a predictor's answer into the prediction; never raises on what a model wrote."""
    detected = request.detected
    state = merged(detected, _listed(asked, "exclusions"), request)
    base = request.base if state == detected.exclusions else request.without(state)
    proposed = _listed(asked, "terms")
    if base:
        known = request.known if base == request.base else known_terms(base, request.context, state, request.restricted)
        room = MAX_TERMS - len(known)
        query = " ".join((base, *known))
        chosen = vetted(
            proposed, query=query, exclusions=state, supported=request.supported, restricted=request.restricted,
            room=room,
        )  # fmt: skip
        added = (*known, *chosen.kept)
    else:
        chosen, added = Vetted((), {}), ()
    active = tuple(dict.fromkeys(e.phrase for e in state if e.status == "active"))
    return dspy.Prediction(
        expanded_query=" ".join((base, *added)).strip(),
        negation_constraints=active,
        expansion_terms_added=added,
        negation_terms_preserved=active,
        exclusions=state,
        own=tuple(e.phrase for e in state[len(detected.exclusions) :]),
        stripped=base,
        vague=detected.vague,
        left_out=chosen.left_out,
        lm_calls=0 if asked is None else 1,
        raw=None if asked is None else json.dumps({"terms": [str(t) for t in proposed]}, ensure_ascii=False),
        reason="asked" if asked is not None else "rules",
    )


def _listed(asked: Any, field: str) -> list[Any]:
    given = getattr(asked, field, None) if asked is not None else None
    return list(given) if isinstance(given, (list, tuple)) else []
