"""What may be cited: documents of the registry and of this turn's passages, by id, and ids that are nearly theirs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from ..signatures.types import AccessScope, CitationRegistry, Passage
from ._evidence_scope import in_scope

_DIGITS = re.compile(r"\d+")
_SHORTEST_CONTAINED = 3  # letters of an id that another may contain by chance
_MOST_COMPARED = 2_000  # known ids that an unknown one is compared with letter by letter


class KnownSource(NamedTuple):
    """A document that may be cited.

    Attributes:
        doc_id: As it is cited, in NFC.
        title: The registry's, else the passage's.
        texts: What is stored of it and what was found this turn; empty when neither says anything.
        registered: Whether the registry holds it.
        retrieved: Whether this turn found it.
        hidden: Whether its text is no evidence: withdrawn, or out of today's scope.
        other_titles: Titles under which the same id stands elsewhere.
        source_id: The retriever's id.
    """

    doc_id: str
    title: str
    texts: tuple[str, ...]
    registered: bool
    retrieved: bool
    hidden: bool
    other_titles: tuple[str, ...]
    source_id: str


class KnownSources:
    """The documents by id, in the order registry, passages."""

    def __init__(
        self,
        registry: CitationRegistry,
        context: Sequence[Passage] | None,
        scope: AccessScope | None = None,
    ) -> None:
        """Bring registry and passages together.

        Args:
            registry: The session's.
            context: This turn's passages; None when retrieval failed.
            scope: Today's; a registered document outside it stays known and is no evidence, a passage outside it was
                never given.
        """
        self.by_id: dict[str, KnownSource] = {}
        self.withheld: set[str] = set()  # ids that this user may not be shown
        for entry in registry.entries:
            doc_id = nfc(entry.doc_id)
            own = (entry.doc_id, entry.source_id)
            away = entry.withdrawn or not in_scope(scope, entry.metadata, own, entry.title, entry.snippet)
            texts = (entry.snippet,) if entry.snippet.strip() and not away else ()
            source_id = nfc(entry.source_id or entry.doc_id)
            if away:
                self.withheld |= {doc_id, source_id}
            self.by_id.setdefault(doc_id, KnownSource(doc_id, entry.title, texts, True, False, away, (), source_id))
        found: dict[str, list[Passage]] = {}
        for passage in context or ():
            if not in_scope(scope, passage.metadata, (passage.doc_id,), passage.title, passage.text):
                self.withheld.add(nfc(passage.doc_id))
                continue
            found.setdefault(nfc(passage.doc_id), []).append(passage)
        for doc_id, passages in found.items():
            self.by_id[doc_id] = _joined(doc_id, self.by_id.get(doc_id), passages)
        self.withheld -= {i for s in self.by_id.values() if not s.hidden for i in (s.doc_id, s.source_id)}

    def __contains__(self, doc_id: str) -> bool:
        return doc_id in self.by_id

    def evidence(self) -> list[KnownSource]:
        """Return the documents whose text may support a claim, those without stored text included."""
        return [source for source in self.by_id.values() if not source.hidden]

    def near(self, doc_id: str) -> KnownSource | None:
        """Return the known document that an unknown id was probably meant for, or None.

        The same letters and digits in another spelling, the retriever's id in place of the shown one, one letter
        mistyped, or a longer or shorter id that begins or ends where the known one does. Numbers never differ: "pc-009"
        and "pc-010" are two documents.
        """
        if (known := self._by_spelling.get(_squashed(doc_id))) is not None:
            return known
        if doc_id.isdecimal():
            ends = re.compile(rf"\D.*[\W_]0*{int(doc_id[:9])}", re.DOTALL)
            return next((s for s in list(self.by_id.values())[:_MOST_COMPARED] if ends.fullmatch(s.doc_id)), None)
        numbers = [n.lstrip("0") for n in _DIGITS.findall(doc_id)]
        for known in list(self.by_id.values())[:_MOST_COMPARED]:
            if _contains(doc_id, known.doc_id) or _contains(known.doc_id, doc_id):
                return known
            same = [n.lstrip("0") for n in _DIGITS.findall(known.doc_id)] == numbers
            if same and len(doc_id) > 4 and _one_letter_apart(_squashed(doc_id), _squashed(known.doc_id)):
                return known
        return None

    @cached_property
    def _by_spelling(self) -> dict[str, KnownSource]:
        spelled: dict[str, KnownSource] = {}
        for source in self.by_id.values():
            spelled.setdefault(_squashed(source.doc_id), source)
        for source in self.by_id.values():
            spelled.setdefault(_squashed(source.source_id), source)
        spelled.pop("", None)
        return spelled


def nfc(text: str) -> str:
    """Return an id as it compares: NFC, nothing else folded."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def title_key(title: str) -> str:
    """Return a title as it compares: case and white space do not count."""
    return " ".join(nfc(title).casefold().split())


def same_title(one: str, other: str) -> bool:
    """Whether two titles are one."""
    return title_key(one) == title_key(other)


def _joined(doc_id: str, known: KnownSource | None, passages: Sequence[Passage]) -> KnownSource:
    away = known is not None and known.hidden
    texts = () if away else tuple(p.text for p in passages if p.text.strip())
    titles = list(dict.fromkeys(p.title for p in passages if p.title.strip()))
    title = (known.title if known else "") or (titles[0] if titles else "")
    others = tuple(t for t in titles if not same_title(t, title))
    stored = known.texts if known else ()
    source_id = known.source_id if known else doc_id
    return KnownSource(doc_id, title, (*texts, *stored), known is not None, True, away, others, source_id)


def _squashed(doc_id: str) -> str:
    """An id without case, white space and punctuation, and its numbers without leading zeros."""
    low = unicodedata.normalize("NFKC", doc_id).casefold()
    kept = "".join(c for c in low if c.isalnum())
    return re.sub(r"(?<!\d)0+(?=\d)", "", kept)


def _contains(longer: str, shorter: str) -> bool:
    """Whether an id continues another at either end, with no number or word cut in two by it."""
    if len(shorter) < _SHORTEST_CONTAINED or len(longer) <= len(shorter) or shorter.isdigit():
        return False
    if longer.startswith(shorter):
        return not (shorter[-1].isdigit() and longer[len(shorter)].isdigit())
    if longer.endswith(shorter):
        return not (shorter[0].isalnum() and longer[-len(shorter) - 1].isalnum())
    return False


def _one_letter_apart(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1 or len(one) > 300:
        return False
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    return one[at + 1 :] in (other[at + 1 :], other[at:]) or one[at:] == other[at + 1 :]
