"""A reply as it is written: which sentences may be shown when, whatever the form, the adapter, and the cuts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from turnkeeper.modules._cite_best_effort import Standard, passing
from turnkeeper.modules._cite_drafts import CiteDraft, written
from turnkeeper.modules._cite_evidence import evidence
from turnkeeper.modules._cite_render import rendered
from turnkeeper.signatures.types import CitationRegistry, Convention, Passage

KILN = Passage(doc_id="KILN-1", title="Kiln", text="The kiln reaches 1240 degrees. It cools for nine hours.")
GLAZE = Passage(doc_id="GLZ-2", title="Glazes", text="Celadon holds 12 percent iron-free feldspar. It is fired in May.")
CONTEXT = (KILN, GLAZE)
SENTENCES = (
    "The kiln reaches 1240 degrees [1].", "It cools for nine hours. [1]", "Celadon is fired in May [2].",
    "The kiln cools for nine hours [1] and celadon is fired in May [2].",
)  # fmt: skip
WRONG = ("The kiln reaches 900 degrees [1].", "Celadon is fired in May [7].", "The kiln was built in Riga.")


def standard(convention: Convention = "source_tag") -> Standard:
    registry = CitationRegistry(convention=convention)
    return Standard(
        registry, CONTEXT, "How hot is the kiln, and when is celadon fired?", None, evidence(registry, CONTEXT, None)
    )


def said(raw: str, size: int = 5, convention: Convention = "source_tag") -> list[str]:
    """What is shown of a reply that comes in pieces, one entry a release."""
    draft = CiteDraft(standard(convention))
    shown = [draft.feed(raw[at : at + size]) for at in range(0, len(raw), size)]
    return [text for text in shown if text]


def handles(*sentences: str) -> str:
    return json.dumps({"answer": " ".join(sentences)})


def claims(*rows: tuple[str, list[int]]) -> str:
    return json.dumps({"claims": [{"sentence": sentence, "sources": sources} for sentence, sources in rows]})


def chat(*sentences: str) -> str:
    return f"[[ ## answer ## ]]\n{' '.join(sentences)}\n\n[[ ## completed ## ]]\n"


def xml(*sentences: str) -> str:
    return f"<answer>\n{' '.join(sentences)}\n</answer>\n"


@pytest.mark.parametrize("form", [handles, chat, xml])
def test_sentence_by_sentence_as_they_are_written(form: Any) -> None:
    assert said(form(*SENTENCES[:3])) == [
        "The kiln reaches 1240 degrees [Source: KILN-1].", " It cools for nine hours [Source: KILN-1].",
        " Celadon is fired in May [Source: GLZ-2].",
    ]  # fmt: skip


def test_claims_come_one_by_one() -> None:
    raw = claims(("The kiln reaches 1240 degrees.", [1]), ("It cools for nine hours.", [1]))
    assert said(raw) == [
        "The kiln reaches 1240 degrees [Source: KILN-1].", " It cools for nine hours [Source: KILN-1]."
    ]  # fmt: skip


@pytest.mark.parametrize("convention", ["source_tag", "numeric", "bare_id", "footnote"])
def test_in_every_convention(convention: Convention) -> None:
    context = [p.model_copy(update={"doc_id": i}) for p, i in zip(CONTEXT, ("1", "2"), strict=True)]
    if convention == "footnote":
        context = [p.model_copy(update={"doc_id": f"^{p.doc_id}"}) for p in context]
    registry = CitationRegistry(convention=convention)
    held = Standard(registry, context, "How hot is the kiln?", None, evidence(registry, context, None))
    draft = CiteDraft(held)
    raw = handles(*SENTENCES[:2])
    shown = "".join(draft.feed(raw[at : at + 3]) for at in range(0, len(raw), 3))
    body = rendered(" ".join(SENTENCES[:2]), held.found, convention).answer.split("\n\nSources:")[0]
    assert shown == body and len(shown) > 20


@pytest.mark.parametrize("wrong", WRONG)
def test_a_sentence_that_fails_is_not_shown_nor_what_stands_behind_it(wrong: str) -> None:
    assert said(handles(SENTENCES[0], wrong, SENTENCES[2])) == ["The kiln reaches 1240 degrees [Source: KILN-1]."]
    assert said(handles(wrong, SENTENCES[0])) == []


def test_a_marker_behind_the_full_stop_is_waited_for() -> None:
    raw = '{"answer": "It cools for nine hours. [1] [2] The kiln reaches 1240 degrees [1]."}'
    shown = said(raw, 1)
    assert not any(text.endswith("hours [Source: KILN-1].") for text in shown)


NO_ANSWERS = (
    "", "{", '{"answer": "NO_EVIDENCE"}', '{"answer": 5}', '{"answer": "The kiln', '{"claims": 7}', '{"claims": [[[',
    '{"claims": [5]}', '{"claims": [{"sentence": 4, "sources": "x"}]}', "[[ ## answer ## ]]", "<answer>", "x" * 50_000,
    '{"answer": "\\ud83d. [1]"}', '{"answer": "' + "[" * 9_000, '{"claims": [' + "[" * 9_000,
)  # fmt: skip


@pytest.mark.parametrize("raw", NO_ANSWERS)
def test_nothing_is_shown_of_what_is_no_answer_and_nothing_raises(raw: str) -> None:
    assert said(raw, 97) == []


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from(SENTENCES + WRONG), min_size=1, max_size=5), st.integers(1, 40), st.booleans())
@example([SENTENCES[1], SENTENCES[0]], 1, True)
def test_what_is_shown_passes_every_check_of_the_whole_at_any_time(texts: list[str], size: int, as_json: bool) -> None:
    raw, shown = handles(*texts) if as_json else chat(*texts), ""
    draft, held = CiteDraft(standard()), standard()
    for at in range(0, len(raw), size):
        shown += draft.feed(raw[at : at + size])
        assert not shown or passing(held, shown, {}) is not None
    body = rendered(" ".join(texts), held.found, "source_tag").answer.split("\n\nSources:")[0]
    if not set(texts) & set(WRONG):
        assert shown == body


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300), st.integers(1, 50))
@example('{"answer": "\\', 1)
def test_any_reply_is_read_without_an_error(raw: str, size: int) -> None:
    assert isinstance("".join(said(raw, size)), str)
    for begin in ('{"answer": "', '{"claims": [{"sentence": "', "[[ ## answer ## ]]\n"):
        assert isinstance("".join(said(begin + raw, size)), str)


def test_an_escape_that_is_cut_is_waited_for() -> None:
    whole = json.dumps({"answer": "The \u00e9 \U0001f9ea kiln [1]."})
    texts = [written(whole[:n])[0] for n in range(len(whole) + 1)]
    assert texts[-1] == "The \u00e9 \U0001f9ea kiln [1]."
    assert all(texts[-1].startswith(text.rstrip("\ufffd")) for text in texts)
