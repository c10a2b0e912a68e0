"""The soft measure of cite: registered sources that bear a claim out and were passed over (design 6, rule 8)."""

from __future__ import annotations

from collections.abc import Iterator

from ._cite_reading import Reading
from ._known_sources import KnownSource
from ._language import identify
from ._support import Evidence, Needs, fit, needs

_BORNE_OUT = 0.8  # share of content words; high, since a second opinion is no fault
_WORDS_THAT_DECIDE = 3
_MOST_CLAIMS = 60
_MOST_SOURCES = 200


def passed_over(reading: Reading, question: str) -> tuple[list[str], float]:
    """Return the registered ids that bear out a claim which cites none, and the share of claims without that fault.

    Claims that no registered source bears out do not count; the share is 1.0 when there is no other. An answer that
    cites a new document for what the session has cited before makes the reader compare two sources that say the same.
    """
    registered = list(_registered(reading))
    if not registered:
        return [], 1.0
    given, language = Evidence([question]), identify(reading.prose)
    missed, claims, faults = dict[str, None](), 0, 0
    for sentence in [s for s in reading.sentences if s.claims][:_MOST_CLAIMS]:
        need = needs(sentence.text, language, given)
        fitting = [s.doc_id for s, text in registered if _decides(need) and fit(need, text).holds(_BORNE_OUT)]
        if not fitting:
            continue
        claims += 1
        cited = {i for marker in sentence.markers for i in marker.ids}
        if not any(source.doc_id in cited for source, _ in registered):
            faults += 1
            missed |= dict.fromkeys(fitting)
    return list(missed), 1 - faults / claims if claims else 1.0


def _registered(reading: Reading) -> Iterator[tuple[KnownSource, Evidence]]:
    for source in reading.known.evidence()[:_MOST_SOURCES]:
        if source.registered and source.texts:
            yield source, Evidence([source.title, *source.texts])


def _decides(need: Needs) -> bool:
    """Whether a claim says enough to be told from another: a number, a name, or a few words."""
    return bool(need.numbers or need.names or len(need.words) >= _WORDS_THAT_DECIDE)
