"""Long sessions with a model that renames, renumbers, invents, drops and forges: with registry and guard, and without.

Each session has its documents (one sentence with a number of its own each), its convention, and a retriever that gives
some documents no id. Both arms have the same model: it says true sentences of what it was given, and spoils four in ten
markers and sections, retries included. In the arm without, the passages stand in the prompt under the retriever's ids,
or, where numbers are asked for, under their places of the turn; the text is taken as it is.

Measured by what readers see, sentence by sentence: the marker behind it. stability: share of the later citations of a
document whose marker is that of its first one. fabricated: ids that stand for no document of the session. format drift:
answers with a marker or a section that is not in the session's form. uncited: true sentences without a marker.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from _citation_oracle import ABSTAINED, legitimate, marker

from turnkeeper.signatures.types import CitationRegistry, Passage, Turn

_FIRST = "Brack Tarn Holm Quern Alder Fen Lint Marl Sedge Thorn Wick Yarrow Ousel Pell Rook Stell".split()
_SECOND = "mill quay chapel depot granary tower ferry orchard weir foundry kiln lodge".split()
_LINE = re.compile(r"^\s*\[(\d+)\] ([^:]+): (.+?)\.?$", re.MULTILINE)
CONVENTIONS = ("source_tag", "numeric", "bare_id", "url", "footnote")


class Document(NamedTuple):
    """What a session's retriever holds; `doc_id` may be empty."""

    doc_id: str
    title: str
    fact: str


class Offer(NamedTuple):
    """A document as the model was given it: how to cite it, and what it says."""

    marker: str
    fact: str


def documents(rng: random.Random, convention: str, number: int = 12) -> list[Document]:
    """Return the documents of a session."""
    names = rng.sample([f"{a}{b}" for a in _FIRST for b in ("", "water", "field")], number)
    minutes = rng.sample(range(10, 60), number)
    style = rng.choice(("DOC-{:03d}", "kb/{}-page.md", "handbook \u00a7 {}", "n{}x", "{}"))
    made = []
    for n, (name, minute) in enumerate(zip(names, minutes, strict=True), 1):
        doc_id = f"https://{name.lower()}.example/{n}" if convention == "url" else style.format(n * 3)
        title = f"{name} {rng.choice(_SECOND)}"
        made.append(Document("" if rng.random() < 0.15 else doc_id, title, f"The {title} opens at {6 + n}:{minute}"))
    return made


def spoiled(rng: random.Random, offers: Sequence[Offer], ids: Sequence[str], convention: str) -> str:
    """Return an answer of one or two true sentences, markers and section spoiled at random."""
    said = []
    for offer in rng.sample(list(offers), min(len(offers), rng.choice((1, 1, 2)))):
        said.append(f"{offer.fact}{_mark(rng, offer, offers, ids, convention)}.")
    if rng.random() < 0.2:
        said.append(
            rng.choice((f"The Zorvanth {rng.randint(100, 999)} is closed [Source: ZORVANTH-77].", "All is open [42]."))
        )
    text = " ".join(said)
    if rng.random() < 0.3:
        text += rng.choice(
            (
                "\n\nSources:\n- ZORVANTH-77: Zorvanth guide",
                "\n\n**References**\n1. Zorvanth guide",
                "\n\nSources: [1], [42]",
            )
        )
    return text


def _mark(rng: random.Random, offer: Offer, offers: Sequence[Offer], ids: Sequence[str], convention: str) -> str:
    if rng.random() < 0.6:
        return f" {offer.marker}"
    known = rng.choice(list(ids) or ["DOC-9"])
    return rng.choice(
        (
            f" {marker(known.lower() + '-v2', convention)}",
            f" {marker(known.replace('-', ' '), convention)}",  # renamed
            f" {rng.choice(list(offers)).marker}",
            f" [{rng.randint(1, 60)}]",  # renumbered
            f" {marker('ZORVANTH-77', convention)}",
            f" {offer.marker}[77]",  # fabricated
            f" \u3010{known}\u3011",
            f" (Source: {known})",
            f" [^{rng.randint(1, 9)}]",
            "\u00b2",
            f" [Source: {known}]",
            f" [{known}]",
            "",  # dropped
        )
    )


