"""A prediction of cite, read once: its markers, sentences, Sources sections, and what it may cite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..signatures.cite import CitedAnswer
from ..signatures.types import AccessScope, CitationRegistry, Convention, Passage, Violation
from ._cite_layout import Layout, layout
from ._cite_sentences import Sentence, sentences
from ._known_sources import KnownSources
from ._markers import Marker, MarkerReader, learnt, nfc
from ._sources_places import Place, section_places, without_sections
from ._sources_section import Entry, entries

MOST_REPORTED = 8  # violations of one code; a model can act on no more
_LONGEST_SPAN = 200
_FIELDS = tuple(CitedAnswer.model_fields)


class Reading(NamedTuple):
    """What the checks look at.

    Attributes:
        prediction: As parsed, ids in NFC.
        given: Its fields that were there.
        known: What may be cited.
        convention: The session's, or that of the first citation.
        text: The answer in NFC and its Markdown.
        prose: The same without code and Sources sections.
        markers: In order.
        sentences: In order.
        places: Of the Sources sections.
        sections: Their entries.
        cited: Ids in the order of their first citation.
    """

    prediction: CitedAnswer
    given: frozenset[str]
    known: KnownSources
    convention: Convention
    text: Layout
    prose: str
    markers: tuple[Marker, ...]
    sentences: tuple[Sentence, ...]
    places: tuple[Place, ...]
    sections: tuple[tuple[Entry, ...], ...]
    cited: tuple[str, ...]

    @property
    def listed(self) -> list[Entry]:
        """The entries of all sections."""
        return [entry for section in self.sections for entry in section]


def read(
    prediction: Any,
    registry: CitationRegistry,
    context: Sequence[Passage] | None,
    question: str,
    scope: AccessScope | None,
) -> Reading | Violation:
    """Read a prediction; an unusable one is an `unparsable` violation that names the field."""
    parsed = _parse(prediction)
    if isinstance(parsed, Violation):
        return parsed
    answer, given = parsed
    known = KnownSources(registry, context, scope)
    ids = frozenset(known.by_id)
    text = layout(nfc(answer.answer))
    documents = [question, *(t for s in known.by_id.values() for t in (s.title, *s.texts))]
    convention = registry.convention or learnt(text.prose, ids)
    markers = MarkerReader(ids, convention, documents).read(text)
    places = section_places(text.prose)
    prose = without_sections(text.prose, places)
    cited = tuple(dict.fromkeys(doc_id for marker in markers for doc_id in marker.ids))
    listed = entries(text.text, places, ids | set(cited))
    return Reading(
        answer, given, known, convention, text, prose, tuple(markers), tuple(sentences(text, prose, markers)),
        tuple(places), tuple(map(tuple, listed)), cited,
    )  # fmt: skip


def violation(code: str, message: str, span: str | None = None) -> Violation:
    """Return a violation whose span is short."""
    return Violation(code=code, message=message, span=span if span is None else span[:_LONGEST_SPAN])


def shown(text: str) -> str:
    """Return an id or a title as a message quotes it."""
    return "'" + " ".join(text[:_LONGEST_SPAN].split()) + "'"


def few(found: Sequence[Violation]) -> list[Violation]:
    """Return the violations without repetitions, at most `MOST_REPORTED` of a code."""
    counts: dict[str, int] = {}
    kept = list[Violation]()
    for one in dict.fromkeys((v.code, v.message, v.span) for v in found):
        counts[one[0]] = counts.get(one[0], 0) + 1
        if counts[one[0]] <= MOST_REPORTED:
            kept.append(Violation(code=one[0], message=one[1], span=one[2]))
    return kept


def _parse(prediction: Any) -> tuple[CitedAnswer, frozenset[str]] | Violation:
    try:
        if isinstance(prediction, Mapping):
            fields = {name: prediction[name] for name in _FIELDS if name in prediction}
        elif isinstance(prediction, (str, bytes, int, float, list, tuple, type(None))):
            return _unparsable("the prediction", f"it is a {type(prediction).__name__} and not an object with fields")
        else:
            fields = {name: getattr(prediction, name, None) for name in _FIELDS}
        fields = {name: value for name, value in fields.items() if value is not None}
        if not isinstance(fields.get("citation_consistency_check", ""), str):
            del fields["citation_consistency_check"]  # a claim that nobody reads
        parsed = CitedAnswer.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return _unparsable("field `" + ".".join(map(str, first["loc"])) + "`", first["msg"])
    except Exception as error:  # a foreign object may raise anything from its attributes
        return _unparsable("the prediction", type(error).__name__)
    if not any(c.isprintable() and not c.isspace() for c in parsed.answer):
        return _unparsable("field `answer`", "it is empty")
    parsed = parsed.model_copy(
        update={
            "sources": tuple(
                s.model_copy(update={"doc_id": nfc(s.doc_id), "title": nfc(s.title)}) for s in parsed.sources
            ),
            "new_citations": tuple(map(nfc, parsed.new_citations)),
            "reused_citations": tuple(map(nfc, parsed.reused_citations)),
        }
    )
    return parsed, frozenset(fields)


def _unparsable(place: str, reason: str) -> Violation:
    return violation("unparsable", f"The prediction cannot be read at {place}: {reason[:200]}.")
