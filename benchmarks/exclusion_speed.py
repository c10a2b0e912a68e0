"""How long detector and leak check take for a sentence, beside a spaCy pipeline on the same ones; and for 100 kB.

usage: python benchmarks/exclusion_speed.py [--sentences 4000] [--spacy PYTHON] [--model NAME] [--json]

The sentences are the queries of the golden train and dev rows, repeated, each with a number of its own behind it, so
that no cache of whole texts helps; caches of words stay warm on both sides, after one pass over 350 sentences that is
not timed. Ours: `detect`, then `leaks` of the same text. spaCy's: the whole pipeline of the model, one sentence a call,
as a turn comes. PYTHON is an interpreter that has spaCy and the model (it is no dependency of ours); without it that
line is left out. Times are processor times. Exit code 1 when ours is not at least 20 times faster, or 100 kB take more
than 2.6 times as long as 50 kB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any

FASTER = 20.0
LINEAR = 2.6  # 2 is linear; the rest is room for a loaded machine
HOSTILE = {
    "cues": "without x no y not z ",
    "commas": "no a, b, c, ",
    "quotes": "\"no\" 'not' ",
    "dashes": "-a non-b ga-s ",
    "single letters": "g a s-b.o ",
    "new words": None,
}
PHRASES = ("gas boiler", "x", "glass drawers")

_SPACY = """
import json, sys, time, importlib
name, sentences = json.load(sys.stdin)
import spacy
nlp = importlib.import_module(name).load() if name != "blank" else spacy.blank("en")
if name == "blank":
    nlp.add_pipe("sentencizer")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "CUE", "pattern": [{"LOWER": cue}]} for cue in ("no", "not", "without", "except")])
for text in sentences[:350]:
    nlp(text)
start = time.process_time()
for text in sentences[350:]:
    nlp(text)
print(json.dumps({"seconds": time.process_time() - start, "version": spacy.__version__, "pipes": nlp.pipe_names}))
"""


def numbered(number: int) -> list[str]:
    """Return golden queries in turn, 350 of them first for warming up, none twice."""
    from turnkeeper.data import expand

    queries = [row.query for split in ("train", "dev") for row in expand.load(split)]
    return [f"{queries[n % len(queries)]} {n + 1000}" for n in range(350 + number)]


def read(text: str) -> None:
    """Do for a text what a turn does: find what it rules out, and look for it."""
    from turnkeeper.metrics._leaks import leaks
    from turnkeeper.metrics._negation import detect
    from turnkeeper.signatures.types import Exclusion

    leaks(text, (*detect([], text).exclusions, *(Exclusion(phrase=phrase) for phrase in PHRASES)))


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def ours(sentences: Sequence[str]) -> float:
    """Return the seconds of all sentences after the first 350."""
    for text in sentences[:350]:
        read(text)
    return seconds(lambda: [read(text) for text in sentences[350:]])


def theirs(python: str, model: str, sentences: Sequence[str]) -> dict[str, Any]:
    """Return what spaCy needs for the same sentences, in a process of its own; one thread, as ours."""
    told = subprocess.run(
        [python, "-c", _SPACY], input=json.dumps([model, sentences]), capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
    return found


def growth() -> dict[str, tuple[float, float]]:
    """Return the seconds of 50 kB and of 100 kB of hostile text, the best of two each."""
    found = {}
    for name, unit in HOSTILE.items():
        text = " ".join(f"no w{n:x}" for n in range(20_000)) if unit is None else unit * (100_000 // len(unit) + 1)
        read(text[:1_000])
        found[name] = (
            min(seconds(lambda t=text[:50_000]: read(t)) for _ in range(2)),  # type: ignore[misc]
            min(seconds(lambda t=text[:100_000]: read(t)) for _ in range(2)),  # type: ignore[misc]
        )
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sentences", type=int, default=4_000)
    parser.add_argument("--spacy", metavar="PYTHON", help="interpreter that has spaCy and the model")
    parser.add_argument("--model", default="en_core_web_sm", help="package of the model, or `blank` for rules alone")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    sentences = numbered(options.sentences)
    spent = ours(sentences)
    figures: dict[str, Any] = {"sentences": options.sentences, "ms": 1000 * spent / options.sentences}
    if options.spacy:
        other = theirs(options.spacy, options.model, sentences)
        figures["spacy"] = {**other, "model": options.model, "ms": 1000 * other["seconds"] / options.sentences}
        figures["times_faster"] = other["seconds"] / spent
    figures["growth"] = {
        name: {"50 kB": few, "100 kB": many, "ratio": many / few} for name, (few, many) in growth().items()
    }
    if options.json:
        print(json.dumps(figures, indent=1))
    else:
        print(f"detector and leak check: {figures['ms']:.3f} ms a sentence ({options.sentences} sentences)")
        if options.spacy:
            told = figures["spacy"]
            print(
                f"spaCy {told['version']} {options.model} ({', '.join(told['pipes'])}): {told['ms']:.3f} ms a sentence"
            )
            print(f"ratio: {figures['times_faster']:.1f} x")
        for name, line in figures["growth"].items():
            print(f"{name}: 50 kB {line['50 kB']:.3f} s, 100 kB {line['100 kB']:.3f} s, {line['ratio']:.2f} x")
    slow = figures.get("times_faster", FASTER) < FASTER
    return 1 if slow or any(line["ratio"] > LINEAR for line in figures["growth"].values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
