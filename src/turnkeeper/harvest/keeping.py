"""Decisions of a person on drafts, and the rows that come of them. Each is durable before the next is asked for.

A row is written first and its decision after it: should the process die between the two, the row that is there answers
for the draft. The journal `harvest.jsonl` beside the splits says who decided what, so a draft is decided once.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple

from ..behaviours import GoldenRow, find
from ..data.rows import dumps
from ..errors import InputError, RowError
from ..lms._lock import take
from .drafts import Draft
from .known import Known

JOURNAL = "harvest.jsonl"
Choice = Literal["yes", "edit", "no"]


class Decision(NamedTuple):
    """What a person decided: `row` is the edited row, None with yes and no."""

    choice: Choice
    row: Mapping[str, Any] | None = None
    by: str = ""


class Keeper:
    """A split of a golden set that takes accepted rows; one process at a time.

    Args:
        behaviour: Its stem.
        folder: Of the engineer's `<split>.jsonl` files.
        split: "train" or "dev".
        shipped: Whether rows of the shipped set count as known, its test rows above all.

    Raises:
        InputError: The test split, no such folder, another process that harvests into it, or a damaged journal.
        RowError: A row of the set that is bad already.
    """

    def __init__(self, behaviour: str, folder: Path, split: str, *, shipped: bool = True) -> None:
        if split not in ("train", "dev"):
            raise InputError(f"--split {split}: harvested rows go to train or dev; a test row is written for itself")
        if not folder.is_dir():
            raise InputError(f"--golden {folder}: the folder does not exist")
        self.behaviour, self.folder, self.split = find(behaviour), folder, split
        self.path, self.journal = folder / f"{split}.jsonl", folder / JOURNAL
        lock = take(folder / ".harvest.lock")
        if lock is None:
            raise InputError(f"--golden {folder}: another harvest is writing there; wait for it")
        self._lock = lock
        try:
            self.decided = self._read()
            self.known = Known()
            self.known.add_set(behaviour, folder, str(folder))
            if shipped:
                self.known.add_set(behaviour, None, "the shipped")
        except BaseException:
            lock.release()
            raise

    def open(self, drafts: list[Draft]) -> tuple[list[Draft], list[tuple[Draft, str]]]:
        """Return the drafts to decide on, and those that are not to be asked about, with the reason."""
        asked: list[Draft] = []
        passed: list[tuple[Draft, str]] = []
        for draft in drafts:
            if draft.id in self.decided:
                passed.append((draft, f"decided already: {self.decided[draft.id]}"))
                continue
            refused = self.known.verdict(draft.row, self.split).refused
            if refused:
                passed.append((draft, refused))
            else:
                asked.append(draft)
        return asked, passed

    def problem(self, row: Mapping[str, Any]) -> str:
        """Return what keeps a row out of the set, in one sentence; "" when nothing does."""
        if not isinstance(row.get("history"), list):
            return "field `history`: a list of messages is expected"
        try:
            golden = self._validated(row)
        except RowError as error:
            return str(error).removeprefix(f"{error.file}:{error.line}: ")
        found = self.behaviour.metric(golden, self.behaviour.gold(golden))
        if float(found.score) < 1.0 or found.violations:
            codes = f" ({', '.join(found.violations)})" if found.violations else ""
            return f"as a prediction this gold scores {float(found.score):.2f}{codes}: {found.feedback}"
        return self.known.verdict(golden.model_dump(mode="json"), self.split).refused

    def decide(self, draft: Draft, decision: Decision) -> str:
        """Carry a decision out, durably. Returns what refused it, "" when nothing did; then nothing has changed."""
        if decision.choice == "no":
            self._note(draft, decision, None)
            return ""
        row = dict(decision.row if decision.row is not None else draft.row)
        problem = self.problem(row)
        if problem:
            return problem
        row["family"] = self.known.verdict(row, self.split).family
        self._append(row)
        self.known.add(row, self.split, f"{self.folder} {self.split}")
        self._note(draft, decision, row)
        return ""

    def close(self) -> None:
        """Let others harvest."""
        self._lock.release()

    def __enter__(self) -> Keeper:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _validated(self, row: Mapping[str, Any]) -> GoldenRow:
        """Return the row as the golden reader reads it from a file."""
        with tempfile.TemporaryDirectory(prefix="turnkeeper-harvest-") as name:
            (Path(name) / f"{self.split}.jsonl").write_text(dumps(dict(row)) + "\n", encoding="utf-8")
            golden: GoldenRow = self.behaviour.load(self.split, Path(name))[0]
        return golden

    def _append(self, row: Mapping[str, Any]) -> None:
        there = self.path.read_bytes() if self.path.exists() else b""
        whole = there + (b"" if not there or there.endswith(b"\n") else b"\n") + dumps(dict(row)).encode() + b"\n"
        target = self.path.resolve()
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
        try:
            with open(handle, "wb") as file:
                file.write(whole)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o644)
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _note(self, draft: Draft, decision: Decision, row: Mapping[str, Any] | None) -> None:
        entry = {
            "draft": draft.id,
            "decision": decision.choice,
            "by": decision.by,
            "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "split": self.split if row is not None else None,
            "row": None if row is None else row["id"],
        }
        there = self.journal.read_bytes() if self.journal.exists() else b""
        torn = bool(there) and not there.endswith(b"\n")
        with self.journal.open("a", encoding="utf-8", newline="\n") as file:
            file.write(("\n" if torn else "") + dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.decided[draft.id] = decision.choice

    def _read(self) -> dict[str, str]:
        decided: dict[str, str] = {}
        if not self.journal.exists():
            return decided
        for line in self.journal.read_bytes().split(b"\n"):
            try:
                entry = json.loads(line)
                decided[str(entry["draft"])] = str(entry["decision"])
            except (ValueError, KeyError, TypeError):  # the empty end, or a line torn by a crash: it is asked again
                continue
        return decided
