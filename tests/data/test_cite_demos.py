"""Demos of cite: golden answers with the numbers of the prompt in place of the session's markers."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.data.cite import Demo, GoldenRow, to_demos
from turnkeeper.signatures.cite import ABSTENTION, NO_EVIDENCE

ASKED = {"sources": "[1] Rain\n[2] Wind\n[3] Frost", "history": "", "question": "q", "correction_feedback": ""}
SHOWN = ("MET-9", "MET-3", "MET-30")


def row(body: str, *cited: str, convention: str | None = "source_tag") -> GoldenRow:
    abstain = body == ABSTENTION
    section = "\n\nSources:\n" + "\n".join(f"- {doc_id}: A title" for doc_id in cited)
    gold = {
        "answer": body if abstain else body + section,
        "sources": [{"doc_id": doc_id, "title": "A title"} for doc_id in cited],
        "new_citations": cited,
        "reused_citations": (),
        "must_cite": cited,
        "facts": (),
        "abstain": abstain,
    }
    fields = {"id": "r", "kind": "k", "domain": "weather", "language": "en", "family": "f", "turn": 1, "history": ()}
    state = {"registry": {"convention": convention}, "context": ()}
    return GoldenRow.model_validate({**fields, **state, "question": "q", "gold": gold})


def handles(given: GoldenRow) -> str | None:
    demos = to_demos(given, "handles", ASKED, SHOWN)
    assert all(demo.predictor == "handles" and demo.fields == {**ASKED, **demo.fields} for demo in demos)
    return demos[0].fields["answer"] if demos else None


def claims(given: GoldenRow) -> Any:
    demos = to_demos(given, "claims", ASKED, SHOWN)
    return [(c["sentence"], c["sources"]) for c in demos[0].fields["claims"]] if demos else None


def test_markers_become_the_numbers_of_the_prompt_and_the_section_goes() -> None:
    given = row("Rain at 6 [Source: MET-9]. Frost at 9 [Source: MET-30] [Source: MET-3].", "MET-9", "MET-30", "MET-3")
    assert handles(given) == "Rain at 6 [1]. Frost at 9 [3] [2]."
    assert claims(given) == [("Rain at 6.", [1]), ("Frost at 9.", [3, 2])]


@pytest.mark.parametrize(
    ("convention", "doc_id", "marker"),
    [
        (None, "7", "[Source: 7]"),
        ("numeric", "2", "[2]"),
        ("footnote", "^1", "[^1]"),
        ("bare_id", "a [b]", "[a [b]]"),
        ("url", "https://met.example/a", "[https://met.example/a]"),
    ],
)
def test_every_convention_is_read(convention: str | None, doc_id: str, marker: str) -> None:
    given = row(f"Rain at 6 {marker}.", doc_id, convention=convention)
    (demo,) = to_demos(given, "handles", ASKED, ("x", doc_id))
    assert demo.fields["answer"] == "Rain at 6 [2]."


def test_numbers_of_a_numeric_session_are_not_read_twice() -> None:
    given = row("Rain at 6 [2]. Frost at 9 [1].", "2", "1", convention="numeric")
    (demo,) = to_demos(given, "handles", ASKED, ("1", "2"))
    assert demo.fields["answer"] == "Rain at 6 [2]. Frost at 9 [1]."
    (swapped,) = to_demos(given, "handles", ASKED, ("2", "1"))
    assert swapped.fields["answer"] == "Rain at 6 [1]. Frost at 9 [2]."


def test_an_id_in_another_normal_form_is_the_same_one() -> None:
    given = row("Rain at 6 [Source: Caf\u00e9].", "Caf\u00e9")
    (demo,) = to_demos(given, "handles", ASKED, ("Cafe\u0301",))
    assert demo.fields["answer"] == "Rain at 6 [1]."


def test_code_keeps_its_brackets() -> None:
    given = row("Read `x[Source: MET-9]` [Source: MET-9].\n\n```\n[Source: MET-9]\n```", "MET-9")
    assert handles(given) == "Read `x[Source: MET-9]` [1].\n\n```\n[Source: MET-9]\n```"


def test_an_abstention_is_what_the_model_writes_for_it() -> None:
    assert handles(row(ABSTENTION)) == NO_EVIDENCE
    assert to_demos(row(ABSTENTION), "claims", ASKED, SHOWN) == [Demo("claims", {**ASKED, "claims": []})]


def test_a_row_that_asks_no_model_has_none() -> None:
    assert to_demos(row(ABSTENTION), "handles", None, ()) == [] == to_demos(row(ABSTENTION), "claims", None, ())


def test_a_gold_that_cites_what_is_not_shown_has_none() -> None:
    given = row("Rain at 6 [Source: MET-9]. Hail at 8 [Source: MET-4].", "MET-9", "MET-4")
    assert handles(given) is None and claims(given) is None


@pytest.mark.parametrize(
    "body",
    [
        "- Rain: 6 [Source: MET-9]\n- Frost: 9 [Source: MET-9]",
        "Today:\n\nRain at 6 [Source: MET-9].",
        "Rain at 6 [Source: MET-9] and frost at 9 [Source: MET-3].",
        "Rain at 6 [Source: MET-9]!",
        "Rain at 6 [Source: MET-9]. So there.",
        "Rain at 6 a.m. [Source: MET-9].",
        "Rain at 6 [Source: MET-9] [Source: MET-3] [Source: MET-30] [Source: MET-9].",
        " ".join(["Rain at 6 [Source: MET-9]."] * 7),
        f"{'rain ' * 60}at 6 [Source: MET-9].",
    ],
)
def test_what_claims_cannot_say_has_a_demo_in_handles_alone(body: str) -> None:
    cited = [doc_id for doc_id in SHOWN if f"{doc_id}]" in body]
    assert claims(row(body, *cited)) is None and handles(row(body, *cited)) is not None


def test_a_full_stop_within_a_sentence_ends_no_claim() -> None:
    assert claims(row("It falls by 1.20 m, e.g. at the weir [Source: MET-3].", "MET-3")) == [
        ("It falls by 1.20 m, e.g. at the weir.", [2])
    ]


def test_a_prediction_of_odd_shape_has_a_demo_or_none_and_never_raises() -> None:
    for body in ("", "[Source: MET-9]", "[Source: MET-9].", "x [1].", "\n", "a [Source: MET-9].b"):
        for form in ("handles", "claims"):
            assert len(to_demos(row(body or "x", "MET-9"), form, ASKED, SHOWN)) <= 1  # type: ignore[arg-type]