class Tally:
    """What readers saw of one arm."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def session(self) -> None:
        self._first = {}

    def answer(self, text: str, docs: Sequence[Document], convention: str, real: set[str]) -> None:
        """Count an answer; `real` are the ids that stand for a document of the session."""
        body, _, section = text.partition("\n\nSources:\n")
        style, drift = _style(convention), False
        self.counts["answers"] += 1
        self.counts["abstained"] += text.strip(" .") == ABSTAINED
        for document in docs:
            for found in re.finditer(re.escape(document.fact) + r"(?P<mark>[^\n]*?)(?:\.(?=\s|$)|$)", body):
                mark = found["mark"].strip()
                if not mark:
                    self.counts["uncited"] += 1
                    continue
                self.counts["citations"] += 1
                shown = style.findall(mark)
                drift |= "".join(f"{marker(i, convention)}" for i in shown) != mark.replace("] [", "][")
                self.counts["fabricated"] += any(i not in real for i in shown) or (not shown and "ZORVANTH" in mark)
                key = document.title
                if key in self._first:
                    self.counts["again"] += 1
                    self.counts["stable"] += self._first[key] == mark
                self._first.setdefault(key, mark)
        if section or "Sources" in body or "References" in body:
            lines = section.split("\n")
            drift |= not section or any(not re.match(r"- (.+?): ", line) for line in lines)
            self.counts["fabricated"] += sum(
                not any(line.startswith(f"- {i}: ") for i in real) for line in lines if line
            )
        if "Zorvanth" in body:
            self.counts["fabricated"] += "[" in body.partition("Zorvanth")[2]
        self.counts["format drift"] += drift

    def figures(self) -> dict[str, Any]:
        c = self.counts
        stability = c["stable"] / c["again"] if c["again"] else 1.0
        names = ("citations", "again", "fabricated", "format drift", "uncited", "abstained", "fallback", "registry")
        return {"stability": stability, "answers": c["answers"], **{name: c[name] for name in names}}


def _style(convention: str) -> re.Pattern[str]:
    if convention == "source_tag":
        return re.compile(r"\[Source: ([^\[\]]+)\]")
    inner = {"numeric": r"\d+", "footnote": r"\^\d+", "url": r"https?://[^\[\]\s]+|urn:[^\[\]\s]+"}
    return re.compile(rf"\[({inner.get(convention, '[^^][^]]*')})\]")


def run(sessions: int, turns: int, seed: int, show: int = 0) -> dict[str, dict[str, Any]]:
    """Return the figures of both arms over the same sessions."""
    from hostile_citations import guarded

    told: dict[str, Callable[[str], str]] = {}
    guard = guarded(lambda request: told["answer"](request.messages[-1].text or ""))
    kept, plain = Tally(), Tally()
    for n in range(sessions):
        rng = random.Random(f"{seed}-{n}")
        convention = rng.choice(CONVENTIONS)
        docs = documents(rng, convention)
        by_title = {d.title: d for d in docs}
        ids = [d.doc_id for d in docs if d.doc_id]
        registry, history = CitationRegistry(convention=convention), list[Turn]()  # type: ignore[arg-type]
        kept.session()
        plain.session()
        for turn in range(1, turns + 1):
            found = rng.sample(docs, rng.choice((0, 2, 3, 3, 4)))
            passages = [Passage(doc_id=d.doc_id, title=d.title, text=f"{d.fact}.") for d in found]
            query = f"When does {rng.choice(docs).title} open, and what else opens?"
            hostile = random.Random(rng.random())

            def answer(
                prompt: str, hostile: random.Random = hostile, ids: Sequence[str] = ids, convention: str = convention
            ) -> str:
                offers = [Offer(f"[{number}]", fact) for number, _, fact in _LINE.findall(prompt)]
                text = spoiled(hostile, offers, ids, convention) if offers else "NO_EVIDENCE"
                return json.dumps({"answer": text}, ensure_ascii=False)

            told["answer"] = answer
            result = guard(history=history[-6:], query=query, registry=registry, retrieved=passages, turn=turn)
            allowed = {e.doc_id for e in result.registry.entries}
            wrong = legitimate(registry, result.registry, allowed, result.answer)
            wrong += [e.doc_id for e in result.registry.entries if e.title not in by_title]
            kept.counts["registry"] += bool(wrong)
            kept.counts["fallback"] += result.fallback
            before = kept.counts.copy()
            kept.answer(result.answer, docs, convention, allowed)
            changed = kept.counts - before
            unstable = changed["again"] - changed["stable"]
            if show and (wrong or unstable or changed["fabricated"] or changed["format drift"]):
                show -= 1
                print(
                    f"session {n} ({convention}) turn {turn}: {result.answer!r} {wrong} {dict(changed)}",
                    file=sys.stderr,
                )
            history += [Turn(role="user", content=query), Turn(role="assistant", content=result.answer)]
            registry = result.registry
            text = _plain(random.Random(hostile.random()), found, ids, convention)
            plain.answer(text, docs, convention, {*ids, *_places(found, convention)})
    return {"registry and guard": kept.figures(), "text as it is": plain.figures()}


def _places(found: Sequence[Document], convention: str) -> set[str]:
    caret = "^" if convention == "footnote" else ""
    return {f"{caret}{n}" for n in range(1, len(found) + 1)} if convention in ("numeric", "footnote") else set()


def _plain(rng: random.Random, found: Sequence[Document], ids: Sequence[str], convention: str) -> str:
    """Return what the model says to the passages alone: under their own ids, or numbered anew each turn."""
    places = sorted(_places(found, convention), key=lambda place: int(place.strip("^")))
    offers = []
    for n, document in enumerate(found):
        doc_id = places[n] if places else document.doc_id or f"DOC-{n + 1}"
        offers.append(Offer(marker(doc_id, convention), document.fact))
    return spoiled(rng, offers, ids, convention) if offers else ABSTAINED
