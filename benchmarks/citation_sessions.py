"""Six sessions of twelve turns on a real LM: with registry and guard, and the same LM's text taken as it is.

usage: python benchmarks/citation_sessions.py [--lm embedded] [--program auto|zero-shot|PATH] [--form handles|claims]
       [--turns 12] [--sessions 6] [--json] [--out FILE]

Documents and questions: `_session_questions.py`. Both arms get the last three turns as history and the same passages.
In the arm without, passages stand in the prompt under their markers (the retriever's ids, or their places of the turn
where the session cites by numbers), and the instruction asks for markers and a Sources section.

stability: of the later citations of a document, the share under the id of its first one (n behind it). fabricated: ids
that stand for no document of the session. drift: answers with a marker or a section not in the session's form, foreign
or broken. new, reused: citations of documents not cited before, and cited before. Exit code 1 unless the arm with
registry and guard has stability 1.0, no fabricated id and no drift.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from _session_questions import Asked, Session, sessions

import turnkeeper
from turnkeeper.lms import resolve_lm
from turnkeeper.metrics._abstention import is_abstention
from turnkeeper.metrics._markers import find_markers, written
from turnkeeper.signatures.cite import ABSTENTION
from turnkeeper.signatures.types import CitationRegistry, Turn

HISTORY = 6
"""Messages, three turns."""
_PLAIN = """Answer the question from the sources alone, in one to four short sentences.
Put behind each sentence the marker of its source, exactly as it stands before the source.
End with a line "Sources:" and a line "- ID: Title" for each source that you cite.
If no source answers the question, write: {abstention}"""


class Arm:
    """What one arm gave, counted answer by answer."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.seconds = 0.0
        self._first: dict[str, str] = {}

    def session(self) -> None:
        self._first = {}

    def answer(self, text: str, sources: Mapping[str, str], convention: Any, texts: Sequence[str]) -> None:
        """Count an answer; `sources` are the ids that stand for something, each with its document."""
        body = text.rpartition("\n\nSources:\n")[0] or text
        markers = find_markers(body, sources, convention, texts)
        self.counts["answers"] += 1
        self.counts["abstained"] += is_abstention(text)
        loose = any(marker.codes for marker in markers)
        section = text[len(body) :].split("\n")[3:] if body != text else []
        listed = [any(line.startswith(f"- {doc_id}:") for doc_id in sources) for line in section]
        self.counts["fabricated"] += sum(not known for known in listed)
        self.counts["drift"] += loose or (bool(markers) and not section)
        for doc_id in [doc_id for marker in markers for doc_id in marker.ids]:
            self.counts["citations"] += 1
            document = sources.get(doc_id)
            if document is None:
                self.counts["fabricated"] += 1
            elif document in self._first:
                self.counts["reused"] += 1
                self.counts["stable"] += self._first[document] == doc_id
            else:
                self.counts["new"] += 1
                self._first[document] = doc_id

    def figures(self) -> dict[str, Any]:
        c = self.counts
        names = "answers citations new reused fabricated drift abstained fallback registry_lost".split()
        return {
            "stability": c["stable"] / c["reused"] if c["reused"] else None,
            **{name: c[name] for name in names},
            "seconds": round(self.seconds, 1),
        }


def run(lm: Any, guard: Any, chosen: Sequence[Session], turns: int) -> dict[str, Any]:
    """Return the figures of both arms."""
    kept, plain = Arm(), Arm()
    for session in chosen:
        kept.session()
        plain.session()
        _with_registry(guard, session, turns, kept)
        _as_it_is(lm, session, turns, plain)
        print(f"{session.name}: done", file=sys.stderr)
    return {"registry and guard": kept.figures(), "text as it is": plain.figures()}


