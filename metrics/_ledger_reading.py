"""A prediction of carry_forward, read once and held against the ledger: which entry stands for which question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from ..signatures.carry_forward import CarriedForward, CurrentAnswer, ResolvedQuestion, UnresolvedQuestion
from ..signatures.types import Exclusion, OpenQuestion, Passage, Violation
from ._cite_reading import shown, violation
from ._ledger import Ledger, find, normal, with_ids
from ._ledger_words import Text, content
from ._predictions import read_prediction

Model = TypeVar("Model", bound=BaseModel)
_LISTS: dict[str, type[BaseModel]] = {
    "resolved_questions": ResolvedQuestion,
    "updated_unresolved_questions": UnresolvedQuestion,
}


class Resolving(NamedTuple):
    """An entry of `resolved_questions`, and the pending question that it answers; None for an unknown one."""

    given: ResolvedQuestion
    entry: OpenQuestion | None


class Carrying(NamedTuple):
    """An entry of `updated_unresolved_questions`, and the pending question that it carries.

    Attributes:
        given: As predicted.
        entry: The question of the ledger; None for the one of this turn, and for an unknown one.
        current: Whether it is the question of this turn.
        reworded: Whether only the id says which question it is.
    """

    given: UnresolvedQuestion
    entry: OpenQuestion | None
    current: bool
    reworded: bool = False


class Reading(NamedTuple):
    """What the checks look at.

    Attributes:
        ledger: Before the turn, with ids.
        had_ids: Whether each question came with an id, so that a model's can differ.
        answer: To the question of this turn.
        resolving: In order.
        carrying: In order.
        absent: Names of fields that were left out.
        recurs: The question of the ledger that the user asks again, or None.
    """

    ledger: Ledger
    had_ids: tuple[bool, ...]
    answer: CurrentAnswer
    resolving: tuple[Resolving, ...]
    carrying: tuple[Carrying, ...]
    absent: tuple[str, ...]
    recurs: OpenQuestion | None

    @property
    def resolved(self) -> list[str]:
        """Ids of the questions that are answered."""
        return [r.entry.question_id for r in self.resolving if r.entry is not None]

    @property
    def entering(self) -> UnresolvedQuestion | None:
        """The question of this turn where it stays open."""
        return next((c.given for c in self.carrying if c.current), None)

    def lost(self) -> Iterator[OpenQuestion]:
        """Yield the pending questions of which the prediction says nothing."""
        listed: list[Resolving | Carrying] = [*self.resolving, *self.carrying]
        seen = Counter(one.entry.question_id for one in listed if one.entry is not None)
        for entry in self.ledger:
            if entry.status == "pending" and not seen[entry.question_id]:
                yield entry


def read(
    prediction: Any,
    ledger: Sequence[OpenQuestion],
    question: str,
    standalone: str = "",
    exclusions: Sequence[Exclusion] | None = None,
    context: Sequence[Passage] | None = None,
) -> Reading | Violation:
    """Read a prediction; an unusable one is an `unparsable` violation that names the field.

    Of several questions in the same words an id tells which one is meant; without one, each is meant once, in order,
    but for an answer, which is meant for the one that it and the passages it cites have most words of.
    """
    absent = list[str]()
    parsed = read_prediction(_complete(prediction, absent), CarriedForward, none_is_absent=True)
    if isinstance(parsed, Violation):
        return parsed
    entries = with_ids(ledger)
    recurs = find(entries, question, standalone, exclusions)
    told = _Told(entries, parsed.updated_unresolved_questions, None if recurs is not None else normal(question))
    texts = {passage.doc_id: f"{passage.title} {passage.text}" for passage in context or ()}
    resolving = tuple(Resolving(given, told.resolved(given, texts)) for given in parsed.resolved_questions)
    carrying = tuple(told.carried(given) for given in parsed.updated_unresolved_questions)
    had = tuple(bool(entry.question_id) for entry in ledger)
    return Reading(entries, had, parsed.current_answer, resolving, carrying, tuple(absent), recurs)


class _Told:
    """Which question of the ledger each entry of a prediction means.

    Args:
        ledger: With ids.
        carried: Entries of the prediction that carry a question.
        now: The question of this turn in its normal form; None where it is one of the ledger.
    """

    def __init__(self, ledger: Ledger, carried: Iterable[UnresolvedQuestion], now: str | None) -> None:
        self._places: dict[str, list[OpenQuestion]] = {}
        for entry in ledger:
            if entry.status != "resolved":
                self._places.setdefault(normal(entry.question), []).append(entry)
        self._by_id = {entry.question_id: entry for entry in ledger if entry.status != "resolved"}
        self._now = now
        named = (self._named(given) for given in carried)
        self._meant = {entry.question_id for entry in named if entry is not None}  # by an id
        self._resolved, self._carried = set[str](), set[str]()

    def resolved(self, given: ResolvedQuestion, texts: Mapping[str, str]) -> OpenQuestion | None:
        """Return the question that an entry resolves, by the texts of passages; call in order, before `carried`."""
        entries = self._places.get(normal(given.question), [])
        free = [entry for entry in entries if not self._is_in(entry, self._meant, self._resolved)]
        if not free and self._is_now(given.question):
            return None
        if len(free) > 1:
            text = Text([given.answer, *(texts.get(doc_id, "") for doc_id in given.citations)])
            found: OpenQuestion | None = max(free, key=lambda entry: shared_words(entry, text))
        else:
            found = _last(free or entries)
        if found is not None:
            self._resolved.add(found.question_id)
        return found

    def carried(self, given: UnresolvedQuestion) -> Carrying:
        """Return what an entry carries; call in order."""
        entries = self._places.get(normal(given.question), [])
        found = self._named(given) or self._next(entries, self._is_now(given.question))
        if found is not None:
            self._carried.add(found.question_id)
            return Carrying(given, found, False)
        if self._is_now(given.question):
            return Carrying(given, None, True)
        named = self._by_id.get(given.question_id or "")
        return Carrying(given, named, False, reworded=named is not None)

    def _named(self, given: UnresolvedQuestion) -> OpenQuestion | None:
        """Return the question that has both the words and the id of an entry."""
        entry = self._by_id.get(given.question_id or "")
        return entry if entry is not None and normal(entry.question) == normal(given.question) else None

    def _next(self, entries: list[OpenQuestion], is_now: bool) -> OpenQuestion | None:
        """Return the question of these words that nothing else means; else the last one, or none for that of now."""
        free = [entry for entry in entries if not self._is_in(entry, self._meant, self._carried, self._resolved)]
        return free[0] if free else None if is_now else _last(entries)

    @staticmethod
    def _is_in(entry: OpenQuestion, *known: set[str]) -> bool:
        return any(entry.question_id in ids for ids in known)

    def _is_now(self, question: str) -> bool:
        return self._now is not None and normal(question) == self._now


def _last(entries: Sequence[OpenQuestion]) -> OpenQuestion | None:
    return entries[-1] if entries else None


def shared_words(entry: OpenQuestion, text: Text) -> int:
    """Return how many content words of a question's standalone form a text has."""
    return sum(text.touches(term, None) for term in content(entry.standalone_query))


