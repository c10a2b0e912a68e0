"""A second behaviour, small and whole: on which shelf an item goes. It shares with reformulate the seams alone."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dspy
from dspy.lm15 import Request
from pydantic import Field

from turnkeeper.behaviours import Behaviour, Column, Shown
from turnkeeper.data import _golden
from turnkeeper.data.rows import Row
from turnkeeper.errors import InputError, RowError
from turnkeeper.modules._guard import Outcome
from turnkeeper.signatures.types import Frozen, GuardedResult, Notice, Violation

from ..scripted import scripted

FORMS = ("shelf", "aloud")
_GOODS = {
    "cellar": ("plum jam", "cider", "pickled beets", "elder syrup", "quince jelly", "mead"),
    "attic": ("spare quilt", "skates", "tin soldiers", "old maps", "brass lamp", "wicker crib"),
    "shed": ("rake", "seed tray", "watering can", "twine", "pruning saw", "bean poles"),
}


class Gold(Frozen):
    shelf: str = Field(min_length=1)


class ShelvedRow(Frozen):
    id: str
    kind: str
    domain: str
    language: str
    family: str
    item: str = Field(min_length=1)
    owner: str | None = None
    gold: Gold


class NameShelf(dspy.Signature):
    """Name the shelf that the item belongs on: one word."""

    item: str = dspy.InputField(desc="what is put away")
    correction_feedback: str = dspy.InputField(desc="what was wrong with the last answer, empty at first")
    shelf: str = dspy.OutputField(desc="one word", max_length=40)


class Shelve(dspy.Module):
    """Asks for the shelf; an item that says it ("cellar: mead") is put there by rule."""

    def __init__(self, form: str = "shelf") -> None:
        super().__init__()
        if form not in FORMS:
            raise InputError(f"form must be one of {', '.join(FORMS)}, not {form!r}")
        self.form = form
        self.shelf = dspy.Predict(NameShelf)

    def forward(self, *, item: str, correction_feedback: str = "") -> dspy.Prediction:
        shelf, colon, _ = item.partition(":")
        calls = 0 if colon else 1
        said = shelf if colon else self.shelf(item=item, correction_feedback=correction_feedback).shelf
        said = said.upper() if self.form == "aloud" else said
        return dspy.Prediction(shelf=said, notices=(), lm_calls=calls, raw=said if calls else None)

    def asks(self, *, item: str) -> tuple[str, ...]:
        return () if ":" in item else ("shelf",)


class ShelveResult(GuardedResult):
    shelf: str


def check(item: str, shelf: Any) -> list[Violation]:
    words = shelf.split() if isinstance(shelf, str) else []
    return [] if len(words) == 1 else [Violation(code="no_shelf", message=f"Say one word, not {len(words)}.")]


class ShelveRules:
    """The owner's name is masked in what the program sees, as reformulate masks restricted terms."""

    name = "shelve"
    retries = 1
    result_type = ShelveResult

    def prepare(self, inputs: Mapping[str, Any], *, scrub: Any, risk_level: Any) -> str:
        item, owner = inputs["item"], inputs.get("owner")
        if not isinstance(item, str):
            raise InputError("shelve: field `item`: a text is expected")
        return item.replace(owner, "somebody") if owner else item

    def key(self, task: str) -> Hashable:
        return task

    def settled(self, task: str) -> Outcome | None:
        return None

    def program_inputs(self, task: str) -> dict[str, Any]:
        return {"item": task}

    def shrink(self, task: str) -> str | None:
        return None

    def check(self, task: str, prediction: Any) -> list[Violation]:
        return check(task, prediction.shelf)

    def accept(self, task: str, prediction: Any) -> Outcome:
        return Outcome({"shelf": prediction.shelf})

    def fall_back(self, task: str, violations: Sequence[Violation]) -> Outcome:
        return Outcome({"shelf": "hall"}, (Notice(code="fallback_hall", message="It stays in the hall."),))

    def describe(self, task: str) -> dict[str, Any]:
        return {"original": task, "window": None}

    def discreet(self, task: str, text: str) -> str:
        return text


class Demo(NamedTuple):
    predictor: str
    fields: dict[str, Any]


