"""After the search: passages that assert what the user ruled out are dropped, and searched for once more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from ..signatures.expand import Clause
from ..signatures.types import Exclusion, Notice, Passage
from ._asking import asked
from ._stripping import without
from .request import MAX_K, Retriever, SearchRequest

CONTRADICTING = "contradicting_passage"
OVERFETCH = 3
"""Times `k` that the first search asks for, so that dropped passages have successors that nobody had to filter."""


class Contradicted(Protocol):
    """What a contradiction check says of one passage; see `metrics/_contradictions.py`."""

    @property
    def doc_id(self) -> str:
        """The passage's document."""

    @property
    def phrase(self) -> str:
        """What was excluded."""


Contradictions = Callable[[Sequence[Passage], Sequence[Exclusion]], Sequence[Contradicted]]


class Verified(NamedTuple):
    """The passages of a turn.

    Attributes:
        passages: At most `k`: the clean ones, then what still contradicts an exclusion after the stricter search.
        dropped: Passages that contradict an exclusion and are not among `passages`.
        requeried: Whether the index was asked a second time.
        warnings: A `contradicting_passage` for each of the passages that still contradict.
    """

    passages: tuple[Passage, ...]
    dropped: tuple[Passage, ...]
    requeried: bool
    warnings: tuple[Notice, ...]


def search_verified(
    retriever: Retriever,
    request: SearchRequest,
    exclusions: Sequence[Exclusion],
    contradictions: Contradictions | None = None,
) -> Verified:
    """Search, drop what contradicts the exclusions, and search once more with a hard filter when too few are left.

    The first search is not told of these exclusions on body text, unless its mode is "filter": the check reads what is
    said of them, while demotion by keyword sinks the passages that say "no drawers" with those that have drawers
    (`benchmarks/retrieval_exclusions.py`). Exclusions on a metadata field always hold.

    Args:
        retriever: Any engine.
        request: The search of this turn.
        exclusions: The session's state; revoked ones are ignored.
        contradictions: The check; the one of `metrics` by default.

    Raises:
        RetrievalError: The retriever raised, in whatever way, or returned no passages.
    """
    check = contradictions or _default_check()
    active = tuple(exclusion for exclusion in exclusions if exclusion.status == "active")
    first = _unique(asked(retriever.search, _wider(request, active) if active else request))
    flagged = _flagged(first, active, check)
    clean = [passage for n, passage in enumerate(first) if n not in flagged]
    if not flagged or len(clean) >= request.k:
        return Verified(tuple(clean[: request.k]), tuple(first[n] for n in flagged), False, ())
    seen = {_identity(passage) for passage in clean}
    second = _unique(asked(retriever.search, _stricter(request, active, len(flagged))))
    again = _flagged(second, active, check)
    clean += [p for n, p in enumerate(second) if n not in again and _identity(p) not in seen]
    remaining = {n: phrase for n, phrase in again.items() if len(clean) < request.k}
    left = [second[n] for n in remaining][: max(0, request.k - len(clean))]
    kept = [*clean[: request.k], *left]
    keys = {_identity(passage) for passage in kept}
    dropped = _unique([*(first[n] for n in flagged), *(second[n] for n in again)])
    return Verified(
        passages=tuple(kept),
        dropped=tuple(passage for passage in dropped if _identity(passage) not in keys),
        requeried=True,
        warnings=tuple(_notice(second[n], phrase) for n, phrase in list(remaining.items())[: len(left)]),
    )


def _default_check() -> Contradictions:
    from ..metrics._contradictions import contradictions

    return contradictions


def _wider(request: SearchRequest, active: Sequence[Exclusion]) -> SearchRequest:
    """Return the request for more rows, without exclusions that the check sees to.

    Engines take out of the context what `must_not` names; as it goes here, the context has to be stripped here too.
    """
    named = [name for exclusion in active for name in (exclusion.phrase, *exclusion.aliases)]
    context = without(request.context, [*named, *(clause.phrase for clause in request.query.must_not)])
    seen_to = {name.casefold() for name in named} if request.exclusion_mode == "demote" else set()
    kept = tuple(c for c in request.query.must_not if c.field is not None or c.phrase.casefold() not in seen_to)
    query = request.query.model_copy(update={"must_not": kept})
    return request.model_copy(update={"query": query, "context": context, "k": min(MAX_K, OVERFETCH * request.k)})


def _stricter(request: SearchRequest, active: Sequence[Exclusion], flagged: int) -> SearchRequest:
    """Return the request with a hard filter over every name of every exclusion, and room for what was dropped."""
    known = {(clause.phrase, clause.field) for clause in request.query.must_not}
    names = [(name, exclusion.field) for exclusion in active for name in (exclusion.phrase, *exclusion.aliases)]
    added = tuple(
        Clause(phrase=name, field=field) for name, field in dict.fromkeys(names) if (name, field) not in known
    )
    query = request.query.model_copy(update={"must_not": (*request.query.must_not, *added)})
    more = min(MAX_K, OVERFETCH * request.k + flagged)
    return request.model_copy(update={"query": query, "k": more, "exclusion_mode": "filter"})


def _flagged(passages: Sequence[Passage], active: Sequence[Exclusion], check: Contradictions) -> dict[int, str]:
    """Return the numbers of the passages that contradict, with the first phrase of each.

    A contradiction names a document; where several passages come from it, each is checked on its own.
    """
    if not active or not passages:
        return {}
    found = {contradiction.doc_id: contradiction.phrase for contradiction in reversed(check(passages, active))}
    ids = [passage.doc_id for passage in passages]
    flagged: dict[int, str] = {}
    for number, passage in enumerate(passages):
        if passage.doc_id not in found:
            continue
        own = check([passage], active) if ids.count(passage.doc_id) > 1 else ()
        if own or ids.count(passage.doc_id) == 1:
            flagged[number] = own[0].phrase if own else found[passage.doc_id]
    return flagged


def _identity(passage: Passage) -> tuple[str, str, str]:
    return passage.doc_id, passage.title, passage.text


def _unique(passages: Iterable[Passage]) -> list[Passage]:
    return list({_identity(passage): passage for passage in reversed(list(passages))}.values())[::-1]


def _notice(passage: Passage, phrase: str) -> Notice:
    said = f"Document {passage.doc_id!r} still asserts '{phrase}', which the user ruled out."
    return Notice(code=CONTRADICTING, message=said)
