"""Cue F1 of the exclusion detector on CD-SCO, for the record: python benchmarks/negation_cues.py CDSCO.jsonl

The corpus marks every negation of a story; the detector looks for exclusions of a search, so its recall is low by
design. Counted are words that both take for a part of a cue; affixes ("un-", "-less") are left out, since the detector
reads words. Rows: {"tokens": [...], "negations": [{"cue": [[token index, text], ...]}, ...]}.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from turnkeeper.metrics._negation_reading import findings
from turnkeeper.metrics._negation_text import read


def marked(row: dict[str, Any]) -> set[int]:
    """Return the indices of whole words that the corpus marks as cues."""
    tokens = row["tokens"]
    return {
        int(place) for one in row["negations"] for place, text in one["cue"] if str(text) == str(tokens[int(place)])
    }


def detected(row: dict[str, Any]) -> set[int]:
    """Return the indices of the words that begin what the detector rules out."""
    starts, text = [], ""
    for token in row["tokens"]:
        starts.append(len(text))
        text += token + " "
    message = read(text)
    places = {message.words[f.start].start for f in findings(message)}
    places |= {
        word.start
        for f in findings(message)
        for word in message.words[f.start : f.end]
        if word.low in ("not", "no", "without", "never", "nothing", "neither", "nor", "none", "nobody")
    }
    return {n for n, start in enumerate(starts) if start in places}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read the corpus."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def main() -> None:
    """Print precision, recall and F1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    both = ours = theirs = 0
    for row in rows(parser.parse_args().corpus):
        gold, got = marked(row), detected(row)
        both, ours, theirs = both + len(gold & got), ours + len(got), theirs + len(gold)
    precision, recall = both / max(1, ours), both / max(1, theirs)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    print(f"cues: precision {precision:.3f} recall {recall:.3f} F1 {f1:.3f} ({theirs} in the corpus, {ours} found)")


if __name__ == "__main__":
    main()