def metric(example: Any, pred: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None) -> Any:
    """1 for the gold's shelf, 0.2 for another, 0 for none."""
    row = example if isinstance(example, ShelvedRow) else ShelvedRow.model_validate(dict(example))
    said = pred.get("shelf") if isinstance(pred, Mapping) else getattr(pred, "shelf", None)
    broken = [v.code for v in check(row.item, said)]
    exact = float(isinstance(said, str) and said.casefold() == row.gold.shelf)
    score = 0.0 if broken else max(exact, 0.2)
    feedback = "Right." if exact else f"It belongs in the {row.gold.shelf}."
    return dspy.Prediction(
        score=score, feedback=feedback, components={"exact": exact, "form": float(not broken)}, violations=broken
    )


def read(split: str, folder: Path | None) -> list[Row[ShelvedRow]]:
    assert folder is not None, "nothing is shipped"
    return _golden.read_split(split, folder, ShelvedRow, lambda row: None)


def apart(folder: Path | None) -> None:
    seen: dict[str, str] = {}
    for split in _golden.SPLITS:
        for row in read(split, folder):
            if seen.setdefault(row.id, split) != split:
                raise RowError(f"{row.id!r} stands in {seen[row.id]}", file=split, line=row.line, field="id")


def _demos(row: ShelvedRow, form: str) -> list[Demo]:
    item = ENTRY.inputs(row)["item"]
    return [] if ":" in item else [Demo("shelf", {"item": item, "correction_feedback": "", "shelf": row.gold.shelf})]


def _answered(row: ShelvedRow, prediction: dict[str, Any]) -> ShelvedRow | None:
    shelf = prediction.get("shelf")
    return row.model_copy(update={"gold": Gold(shelf=shelf)}) if isinstance(shelf, str) and shelf else None


ENTRY = Behaviour(
    name="shelve",
    forms=FORMS,
    program=Shelve,
    rules=ShelveRules,
    load=lambda split, folder: [row.data for row in read(split, folder)],
    digest=lambda split, folder: _golden.digest_of(read(split, folder)),
    apart=apart,
    asked=lambda row: {"item": row.item, "owner": row.owner},
    demos=_demos,
    answered=_answered,
    gold=lambda row: {"shelf": row.gold.shelf},
    copied=lambda inputs: {"shelf": inputs["item"].split()[0]},
    fields=("shelf",),
    said=lambda prediction: str(prediction.get("shelf", "")),
    shown=lambda row: Shown(row.item, row.gold.shelf, (f"owner: {row.owner}",)),
    reflected=lambda row: ENTRY.inputs(row),
    metric=metric,
    components=("exact", "form"),
    takes=(Column("item", "text", required=True), Column("owner", "text")),
    gives=(Column("shelf", "text"),),
)


def rows_of(split: str) -> list[ShelvedRow]:
    """Return the golden rows of a split: six things a shelf, two of them in each split."""
    first = _golden.SPLITS.index(split) * 2
    picked = [(shelf, goods[first + n]) for n in range(2) for shelf, goods in _GOODS.items()]
    owners = itertools.cycle((None, "Ragna"))
    return [
        ShelvedRow(
            id=f"sh-{split}-{n}", kind="food" if shelf == "cellar" else "thing", domain="house", language="en",
            family=f"{split}-{n}", item=f"{owner or 'a neighbour'} brought the {good}", owner=owner,
            gold=Gold(shelf=shelf),
        )
        for n, ((shelf, good), owner) in enumerate(zip(picked, owners, strict=False))
    ]  # fmt: skip


def write_golden(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for split in _golden.SPLITS:
        text = "".join(row.model_dump_json() + "\n" for row in rows_of(split))
        (folder / f"{split}.jsonl").write_text(text, encoding="utf-8")
    return folder


def shelving_lm(calls: int = 400) -> dspy.LM:
    """A scripted LM that knows every shelf once it is shown a demo, and says "hall" before."""
    known = {good: shelf for shelf, goods in _GOODS.items() for good in goods}

    def answer(request: Request) -> str:
        asked = request.messages[-1].text or ""
        shown = any(message.role == "assistant" for message in request.messages)
        shelf = next((shelf for good, shelf in known.items() if good in asked), "hall") if shown else "hall"
        return f'{{"shelf": "{shelf}"}}'

    lm = scripted(*[answer] * calls, cache=False)
    lm.model = "scripted/shelving"
    return lm
