"""Checks of what the answer claims: a marker behind each claim, support by the cited text, and abstention."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..signatures.cite import ABSTENTION
from ..signatures.types import Violation
from ._abstention import denies, denies_in_own_voice, holds_abstention, is_abstention
from ._cite_reading import Reading, shown, violation
from ._cite_sentences import Segment
from ._known_sources import KnownSource
from ._language import identify
from ._support import Evidence, Fit, Needs, fit, needs

_CITED = 0.2  # share of content words below which a cited text is doubted when another fits
_OTHER = 0.5  # share that another text must hold to be the one that was meant
_MARGIN = 0.3
_MOST_SEGMENTS = 200
_BRACKETED = re.compile(r"\[[^\[\]\n]{1,300}\]")
_MOST_SOURCES = 200
_WORDS_THAT_DECIDE = 3  # a claim with fewer content words is not refuted by words alone


def abstention_violations(reading: Reading) -> Iterator[Violation]:
    """Yield what is wrong with an abstention, and with an answer that should have been one."""
    right = f"An abstention is exactly '{ABSTENTION}', without citations and sources."
    answer = reading.text.text
    if is_abstention(answer):
        return
    body = [s for s in reading.sentences if s.claims or denies(s.text)]
    if holds_abstention(answer):
        yield violation("abstain_violation", right, ABSTENTION)
    elif (
        body
        and all(denies(s.text) for s in body)
        and (not reading.markers or all(denies_in_own_voice(s.text) for s in body))
    ):
        yield violation("abstain_violation", right, body[0].text)
    elif not any(True for _ in reading.known.evidence()) and any(s.claims for s in body):
        yield violation(
            "abstain_violation", f"There is no evidence at all; answer exactly '{ABSTENTION}'.", body[0].text
        )
    elif not reading.markers and any(s.claims for s in body) and not _supported_at_all(reading):
        message = f"Nothing that was given supports this; answer exactly '{ABSTENTION}'."
        yield violation("abstain_violation", message, body[0].text)


def uncited(reading: Reading, question: str) -> list[str]:
    """Return the claims of a grounded answer that have no marker; what speaks of the user's own words needs none."""
    if is_abstention(reading.text.text):
        return []
    own = {m.group() for m in _BRACKETED.finditer(question)}
    claims = [s for s in reading.sentences if s.claims and not s.markers and not denies(s.text)]
    return [s.text for s in claims if not (own and own & set(_BRACKETED.findall(reading.text.text[s.start : s.end])))]


def uncited_violations(reading: Reading, question: str) -> Iterator[Violation]:
    """Yield the claims that have no marker."""
    for text in uncited(reading, question):
        message = f"The sentence {shown(text)} states a fact without a marker; put the marker of its source behind it."
        yield violation("missing_inline_citation", message, text)


def support_violations(reading: Reading, question: str) -> Iterator[Violation]:
    """Yield the claims that their sources do not bear out, by numbers, names and content words."""
    given, language = Evidence([question]), identify(reading.prose)
    single = _Single(reading)
    for segment in _segments(reading)[:_MOST_SEGMENTS]:
        sources = [reading.known.by_id[i] for i in segment.ids if i in reading.known]
        for source in sources:
            if source.hidden:
                message = f"The text of {shown(source.doc_id)} may not be used any more; cite another source."
                yield violation("stale_prior_turn_citation", message, source.doc_id)
        if sources:
            yield from _refuted(segment, sources, needs(segment.text, language, given), single)


def _segments(reading: Reading) -> list[Segment]:
    """Return the parts of sentences that cite; the end of a sentence behind its last marker counts with all of them."""
    found = list[Segment]()
    for sentence in reading.sentences:
        every = tuple(dict.fromkeys(i for marker in sentence.markers for i in marker.ids))
        found += [s if s.ids else s._replace(ids=every) for s in sentence.segments if every]
    return found


class _Single:
    """Each source's text as evidence, read once."""

    def __init__(self, reading: Reading) -> None:
        self._known = [s for s in reading.known.evidence() if s.texts][:_MOST_SOURCES]
        self._read: dict[str, Evidence] = {}

    def of(self, source: KnownSource) -> Evidence:
        if source.doc_id not in self._read:
            self._read[source.doc_id] = Evidence([source.title, *source.texts])
        return self._read[source.doc_id]

    def best(self, need: Needs, sources: list[KnownSource]) -> tuple[KnownSource, Fit] | None:
        """Return the source beside the cited ones that holds all numbers and names and most words, if any does."""
        cited = {source.doc_id for source in sources}
        found: tuple[KnownSource, Fit] | None = None
        for source in self._known:
            if source.doc_id in cited:
                continue
            how = fit(need, self.of(source))
            if how.holds(_OTHER) and (found is None or how.share > found[1].share):
                found = (source, how)
        return found


def _refuted(segment: Segment, sources: list[KnownSource], need: Needs, single: _Single) -> Iterator[Violation]:
    if not (need.numbers or need.names or need.words):
        return
    stored = [source for source in sources if source.texts]
    whole = single.of(sources[0]) if len(sources) == 1 else Evidence(t for s in sources for t in (s.title, *s.texts))
    how = fit(need, whole)
    complete = len(stored) == len(sources)
    if complete and how.holds(_OTHER):
        return
    other = single.best(need, sources)
    span, ids = segment.text, " and ".join(shown(source.doc_id) for source in sources[:4])
    if other is not None and (how.missing or (other[1].share >= how.share + _MARGIN and _decide(need))):
        message = f"{ids} does not say {shown(span)}; {shown(other[0].doc_id)} does."
        yield violation("misattributed", message, span)
    elif complete and (how.missing or (how.share < _CITED and _decide_alone(need))):
        lacking = f" (not there: {', '.join(how.missing[:5])})" if how.missing else ""
        yield violation("unsupported_claim", f"{ids} does not say {shown(span)}{lacking}; say only what it says.", span)
    else:
        return
    for source in sources:
        if source.registered and not source.retrieved and not source.hidden:
            message = f"{shown(source.doc_id)} is from an earlier turn and does not support {shown(span)}."
            yield violation("stale_prior_turn_citation", message, source.doc_id)


def _decide(need: Needs) -> bool:
    return bool(need.numbers or need.names or len(need.words) > 1)


def _decide_alone(need: Needs) -> bool:
    """Whether words alone may refute: there are enough, in a language that is known, so that no translation does."""
    return need.language is not None and len(need.words) >= _WORDS_THAT_DECIDE


def _supported_at_all(reading: Reading) -> bool:
    """Whether some known text fits a claim, or one without text might."""
    known = reading.known.evidence()
    if any(not source.texts for source in known):
        return True
    language, nothing, single = identify(reading.prose), Evidence([]), _Single(reading)
    claims = [s.text for s in reading.sentences if s.claims][:20]
    return any(single.best(needs(claim, language, nothing), []) is not None for claim in claims)
