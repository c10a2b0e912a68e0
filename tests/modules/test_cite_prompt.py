"""The prompt of cite: no registered id is lost however small the window is, and the history brings no marker in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import dspy
import pytest
from dspy.lm15 import ContextLengthError

from turnkeeper.adapters import get_adapter
from turnkeeper.modules._cite_history import without_citations
from turnkeeper.modules._cite_rules import CiteBehaviour
from turnkeeper.modules._guard import MOST_CUTS, Guard
from turnkeeper.modules.cite import Cite
from turnkeeper.signatures.cite import ABSTENTION, NO_PRIOR_CITATIONS, CiteResult
from turnkeeper.signatures.types import CitationRegistry, Passage, RegisteredSource, Turn

from ..scripted import ScriptedEngine, prompt_of

Keeper = Guard[Any, CiteResult]
MILL = Passage(doc_id="MILL-2", title="Mill hours", text="The tide mill grinds at 5:40. " + "Water is water. " * 90)
OLD = tuple(
    RegisteredSource(
        doc_id=f"MILL-{n}", source_id=f"MILL-{n}", title=f"Register {n}", snippet=f"Stone {n} turns. " * 30,
        first_turn=1, last_turn=1,
    )
    for n in range(10, 22)
)  # fmt: skip
REGISTRY = CitationRegistry(convention="source_tag", entries=OLD)
HISTORY = [
    Turn(role="user", content="what is stone 10?"),
    Turn(role="assistant", content="It turns [Source: MILL-10].\n\nSources:\n- MILL-10: Register 10"),
    Turn(role="user", content="and stone 11? " * 5),
    Turn(role="assistant", content="It turns too [Source: MILL-11; MILL-77].\n\n**References**\n- MILL-11: R"),
]
SAID = json.dumps({"answer": "The tide mill grinds at 5:40 [1]."})
TOO_LONG = ContextLengthError("too long")


@pytest.fixture
def keeper(scripted_lm: Callable[..., dspy.LM]) -> Callable[..., Keeper]:
    def make(*replies: Any, **options: Any) -> Keeper:
        return Guard(CiteBehaviour(), Cite(), lm=scripted_lm(*replies, **options), adapter=get_adapter("compact"))

    return make


def ask(guard: Keeper, **inputs: Any) -> CiteResult:
    told = {"query": "When does it grind?", "history": HISTORY, "registry": REGISTRY, "context": [MILL], "turn": 3}
    return guard(**{**told, **inputs})


def prompts(guard: Keeper) -> list[str]:
    engine: ScriptedEngine = guard.lm.engine
    return [prompt_of(request) for request in engine.requests]


@pytest.mark.parametrize("overflows", range(9))
def test_it_is_cut_until_it_fits_and_no_registered_source_is_lost(
    keeper: Callable[..., Keeper], overflows: int
) -> None:
    guard = keeper(*[TOO_LONG] * overflows, SAID)
    result = ask(guard)
    assert result.ok and result.lm_attempts == overflows + 1
    assert ("context_shrunk" in {w.code for w in result.warnings}) == (overflows > 0)
    sent = prompts(guard)
    assert all(f"] Register {n}:" in prompt for prompt in sent for n in range(10, 22))
    lengths = list(map(len, sent))
    assert lengths == sorted(lengths, reverse=True) and len(set(lengths)) == len(lengths)


def test_history_goes_first_then_snippets_then_passages(keeper: Callable[..., Keeper]) -> None:
    guard = keeper(*[TOO_LONG] * 8, SAID)
    ask(guard)

    def parts(prompt: str) -> tuple[int, int, int]:
        return prompt.count("stone 1"), prompt.count("Stone 1"), prompt.count("Water is water")

    history, snippets, passages = zip(*map(parts, prompts(guard)), strict=True)
    assert history[0] > history[1] >= history[2] == 0
    assert snippets[2] == snippets[0] and snippets[-1] == 0
    no_snippet = snippets.index(0)
    assert passages[no_snippet] == passages[0] > passages[-1] > 0


def test_a_text_that_two_passages_of_a_document_share_is_quoted_once(keeper: Callable[..., Keeper]) -> None:
    guard = keeper(SAID)
    more = MILL.model_copy(update={"text": "It rests on Sundays."})
    ask(guard, registry=CitationRegistry(), context=[MILL, MILL, more])
    (prompt,) = prompts(guard)
    assert prompt.count("grinds at 5:40") == 1 and "It rests on Sundays." in prompt


def test_a_prompt_that_never_fits_ends(keeper: Callable[..., Keeper]) -> None:
    guard = keeper(*[TOO_LONG] * 40)
    result = ask(guard)
    assert result.fallback and result.answer == ABSTENTION and result.registry == REGISTRY
    assert guard.lm.engine.calls <= MOST_CUTS + 1
    assert {"context_shrunk", "lm_error", "citation_unverified"} <= {w.code for w in result.warnings}


def test_what_surely_does_not_fit_a_known_window_is_cut_before_the_call(keeper: Callable[..., Keeper]) -> None:
    whole = keeper(SAID)
    ask(whole)
    guard = keeper(SAID)
    guard.lm.engine.n_ctx = 1000  # 200 of them for the answer
    result = ask(guard)
    assert result.ok and result.lm_attempts == 1 and "context_shrunk" in {w.code for w in result.warnings}
    assert len(prompts(guard)[0]) <= 4 * 800 + 200 < len(prompts(whole)[0])


def test_what_is_stored_does_not_depend_on_the_window(keeper: Callable[..., Keeper]) -> None:
    tight, wide = ask(keeper(*[TOO_LONG] * 7, SAID)), ask(keeper(SAID))
    assert tight.registry == wide.registry and len(wide.registry.entries[-1].snippet) > 300


def test_the_history_is_told_in_this_prompts_numbers(keeper: Callable[..., Keeper]) -> None:
    guard = keeper(SAID)
    ask(guard)
    (prompt,) = prompts(guard)
    assert "It turns [2]." in prompt and "It turns too [3]." in prompt
    assert "Source: " not in prompt and "References" not in prompt and "MILL-77" not in prompt


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("Yes [1]. No [4].", "Yes [2]. No."),
        ("Yes [1, 3].\n\nSources:\n- 1: A\n- 3: B", "Yes [2, 1]."),
        ("See `[1]` and [a link](https://x.example).", "See `[1]` and [a link](https://x.example)."),
        ("Quellen sind trocken.", "Quellen sind trocken."),
    ],
)
def test_markers_become_numbers(answer: str, told: str) -> None:
    assert without_citations(answer, {"3": 1, "1": 2}) == told


def test_a_first_turn_says_that_nothing_was_cited(keeper: Callable[..., Keeper]) -> None:
    guard = keeper(SAID, SAID)
    ask(guard, registry=CitationRegistry())
    ask(guard, query="When does it grind today?")
    first, later = prompts(guard)
    assert NO_PRIOR_CITATIONS in first and NO_PRIOR_CITATIONS not in later


@pytest.mark.parametrize("said", [NO_PRIOR_CITATIONS, f"{NO_PRIOR_CITATIONS}."])
def test_a_model_that_repeats_the_line_abstains(keeper: Callable[..., Keeper], said: str) -> None:
    result = ask(keeper(json.dumps({"answer": said})), registry=CitationRegistry())
    assert result.answer == ABSTENTION and result.ok