def _with_registry(guard: Any, session: Session, turns: int, arm: Arm) -> None:
    registry = CitationRegistry(convention=session.convention)  # type: ignore[arg-type]
    history: list[Turn] = []
    for turn, asked in enumerate(session.asked[:turns], 1):
        started = time.perf_counter()
        result = guard(
            history=history[-HISTORY:], query=asked.question, registry=registry, retrieved=asked.found, turn=turn
        )
        arm.seconds += time.perf_counter() - started
        ids = [entry.doc_id for entry in result.registry.entries]
        arm.counts["registry_lost"] += ids[: len(registry.entries)] != [entry.doc_id for entry in registry.entries]
        arm.counts["fallback"] += result.fallback
        registry = result.registry
        arm.answer(result.answer, {e.doc_id: e.source_id for e in registry.entries}, session.convention, _texts(asked))
        history += [Turn(role="user", content=asked.question), Turn(role="assistant", content=result.answer)]


def _as_it_is(lm: Any, session: Session, turns: int, arm: Arm) -> None:
    history: list[Turn] = []
    every = {p.doc_id for asked in session.asked for p in asked.found or ()}
    for asked in session.asked[:turns]:
        shown = _places(session, asked)
        sources = "\n".join(
            f"{written(doc_id, session.convention)} {p.title}: {p.text}"  # type: ignore[arg-type]
            for doc_id, p in zip(shown, asked.found or (), strict=True)
        )
        told = "\n".join(f"{turn.role}: {turn.content}" for turn in history[-HISTORY:])
        messages = [
            {"role": "system", "content": _PLAIN.format(abstention=ABSTENTION)},
            {"role": "user", "content": f"Sources:\n{sources}\n\nConversation:\n{told}\n\nQuestion: {asked.question}"},
        ]
        started = time.perf_counter()
        reply = lm(messages=messages)[0]
        arm.seconds += time.perf_counter() - started
        text = str(reply.get("text", "") if isinstance(reply, dict) else reply).strip()
        known = {} if shown and shown[0] not in every else {doc_id: doc_id for doc_id in every}
        known |= {doc_id: p.doc_id for doc_id, p in zip(shown, asked.found or (), strict=True)}
        arm.answer(text, known, session.convention, _texts(asked))
        history += [Turn(role="user", content=asked.question), Turn(role="assistant", content=text)]


def _places(session: Session, asked: Asked) -> list[str]:
    caret = "^" if session.convention == "footnote" else ""
    if session.convention in ("numeric", "footnote"):
        return [f"{caret}{n}" for n in range(1, len(asked.found or ()) + 1)]
    return [p.doc_id for p in asked.found or ()]


def _texts(asked: Asked) -> list[str]:
    return [asked.question, *(p.text for p in asked.found or ())]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lm", default="embedded")
    parser.add_argument("--program", default=None)
    parser.add_argument("--form", default=None)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--sessions", type=int, default=6)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--out", type=Path, default=None, help="also write the figures to this file")
    options = parser.parse_args(arguments)
    lm = resolve_lm(options.lm, cache=False)
    chosen = sessions()[: options.sessions]
    guard = turnkeeper.load("cite", lm=lm, program=options.program, form=options.form)
    figures = {"lm": lm.model, "sessions": len(chosen), "turns": options.turns}
    figures |= run(lm, guard, chosen, options.turns)
    if options.out is not None:
        options.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=1) if options.json else _table(figures))
    kept = figures["registry and guard"]
    return 0 if kept["stability"] in (1.0, None) and not (kept["fabricated"] or kept["drift"]) else 1


def _table(figures: dict[str, Any]) -> str:
    arms = {name: arm for name, arm in figures.items() if isinstance(arm, dict)}
    lines = [f"{figures['lm']}, {figures['sessions']} sessions of {figures['turns']} turns", ""]
    lines += ["| | " + " | ".join(arms) + " |", "|---|" + "---:|" * len(arms)]
    for row in next(iter(arms.values())):
        told = (f"{arm[row]:.2f}" if isinstance(arm[row], float) else str(arm[row]) for arm in arms.values())
        lines.append(f"| {row} | " + " | ".join(told) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
