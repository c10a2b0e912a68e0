"""A stream of pieces gives the markers of the whole text, wherever it is cut, and in linear time."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from hypothesis import example, given, settings
from hypothesis import strategies as st

from turnkeeper.metrics._marker_stream import MarkerStream
from turnkeeper.metrics._markers import Marker, find_markers

from ..timing import assert_linear

KNOWN = ("A-1", "B-2", "spec[2]", "1", "\u00e9-3")
PIECES = (
    "[Source: A-1]", "[Source: B-2", "[Source: spec[2]]", "[", "]", "(", ")", "`", "```\n", "~~~\n", "\n", "\n\n", " ",
    ". ", "\u201c", '"', "[1]", "\u30101\u3011", "pence\u00b2", "word ", "Sources:\n", "- A-1: T\n", "    ", "- ",
    "> ", "|",
    "https://x.example/a[0]=", "[Source: e\u0301-3]", "[x](y)", "The fee is nine crowns and due in the month of May. ",
)  # fmt: skip


def _streamed(pieces: list[str]) -> list[Marker]:
    stream = MarkerStream(KNOWN, "source_tag")
    return [marker for piece in pieces for marker in stream.feed(piece)] + stream.close()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.data())
def test_any_cuts_give_the_markers_of_the_whole(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts).replace("e\u0301", "\u00e9")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in itertools.pairwise([0, *cuts, len(text)])]
    assert _streamed(pieces) == find_markers(text, KNOWN, "source_tag")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
@example(["[Source: A-1]", ".\n\n", "The ", "```\n", "[Source: A-1]"])
def test_one_character_at_a_time(parts: list[str]) -> None:
    text = "".join(parts).replace("e\u0301", "\u00e9")
    assert _streamed(list(text)) == find_markers(text, KNOWN, "source_tag")


def test_every_pair_of_cuts_of_two_markers() -> None:
    text = (
        "Alpha is red [Source: A-1] and, as x < y, Beta is blue [Source: B-2].\n\nSources:\n- A-1: Alpha\n- B-2: Beta"
    )
    whole = find_markers(text, KNOWN, "source_tag")
    assert [marker.ids for marker in whole] == [("A-1",), ("B-2",)]
    for a, b in itertools.combinations(range(0, len(text), 3), 2):
        assert _streamed([text[:a], text[a:b], text[b:]]) == whole


def test_markers_come_while_the_answer_is_written() -> None:
    stream = MarkerStream(KNOWN, "source_tag")
    assert stream.feed("The fee is nine crowns [Source: A-1]. ") == []
    early = stream.feed("It has to be paid in May or in June at the latest, and never in cash. ")
    assert [marker.ids for marker in early] == [("A-1",)]
    assert stream.close() == []


def test_a_stream_is_linear() -> None:
    def work(size: int) -> Callable[[], object]:
        text = ("It is due in May [Source: A-1]. " * (size // 32 + 1))[:size]
        return lambda: _streamed([text[i : i + 5] for i in range(0, len(text), 5)])

    assert_linear(work, 40_000, 160_000, factor=10, floor=0.5)
