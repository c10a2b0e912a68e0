"""Whether an answer is borne out by what it cites, and whether a passage answers what was left open (section 7)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from ..signatures.types import AccessScope, CitationRegistry, OpenQuestion, Passage
from ._abstention import denies, denies_in_own_voice, holds_abstention
from ._cite_reading import shown
from ._claim_words import is_claim
from ._known_sources import KnownSource, KnownSources, nfc
from ._language import identify
from ._ledger_words import Text, asks_for_what, asks_quantity, content, distinctive, negates, parts
from ._sources_places import section_places, without_sections
from ._speech_act import ends_as_question
from ._support import Evidence, fit, needs

_SHARE = 0.2  # share of content words under which an answer of some length has nothing of its sources, as in cite
_WORDS_THAT_DECIDE = 3
_MOST_SOURCES = 40  # cited by one answer
_LONGEST = 20_000  # characters of an answer
_TAGGED = re.compile(r"\[Source:\s?([^\[\]\n]{1,300})\]")
_BRACKETS = re.compile(r"\[[^\[\]\n]{1,300}\]")
_SENTENCE = re.compile(r"[^.!?\n\u3002\uff01\uff1f]+(?:[.!?\u3002\uff01\uff1f]+|\n|$)")
_YES_NO = re.compile(
    r"\A\W*(?:yes|no|ja|nein|doch|oui|non|si|s\u00ed|s\u00ec|sim|n\u00e3o|nee|tak|nie)\b[\s,.:;!]*", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s*[;,\uff0c\uff1b]\s*")


class CitedText:
    """This turn's evidence: what may be cited, each text read once.

    Args:
        context: This turn's passages; None when the retrieval failed.
        registry: Sources of earlier turns, whose stored text is evidence too.
        scope: Today's; what lies outside it is no evidence.
    """

    def __init__(
        self, context: Sequence[Passage] | None, registry: CitationRegistry | None, scope: AccessScope | None
    ) -> None:
        self.known = KnownSources(registry or CitationRegistry(), context, scope)
        self._texts: dict[str, Text] = {}
        self._evidence: dict[str, Evidence] = {}

    def usable(self, doc_id: str) -> bool:
        """Whether an id names a document whose text may be evidence."""
        source = self.known.by_id.get(nfc(doc_id))
        return source is not None and not source.hidden

    def texts(self, ids: Collection[str]) -> list[Text]:
        """Return the texts of some documents."""
        return [self._text(self.known.by_id[nfc(i)]) for i in list(ids)[:_MOST_SOURCES] if self.usable(i)]

    def retrieved(self) -> Iterator[tuple[KnownSource, Text]]:
        """Yield every document that this turn found, with its text."""
        for source in self.known.evidence():
            if source.retrieved:
                yield source, self._text(source)

    def evidence(self, ids: Collection[str]) -> list[Evidence]:
        """Return the texts of some documents for the check of support; none where one has no stored text."""
        sources = [self.known.by_id[nfc(i)] for i in list(ids)[:_MOST_SOURCES] if self.usable(i)]
        if any(not source.texts for source in sources):
            return []
        for source in sources:
            if source.doc_id not in self._evidence:
                self._evidence[source.doc_id] = Evidence([source.title, *source.texts])
        return [self._evidence[source.doc_id] for source in sources]

    def _text(self, source: KnownSource) -> Text:
        if source.doc_id not in self._texts:
            self._texts[source.doc_id] = Text([source.title, *source.texts])
        return self._texts[source.doc_id]


class Answer:
    """An answer without its markers and Sources section, and what it cites."""

    def __init__(self, question: str, text: str, citations: Sequence[str]) -> None:
        self.question = question
        self.written = nfc(text[:_LONGEST])
        self.citations = tuple(dict.fromkeys(map(nfc, citations)))

    @cached_property
    def plain(self) -> str:
        """Its words."""
        if "\n" not in self.written and "[" not in self.written:
            return self.written.strip()
        body = without_sections(self.written, section_places(self.written))
        for doc_id in self.citations[:_MOST_SOURCES]:
            if "[" in doc_id or "]" in doc_id:  # the pattern below takes the others
                body = body.replace(f"[Source: {doc_id}]", " ").replace(f"[{doc_id}]", " ")
        return _BRACKETS.sub(" ", body).strip()

    @cached_property
    def tagged(self) -> tuple[str, ...]:
        """Ids in its `[Source: ...]` markers."""
        body = self.written
        for doc_id in self.citations[:_MOST_SOURCES]:
            body = body.replace(f"[Source: {doc_id}]", " ")
        found = (part for m in _TAGGED.finditer(body) for part in _BETWEEN.split(m[1].strip()))
        return tuple(dict.fromkeys(part for part in found if part))

    @cached_property
    def words(self) -> Text:
        return Text([self.plain])

    @cached_property
    def language(self) -> str | None:
        return identify(self.question)

    @cached_property
    def denied(self) -> bool:
        """Whether it says that nothing was found, and nothing else."""
        if holds_abstention(self.plain):
            return True
        said = [s for s in _SENTENCE.findall(self.plain[:2_000]) if any(c.isalnum() for c in s)]
        # "The lease does not mention a fee" may answer whether it does; it never says when or how much.
        may_answer = (
            bool(self.citations) and not asks_for_what(self.question) and not denies_in_own_voice(" ".join(said))
        )
        return bool(said) and all(denies(s) for s in said) and not may_answer

    @cached_property
    def claims(self) -> bool:
        """Whether it states a fact."""
        said = [s for s in _SENTENCE.findall(self.plain[:2_000]) if any(c.isalnum() for c in s)]
        return any(is_claim(s.strip()) for s in said)


def ungrounded(answer: Answer, cited: CitedText) -> str | None:
    """Return why an answer is not grounded, as the end of a sentence, or None when nothing speaks against it."""
    if not answer.citations:
        return "it cites nothing; name the passage that says it"
    strange = next((i for i in (*answer.citations, *answer.tagged) if not cited.usable(i)), None)
    if strange is not None:
        return f"{shown(strange)} is none of the passages of this turn"
    if not any(c.isalnum() for c in answer.plain):
        return "it says nothing"
    if answer.denied:
        return "it says that nothing was found"
    return _unsupported(answer, cited)


def _unsupported(answer: Answer, cited: CitedText) -> str | None:
    evidence = cited.evidence(answer.citations)
    if not evidence:
        return None  # a registered source without a stored text refutes nothing
    need = needs(_YES_NO.sub("", answer.plain, count=1), identify(answer.plain), Evidence([answer.question]))
    fits = [fit(need, one) for one in evidence]
    lacking = set(fits[0].missing).intersection(*(f.missing for f in fits[1:]))
    names = " and ".join(map(shown, answer.citations[:4]))
    if lacking:
        told = ", ".join(text for text in fits[0].missing if text in lacking)[:200]
        return f"{names} does not say {told}"
    same = need.language is not None and all(one.language == need.language for one in evidence)
    if same and len(need.words) >= _WORDS_THAT_DECIDE and sum(f.share for f in fits) < _SHARE:
        return f"{names} does not say this"
    return None


def shares_words(answer: Answer, cited: CitedText, *others: str) -> bool:
    """Whether an answer or what it cites shares a content word with its question, or with another wording of it.

    True for a question without content words, and where question and evidence are in two languages.
    """
    texts = [answer.words, *cited.texts(answer.citations)]
    asked = [content(answer.question), *(content(other) for other in others)]
    if not asked[0]:
        return True
    if any(text.touches(term, answer.language) for terms in asked for term in terms for text in texts):
        return True
    return other_language(answer, cited)


def other_language(answer: Answer, cited: CitedText) -> bool:
    spoken = answer.language
    read = {one.language for one in cited.evidence(answer.citations)} - {None}
    return spoken is not None and bool(read) and spoken not in read and identify(answer.plain) != spoken


def answering(entry: OpenQuestion, cited: CitedText) -> bool:
    """Whether one passage of this turn holds every content word of a pending question, and a date or number if it asks.

    They stand in two sentences side by side, the title aside: far apart they are about different things. Sentences that
    are questions, say that nothing is known, or deny what was asked without denial answer nothing (a yes-or-no question
    is answered by a denial); nor does a passage about what the user had ruled out.
    """
    question = entry.standalone_query or entry.question  # "and the south one?" names nothing that could be found
    terms = content(question)
    existence = question.lower().startswith(("is there", "are there", "gibt es", "hay ", "y a-t-il"))
    if len(terms) < 2 and not (terms and (existence or asks_quantity(question))):
        return False
    if len(joined := parts(question)) > 1 and len(joined) > len(distinctive(question)):
        return False  # of "and who does it?" no word could be looked for
    language = identify(question)
    asked = {term.key for term in terms}
    quantity, negated = asks_quantity(question), negates(question)
    for source, text in cited.retrieved():
        if not all(text.has(term, language) for term in terms):
            continue
        for window in _windows(source, may_deny=negated or not asks_for_what(question)):
            said = Text(window)
            if (
                all(said.has(term, language) for term in terms)
                and (not quantity or said.quantity(asked, question))
                and (not negated or said.vocabulary.holds_negation())
                and not any(_names(said, e.phrase) for e in entry.exclusions if e.status == "active")
            ):
                return True
    return False


def _windows(source: KnownSource, *, may_deny: bool) -> Iterator[list[str]]:
    """Yield the title with two sentences side by side that tell something, for all of them in order."""
    for body in source.texts:
        said = [s for s in _SENTENCE.findall(body) if any(c.isalnum() for c in s)]
        told = [s for s in said if not ends_as_question(s) and not denies(s) and (may_deny or not negates(s))]
        for n in range(max(1, len(told) - 1) if told else 0):
            yield [source.title, *told[n : n + 2]]


def _names(text: Text, phrase: str) -> bool:
    words = content(phrase)
    return bool(words) and all(text.has(term, None) for term in words)
