"""The searches of a turn: for the question of now, and again for every question that is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..metrics._ledger_waiting import waits
from ..modules._cite_shown import with_shown_ids
from ..retrieval import Retriever
from ..sessions.state import SessionState
from ..signatures.types import CitationRegistry, Notice, OpenQuestion, Passage, Turn
from .asked import Asked, previous_question
from .search import SEARCH, Given, SearchSettings, request_again, request_of, search
from .searched import Searched, found_again, found_now
from .storable import storable
from .talk import Talk
from .tallied import Tallied
from .titles import with_known_titles
from .understand import Understood, plain_query
from .work import Flow, Work

NO_RETRIEVER = Notice(code="no_retriever", message="The conversation has no retriever, and no passages were passed.")


class Found(NamedTuple):
    """What the searches of a turn gave, under the ids that are cited.

    Attributes:
        passages: For the question of now; None when its search failed.
        dropped: The retriever's ids of passages that assert what the user ruled out, and were not offered for the
            question of now.
        again: For each open question by its id; None where it was not searched for, or its search failed.
        source_ids: Id as it is cited to the retriever's.
    """

    passages: tuple[Passage, ...] | None
    dropped: tuple[str, ...] = ()
    again: Mapping[str, tuple[Passage, ...] | None] = {}
    source_ids: Mapping[str, str] = {}

    @property
    def all(self) -> tuple[Passage, ...]:
        """Every passage, for the question of now first."""
        return (*(self.passages or ()), *(p for passages in self.again.values() for p in passages or ()))


def find(
    talk: Talk,
    asked: Asked,
    state: SessionState,
    history: Sequence[Turn],
    understood: Understood,
    registry: CitationRegistry,
    tallied: Tallied,
    *,
    wanted: bool = True,
) -> Flow[Found]:
    """Search for the question of now, where it is `wanted`, and for every pending one; all searches at once.

    Args:
        registry: With the convention that this turn has to keep; it decides under which id a passage is cited.
    """
    found = yield from searched(talk, asked, state, history, understood, tallied, wanted=wanted)
    return as_cited(found, registry)


def as_cited(found: Found, registry: CitationRegistry) -> Found:
    """Return what searches gave under the ids that a registry cites it by."""
    shown = with_shown_ids(registry, with_known_titles(registry, tuple(map(storable, found.all))), registry.convention)
    left = iter(shown.passages)
    now = None if found.passages is None else tuple(next(left) for _ in found.passages)
    again = {name: None if one is None else tuple(next(left) for _ in one) for name, one in found.again.items()}
    return Found(now, found.dropped, again, shown.source_ids)


def searched(
    talk: Talk,
    asked: Asked,
    state: SessionState,
    history: Sequence[Turn],
    understood: Understood,
    tallied: Tallied,
    *,
    wanted: bool,
) -> Flow[Found]:
    """Search as `find` does, and return what came under the retriever's own ids."""
    pending = [one for one in state.ledger if one.status == "pending"]
    if asked.passages is None:
        return Found(None, again={one.question_id: None for one in pending})
    # What names something that today's user may not see waits until it may be searched for again.
    barred = {one.question_id: None for one in pending if waits(one, asked.scope)}
    pending = [one for one in pending if one.question_id not in barred]
    found = yield from _all_searched(talk, asked, history, understood, tallied, wanted, pending)
    return found._replace(again={**found.again, **barred})


def _all_searched(
    talk: Talk,
    asked: Asked,
    history: Sequence[Turn],
    understood: Understood,
    tallied: Tallied,
    wanted: bool,
    pending: Sequence[OpenQuestion],
) -> Flow[Found]:
    retriever, settings = retriever_of(talk, asked)
    if retriever is None:
        tallied.warn([NO_RETRIEVER])
        return Found((), again={one.question_id: None for one in pending})
    work = [_again(retriever, asked, one, settings) for one in pending]
    searched_now = understood.searched if wanted else None
    if wanted and searched_now is None:
        work.insert(0, search_now(retriever, asked, history, understood, settings))
    done = (yield tuple(work)) if work else []
    now = done.pop(0) if len(done) > len(pending) else searched_now
    told = [found_again(result, one, tallied) for one, result in zip(pending, done, strict=True)]
    again = {one.question_id: each.passages for one, each in zip(pending, told, strict=True)}
    current = Searched(()) if now is None else found_now(now, tallied)
    offered = {passage.doc_id for passage in current.passages or ()}
    dropped = dict.fromkeys(name for each in (current, *told) for name in each.dropped if name not in offered)
    return Found(current.passages, tuple(dropped), again)


def retriever_of(talk: Talk, asked: Asked) -> tuple[Retriever | None, SearchSettings]:
    """Return what is searched: the application's passages as a whole, the turn's retriever, or the conversation's."""
    if asked.passages is SEARCH:
        return talk.retriever, talk.searching
    if isinstance(asked.passages, Retriever):
        return asked.passages, talk.searching
    many = max(1, len(asked.passages))
    return Given(asked.passages), talk.searching._replace(k=many, k_open=many)


def search_now(
    retriever: Retriever, asked: Asked, history: Sequence[Turn], understood: Understood, settings: SearchSettings
) -> Work:
    """Return the search for the question of now, as work."""
    request = request_of(
        understood.boolean or plain_query(understood),
        settings=settings,
        scope=asked.scope,
        filters=asked.filters,
        exclusions=understood.exclusions,
        context=previous_question(history),
    )
    return Work("retrieve", lambda: search(retriever, request, understood.exclusions), about=understood.standalone)


def _again(retriever: Retriever, asked: Asked, question: OpenQuestion, settings: SearchSettings) -> Work:
    request = request_again(question, settings=settings, scope=asked.scope, filters=asked.filters)
    return Work("retrieve_open", lambda: search(retriever, request, question.exclusions), about=question.question)
