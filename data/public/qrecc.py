"""QReCC: questions of TREC CAsT, QuAC and Natural Questions conversations, rewritten by people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from ._files import FileRow, Found, Place, objects
from ._rows import PublicSet, PublicTurn, distinct
from ._trimmed import alternating, turn_of


class QreccRow(FileRow):
    """An object of the published files; `Context` alternates between questions and answers."""

    context: tuple[str, ...] = Field(validation_alias="Context")
    question: str = Field(min_length=1, validation_alias="Question")
    rewrite: str = Field(validation_alias="Rewrite")
    conversation: int = Field(validation_alias="Conversation_no")
    turn: int = Field(ge=1, validation_alias="Turn_no")


def read(path: Path) -> Iterator[PublicTurn]:
    """Yield the turns of a published file, or of one in the trimmed JSONL; an empty rewrite counts as none."""
    return distinct(_published(f) if "Conversation_no" in f.raw else turn_of(f, _conversation) for f in objects(path))


def _published(found: Found) -> tuple[Place, PublicTurn]:
    row = found.fitted(QreccRow)
    name = str(row.conversation)
    return found.place, PublicTurn(
        id=f"{name}_{row.turn}", conversation=name, history=alternating(list(row.context)), query=row.question,
        rewrite=row.rewrite or None,
    )  # fmt: skip


def _conversation(name: str) -> str:
    return name.rpartition("_")[0] or name


SET = PublicSet(
    name="qrecc",
    title="QReCC: Question Rewriting in Conversational Context",
    task="rewrite",
    provenance="14,000 conversations, 81,000 question-answer pairs; questions from TREC CAsT, QuAC and Natural "
    "Questions; Apple, repository apple/ml-qrecc.",
    licence="CC BY-SA 3.0",
    citation="Anantha, Vakulenko, Tu, Longpre, Pulman, Chappidi: Open-Domain Question Answering Goes Conversational "
    "via Question Rewriting. NAACL 2021",
    files={
        "qrecc_train.json, qrecc_test.json": "a JSON array of {Context: [question, answer, …], Question, Rewrite, "
        "Answer, Answer_URL, Conversation_no, Turn_no, Conversation_source}",
        "trimmed *.jsonl": "{id: Conversation_no_Turn_no, history: [{role, content}], query, human_rewrite} a line; "
        "with `--set qrecc`, since nothing in it names the set",
    },
    recognises=lambda raw: "Conversation_no" in raw,
    read=read,
)
