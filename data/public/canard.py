"""CANARD: questions of QuAC conversations, each rewritten by a person so that it stands alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from ...signatures.types import Turn
from ._files import FileRow, Found, Place, objects
from ._rows import PublicSet, PublicTurn, distinct
from ._trimmed import alternating, is_trimmed, row_id, turn_of


class CanardRow(FileRow):
    """An object of the published files. The first two texts of `History` are the article's title and the section."""

    history: tuple[str, ...] = Field(min_length=2, validation_alias="History")
    dialog: str = Field(min_length=1, validation_alias="QuAC_dialog_id")
    question: str = Field(min_length=1, validation_alias="Question")
    number: int = Field(ge=1, validation_alias="Question_no")
    rewrite: str = Field(min_length=1, validation_alias="Rewrite")


def read(path: Path) -> Iterator[PublicTurn]:
    """Yield the turns of a published or trimmed file.

    The title and the section open the history as one user message ("Title: Section"), since nobody says them in the
    conversation and no question after the first can be resolved without them. A first question has no history.
    """
    return distinct(_published(f) if "QuAC_dialog_id" in f.raw else turn_of(f, _dialog) for f in objects(path))


def _published(found: Found) -> tuple[Place, PublicTurn]:
    row = found.fitted(CanardRow)
    title, section, *said = row.history
    history = (Turn(role="user", content=f"{title}: {section}"), *alternating(said)) if said else ()
    name = f"{row.dialog}#{row.number}"
    return found.place, PublicTurn(
        id=name, conversation=row.dialog, history=history, query=row.question, rewrite=row.rewrite
    )


def _dialog(name: str) -> str:
    return name.split("#")[0]


SET = PublicSet(
    name="canard",
    title="CANARD: Context Abstraction: Necessary Additional Rewritten Discourse",
    task="rewrite",
    provenance="Crowd workers' rewrites of the questions of QuAC dialogs about Wikipedia sections; University of "
    "Maryland, CANARD_Release.zip of the project's page (canard.qanta.org).",
    licence="CC BY-SA 4.0",
    citation="Elgohary, Peskov, Boyd-Graber: Can You Unpack That? Learning to Rewrite Questions-in-Context. EMNLP 2019",
    files={
        "train.json, dev.json, test.json": "a JSON array of {History, QuAC_dialog_id, Question, Question_no, Rewrite}",
        "trimmed *.jsonl": "{id: QuAC_dialog_id#Question_no, history: [{role, content}], query, human_rewrite} a line",
    },
    recognises=lambda raw: "QuAC_dialog_id" in raw or (is_trimmed(raw) and row_id(raw).startswith("C_")),
    read=read,
)