def _complete(prediction: Any, absent: list[str]) -> Any:
    """Return a prediction as a mapping of known fields; what is left out gets a neutral value and is noted."""
    if isinstance(prediction, CarriedForward) or not _has_fields(prediction):
        return prediction
    try:
        answer = _field(prediction, "current_answer")
        fields = {"current_answer": _known(answer, CurrentAnswer)}
        if answer is None:
            absent.append("current_answer")
            fields["current_answer"] = {"status": "UNANSWERED"}
        elif _has_fields(answer) and _field(answer, "status") is None:
            absent.append("current_answer.status")
            fields["current_answer"] = {**fields["current_answer"], "status": "UNANSWERED"}
        for name, model in _LISTS.items():
            given = _field(prediction, name)
            if given is None:
                absent.append(name)
            elif isinstance(given, (list, tuple)):
                given = [_row(row, model, f"{name}.{n}", absent) for n, row in enumerate(given)]
            fields[name] = given
        return fields
    except Exception:  # a foreign object may raise anything from its attributes; the reader says which
        return None


def _row(row: Any, model: type[BaseModel], place: str, absent: list[str]) -> Any:
    known = _known(row, model)
    if not isinstance(known, dict):
        return known
    for name in ("question", "answer"):
        if name in model.model_fields and known.get(name) is None:
            absent.append(f"{place}.{name}")
            known[name] = ""
    return {name: value for name, value in known.items() if value is not None}


def _known(value: Any, model: type[BaseModel]) -> Any:
    """Return the fields of a value that its model knows; a model may add others, which nobody reads."""
    if not _has_fields(value):
        return value
    return {name: given for name in model.model_fields if (given := _field(value, name)) is not None}


def _has_fields(value: Any) -> bool:
    return not isinstance(value, (str, bytes, int, float, list, tuple, type(None)))


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def missing_fields(reading: Reading) -> Iterator[Violation]:
    """Yield the fields that are left out or blank."""
    for place in reading.absent:
        yield violation("missing_field", f"The field `{place}` is missing.", place)
    for number, carrying in enumerate(reading.carrying):
        if not any(c.isalnum() for c in carrying.given.missing_evidence):
            message = f"Say what evidence is missing for {shown(carrying.given.question)}."
            yield violation("missing_field", message, f"updated_unresolved_questions.{number}.missing_evidence")
    for number, resolving in enumerate(reading.resolving):
        if (
            not any(c.isalnum() for c in resolving.given.answer)
            and f"resolved_questions.{number}.answer" not in reading.absent
        ):
            yield violation(
                "missing_field", f"The answer to {shown(resolving.given.question)} is empty.",
                f"resolved_questions.{number}.answer",
            )  # fmt: skip
