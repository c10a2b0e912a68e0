"""What `turnkeeper demo` is shown with: own words, invented names, facts that a small model can read.

`conversation` is the talk of the reformulate demo, with replies as given. `corpus` and `talk` are a visitors' guide to
an island and a conversation of twelve turns over it that shows each debt: reference, exclusion, citation, open
question, and the access scope that binds them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files
from typing import Any, Literal

from ..signatures.types import AccessScope, Frozen, Passage
from ._jsonl import lines, parse_object
from .conversation import ConversationRow
from .rows import read_strict

SCOPE = AccessScope(allowed={"audience": ["public"]}, restricted_terms=["Project Kestrel"])
"""What the visitor of `talk` may see."""


class DemoTurn(Frozen):
    """One turn: the user's words, the assistant's reply that is taken as given, and what the turn shows."""

    user: str
    assistant: str
    shows: str
    access_scope: AccessScope | None = None


class Expectations(Frozen):
    """What can be checked on the trace of a turn; None where nothing is expected.

    The names say it: `standalone_*` of the standalone query, `answer_*` of the text shown, `cites_*` and `*_citations`
    of ids, `ledger_*` of the questions that are open after the turn, `warns` of warning codes. Texts compare without
    case.
    """

    standalone_contains: tuple[str, ...] | None = None
    standalone_contains_any: tuple[str, ...] | None = None
    standalone_not_contains: tuple[str, ...] | None = None
    standalone_equals_user: bool | None = None
    negation_constraints: tuple[str, ...] | None = None
    answer_contains_all: tuple[str, ...] | None = None
    answer_not_contains: tuple[str, ...] | None = None
    cites_all: tuple[str, ...] | None = None
    cites_none: bool | None = None
    not_cites: tuple[str, ...] | None = None
    new_citations_count: int | None = None
    reused_citations: tuple[str, ...] | None = None
    ledger_open_count: int | None = None
    ledger_open_contains: tuple[str, ...] | None = None
    status: str | None = None
    warns: tuple[str, ...] | None = None


class DemoStep(Frozen):
    """One step of `talk`: what the user says, or what happens in between.

    Attributes:
        shows: What there is to see.
        user: The user's words, or None for an event.
        kind: What kind of turn it is, as `metrics` tells kinds apart.
        standalone: A good standalone query.
        answer: A good answer without its Sources section; empty where code makes it.
        expect: What must be so after the turn, in the keys of `Expectations`.
        event: What happens: a document comes in, or turns about something else pass.
        doc_id: The document.
        count: The number of such turns.
        text: What they are about.
    """

    shows: str
    user: str | None = None
    kind: Literal["question", "about_ledger", "about_answer"] | None = None
    standalone: str = ""
    answer: str = ""
    expect: Expectations | None = None
    event: Literal["add_doc", "filler_turns"] | None = None
    doc_id: str | None = None
    count: int | None = None
    text: str | None = None


def conversation() -> Iterator[DemoTurn]:
    """Yield the turns of the reformulate demo in order."""
    yield from _rows("conversation", DemoTurn)


def corpus() -> tuple[Passage, ...]:
    """Return the guide: short passages, each with the audience it is for."""
    return tuple(_rows("passages", Passage, with_id=False))


def talk() -> tuple[DemoStep, ...]:
    """Return the conversation over the guide, events included, in order."""
    return tuple(_rows("talk", DemoStep))


def row() -> ConversationRow:
    """Return corpus and talk as a row of `run conversation`, every turn left to the retriever."""
    steps: list[dict[str, Any]] = []
    for step in talk():
        if step.user is not None:
            expect = step.expect.model_dump(exclude_none=True) if step.expect else None
            steps.append({"user": step.user, "expect": expect})
        else:
            fields = {"event": step.event, "doc_id": step.doc_id, "count": step.count, "text": step.text}
            steps.append({name: value for name, value in fields.items() if value is not None})
    return ConversationRow.model_validate({"passages": corpus(), "turns": steps, "access_scope": SCOPE})


def failures(step: DemoStep, trace: dict[str, Any]) -> list[str]:
    """Return which expectations of a step a turn's trace does not meet, each as "name: wanted ...".

    Args:
        step: A step with the user's words.
        trace: The turn as `run conversation` writes it.
    """
    wanted = step.expect.model_dump(exclude_none=True) if step.expect else {}
    return [f"{name}: wanted {value!r}" for name, value in wanted.items() if not _holds(name, value, step, trace)]


def _holds(name: str, value: Any, step: DemoStep, trace: dict[str, Any]) -> bool:
    if name.startswith(("standalone_contains", "standalone_not", "answer_")):
        text = str(trace["standalone_query" if name.startswith("standalone") else "answer"]).casefold()
        found = [one.casefold() in text for one in value]
        return not any(found) if "_not_" in name else any(found) if name.endswith("_any") else all(found)
    open_ = [one["question"] for one in trace["open_questions"]]
    is_now = {
        "standalone_equals_user": trace["standalone_query"] == step.user,
        "negation_constraints": tuple(trace["negation_constraints"]),
        "cites_none": not trace["cited"],
        "new_citations_count": len(trace["new_citations"]),
        "ledger_open_count": len(open_),
        "status": trace["status"],
    }
    if name in is_now:
        return bool(is_now[name] == value)
    held = {
        "reused_citations": trace["reused_citations"],
        "ledger_open_contains": open_,
        "warns": [warning["code"] for warning in trace["warnings"]],
    }.get(name, trace["cited"])
    return set(value).isdisjoint(held) if name == "not_cites" else set(value) <= set(held)


def _rows(name: str, model: type[Any], *, with_id: bool = True) -> Iterator[Any]:
    with as_file(files(__name__.rpartition(".")[0]) / "demo" / f"{name}.jsonl") as path:
        if with_id:
            for one in read_strict(path, model):
                yield one.data
            return
        with path.open("rb") as file:
            for _, line in lines(file):
                yield model.model_validate(parse_object(line))
