"""What a search of a turn gave, and what the application has to know of it."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import InputError, RetrievalError
from ..events import mask_secrets
from ..retrieval import Verified
from ..signatures.types import Notice, OpenQuestion, Passage
from .search import without_contradicting
from .tallied import Tallied
from .work import Done


class Searched(NamedTuple):
    """What one search gave.

    Attributes:
        passages: What may be offered as evidence; None when the search failed.
        dropped: The retriever's ids of passages that assert what its question rules out.
    """

    passages: tuple[Passage, ...] | None
    dropped: tuple[str, ...] = ()


def found_now(done: Done, tallied: Tallied) -> Searched:
    """Return what was found for the question of now; what still contradicts it is offered, with a warning."""
    tallied.step(done._replace(error=None))
    if not isinstance(done.value, Verified):
        tallied.warn([Notice(code="retrieval_failed", message=f"The search failed ({_cause(done)}).")])
        return Searched(None)
    tallied.warn(done.value.warnings)
    return _searched(done.value)


def found_again(done: Done, question: OpenQuestion, tallied: Tallied) -> Searched:
    """Return what was found for an open question; what still contradicts it closes nothing, and is warned of."""
    tallied.step(done._replace(error=None))
    asked = f"open question: {question.question}"
    if not isinstance(done.value, Verified):
        message = f"The search failed ({_cause(done)}), and no attempt is counted, for the {asked}"
        tallied.warn_of_open([Notice(code="retrieval_failed", message=message)])
        return Searched(None)
    told = [
        Notice(code=notice.code, message=f"{notice.message} It does not close the {asked}")
        for notice in done.value.warnings
    ]
    tallied.warn_of_open(told)
    return _searched(without_contradicting(done.value))


def _searched(found: Verified) -> Searched:
    kept = {passage.doc_id for passage in found.passages}
    return Searched(found.passages, tuple(p.doc_id for p in found.dropped if p.doc_id not in kept))


def _cause(done: Done) -> str:
    """Return the class of what a search raised, and what is wrong with what the application passed.

    Messages of foreign code may quote keys, queries or addresses.
    """
    error = done.error
    if isinstance(error, RetrievalError) and error.raised:
        return error.raised
    name = type(error).__name__
    return f"{name}: {mask_secrets(str(error))}" if isinstance(error, InputError) else name
