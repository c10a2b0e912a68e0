"""The checks of cite on hostile input: nothing raises, what passes is known, time is linear."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.metrics.cite import check, cited_ids
from turnkeeper.signatures.types import CitationRegistry, Convention, Passage, RegisteredSource

from ..timing import assert_linear, assert_within

CONVENTIONS: tuple[Convention | None, ...] = (None, "source_tag", "numeric", "bare_id", "url", "footnote")
IDS = ("A-1", "1", "2", "^1", "https://a.example/x", "spec[2]", "§3", "M\u00fcller", "A-1 b", "Source: x")
PIECES = (
    "[", "]", "[[", "]]", "[Source: ", "[1", "1]", "-3]", "(", ")", "\u3010", "\u3011", "\u2020", "`", "```\n",
    "\n", "\n\n", "Sources:\n", "- ", ": ", ". ", "? ", "| a | b |\n|---|---|\n", "## ", "> ", "http://", "](",
    "\u00b2", "\u0662", ", ", "; ", "Fee 9 crowns", "Ilse Harn", "I cannot find evidence to answer this question",
    "\ud800", "\0", "\r", "\u202e", *IDS,
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("answer", "sources", "new_citations", "reused_citations", "citation_consistency_check")


def _registry(convention: Convention | None) -> CitationRegistry:
    entries = [RegisteredSource(doc_id=i, title=f"T {i}", snippet="The fee is 9 crowns.") for i in IDS[:5]]
    return CitationRegistry(convention=convention, entries=tuple(entries))


CONTEXT = [Passage(doc_id=i, title=f"T {i}", text="Ilse Harn pays a fee of 9 crowns.") for i in IDS[5:]]


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.sampled_from(CONVENTIONS))
def test_any_answer_is_judged_and_what_passes_is_known(parts: list[str], convention: Convention | None) -> None:
    given_: dict[str, Any] = {
        "registry": _registry(convention), "context": CONTEXT, "question": "fee?",
        "prediction": {"answer": "".join(parts)},
    }  # fmt: skip
    violations = check(**given_)
    assert check(**given_) == violations
    ids = cited_ids(**given_)
    assert len(ids) == len(set(ids))
    if not violations:
        assert set(ids) <= set(IDS)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=5) | JSON)
def test_any_prediction_is_judged(prediction: Any) -> None:
    violations = check(registry=_registry("numeric"), context=None, question="fee?", prediction=prediction)
    assert all(violation.message for violation in violations)


@pytest.mark.parametrize("prediction", [None, 3, "text", [], {}, {"answer": ""}, {"answer": " \n"}, {"answer": 3}])
def test_unusable_predictions_are_one_violation(prediction: Any) -> None:
    violations = check(registry=_registry("numeric"), context=[], question="fee?", prediction=prediction)
    assert [violation.code for violation in violations] == ["unparsable"]


def test_an_object_that_raises() -> None:
    class Hostile:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    violations = check(registry=_registry("numeric"), context=[], question="fee?", prediction=Hostile())
    assert [violation.code for violation in violations] == ["unparsable"]


@pytest.mark.parametrize(
    "piece",
    [
        "[", "[1", "[1,", "[[", "]", "[Source: ", "Source: x]", "`", "`[1]` ", "```\n", "[a](", "[a](b", "http://a[1]",
        "(1). ",
        "[1-9] ", "[77] ", "\u30101\u3011", "1\u2020", "word\u00b2 ", "- item [1]\n", "|a|b|\n", "Sources:\n- 1: T\n",
        "> ", '"[1]" ',
        "It is due in May [1]. ", "I could not find ", "e.g. ", "[^1", "{{cite", "<cite ", "Ilse Harn ",
    ],
)  # fmt: skip
def test_time_is_linear(piece: str) -> None:
    registry = CitationRegistry(
        convention="numeric", entries=tuple(RegisteredSource(doc_id=str(i), title=f"T{i}") for i in range(1, 9))
    )

    def work(size: int) -> Callable[[], object]:
        prediction = {"answer": (piece * (size // len(piece) + 1))[:size], "sources": [], "new_citations": []}
        return lambda: check(registry=registry, context=CONTEXT, question="fee?", prediction=prediction)

    assert_linear(work, 10_000, 40_000, factor=8, floor=0.16)


def test_an_ordinary_answer_takes_about_a_millisecond() -> None:
    answer = "The fee is {} crowns [1]. Ilse Harn pays it every year, as far as is known [1].\n\nSources:\n- 1: T 1"

    def work(number: int) -> Callable[[], object]:
        registry, prediction = _registry("numeric"), {"answer": answer.format(number)}
        return lambda: check(registry=registry, context=CONTEXT, question="fee?", prediction=prediction)

    assert_within(0.005, work, runs=30)  # the bound is 1 ms, which the benchmark holds on a quiet machine
