"""One draft after the other shown at a terminal, with what keeps it out of the set, until a person has decided."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from .. import settings
from ..harvest import Decision, Draft, Keeper
from ..harvest.drafts import plain
from ._render import console, note, safe

_KEYS = {"y": "yes", "e": "edit", "n": "no", "s": "skip", "q": "quit"}


def ask_all(asked: list[Draft], keeper: Keeper, by: str) -> dict[str, int]:
    """Ask about each draft; returns how often each answer was given. What was decided is kept whatever comes next."""
    from rich.prompt import Prompt

    shown = console(stderr=True)
    counts = dict.fromkeys(("yes", "edit", "no", "open"), 0)
    for number, draft in enumerate(asked, start=1):
        repeated = keeper.known.verdict(draft.row, keeper.split).refused  # of a row that was accepted a moment ago
        if repeated:
            note(f"{draft.id}: {repeated}")
            counts["open"] += 1
            continue
        shown.print(f"\ndraft {number} of {len(asked)}  {draft.id}  (line {draft.line})", style="bold")
        _show(shown, draft, keeper.problem(draft.row))
        answer = ""
        while answer not in ("yes", "no", "skip", "quit", "edit"):
            try:
                pressed = Prompt.ask("yes, edit, no, skip, quit", choices=list(_KEYS), console=shown)
            except EOFError:  # the terminal is gone: what is left stays open
                pressed = "q"
            answer = _decided(draft, _KEYS[pressed], keeper, by)
        if answer == "quit":
            counts["open"] += len(asked) - number + 1
            break
        counts["open" if answer == "skip" else answer] += 1
    note(", ".join(f"{count} {choice}" for choice, count in counts.items()))
    return counts


def _decided(draft: Draft, answer: str, keeper: Keeper, by: str) -> str:
    """Carry an answer out; "" when it could not be, and the person is to be asked again."""
    if answer in ("skip", "quit"):
        return answer
    row = None
    if answer == "edit":
        row = _edited(draft)
        if row is None:
            note("nothing was changed")
            return ""
    problem = keeper.decide(draft, Decision("no" if answer == "no" else "edit" if row else "yes", row, by))
    if problem:
        note(f"not written: {problem}")
        return ""
    return answer


def _edited(draft: Draft) -> dict[str, Any] | None:
    """Return the row as a person's editor left it; None when it was closed without a change or holds no row."""
    with tempfile.TemporaryDirectory(prefix="turnkeeper-harvest-") as folder:
        path = Path(folder) / f"{draft.id}.json"
        path.write_text(plain(draft.row), encoding="utf-8")
        editor = settings.editor()
        try:
            subprocess.run([*shlex.split(editor), str(path)], check=True)
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, subprocess.CalledProcessError) as error:
            note(f"{editor}: {type(error).__name__}; set EDITOR")
            return None
        except ValueError as error:
            note(f"that is no JSON: {error}")
            return None
    return found if isinstance(found, dict) and found != draft.row else None


def _show(shown: Any, draft: Draft, problem: str) -> None:
    row = draft.row
    for turn in row["history"]:
        shown.print(safe(f"  {turn['role']}: {turn['content']}"), style="dim")
    shown.print(safe(f"  user: {row.get('query') or row.get('question')}"))
    for passage in row.get("context") or ():
        shown.print(safe(f"  [{passage.get('doc_id')}] {passage.get('title')}: {passage.get('text')}"), style="dim")
    for question in row.get("ledger") or ():
        shown.print(safe(f"  open: {question.get('question')}"), style="dim")
    for name, value in row["gold"].items():
        if value not in ([], None, "", False):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            shown.print(safe(f"  {name}: {text}"))
    if draft.said:
        shown.print(safe(f"  the recorded answer broke: {', '.join(draft.said)}"), style="yellow")
    if problem:
        shown.print(safe(f"  to be edited first: {problem}"), style="yellow")
