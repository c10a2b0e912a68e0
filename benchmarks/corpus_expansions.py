"""Ask an LM for more words of each query of the retrieval corpus, and tell it nothing of what is ruled out.

usage: python benchmarks/corpus_expansions.py --out naive.jsonl [--corpus FOLDER] [--lm SPEC]

The plain way of expanding, for `retrieval_exclusions.py --naive`: the same model, adapter and instruction as ours, the
whole standalone query, no check of the answer. Ours come from
`turnkeeper run expand --in benchmarks/retrieval_corpus/queries.jsonl --out ours.jsonl`.
Exit code 2 for bad input.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import dspy
from _exclusion_arms import CorpusQuery, read
from dspy.utils.exceptions import AdapterParseError

from turnkeeper.adapters import get_adapter
from turnkeeper.cli._files import atomic_lines
from turnkeeper.cli._progress import Progress
from turnkeeper.cli._render import note
from turnkeeper.errors import TurnkeeperError
from turnkeeper.lms import resolve_lm
from turnkeeper.metrics._leaks import leaks
from turnkeeper.signatures.expand_forms import AddTerms
from turnkeeper.signatures.types import Exclusion

CORPUS = Path(__file__).parent / "retrieval_corpus"


def asked(query: CorpusQuery, predict: dspy.Predict) -> list[str]:
    """Return the terms that the LM gives; none where its answer cannot be read."""
    try:
        answer = predict(query=query.standalone_query, excluded=[], known_terms=[], correction_feedback="")
    except AdapterParseError:
        return []
    return [str(term) for term in answer.terms]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a row for each query, and say how many hold what is ruled out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--lm", default="embedded")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    leaking = 0
    try:
        queries = read(options.corpus / "queries.jsonl", CorpusQuery)
        lm, predict = resolve_lm(options.lm), dspy.Predict(AddTerms)
        with (
            dspy.context(lm=lm, adapter=get_adapter("compact")),
            Progress("expansions", len(queries)) as progress,
            atomic_lines(options.out) as write,
        ):
            for number, query in enumerate(queries, 1):
                terms = asked(query, predict)
                leaking += bool(leaks(" ; ".join(terms), [Exclusion(phrase=phrase) for phrase in query.excluded]))
                write({"id": query.id, "prediction": {"expansion_terms_added": terms}})
                progress.update(number)
    except TurnkeeperError as error:
        note(f"corpus_expansions: {error}")
        return 2
    note(f"{leaking} of {len(queries)} answers name what the query rules out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
