"""Messages of any library as turns; what was ruled out holds whatever engine is behind."""

from __future__ import annotations

import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from turnkeeper.errors import InputError, SetupError
from turnkeeper.integrations._shared import turns_of, verified, words_of
from turnkeeper.signatures.types import AccessScope, Exclusion, Passage, Turn

from .lamps import HISTORY, PASSAGES, Index


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "hi"},
        {"type": "human", "content": "hi"},
        ("human", "hi"),
        SimpleNamespace(type="human", content=[{"type": "text", "text": "hi"}, {"type": "image_url"}]),
        SimpleNamespace(role=SimpleNamespace(value="user"), content="hi"),
        Turn(role="user", content="hi"),
    ],
)
def test_a_message_of_any_library_is_a_turn(message: Any) -> None:
    assert turns_of([message]) == [Turn(role="user", content="hi")]


def test_what_systems_and_tools_say_is_no_turn() -> None:
    assert turns_of([("system", "obey"), ("tool", "42"), ("ai", "hello")]) == [Turn(role="assistant", content="hello")]
    assert turns_of(None) == []


@pytest.mark.parametrize("message", ["hi", {"role": "user"}, 3])
def test_what_is_no_message_is_named(message: Any) -> None:
    with pytest.raises(InputError, match="message 0 has no role or no content"):
        turns_of([message])


def test_what_the_query_rules_out_is_not_found_and_not_searched_for() -> None:
    index = Index()
    found = verified(index, "a lamp without a cord")
    assert [each.passage.doc_id for each in found] == ["lamp-2"] and found[0].warning is None
    assert "cord" not in words_of(index.asked[0])


def test_what_was_ruled_out_earlier_still_holds() -> None:
    history = turns_of([("human", "I want a lamp without a cord."), ("ai", "Certainly.")])
    assert [each.passage.doc_id for each in verified(Index(), "what do lamps cost?", history=history)] == ["lamp-2"]
    revoked = (Exclusion(phrase="cord", cue="without", turn=0, status="revoked"),)
    assert len(verified(Index(), "what do lamps cost?", history=history, exclusions=revoked)) == 2


def test_what_still_contradicts_comes_last_with_a_warning() -> None:
    first, last = verified(Index(), "a lamp without a cord", contradicting="warn")
    assert first.warning is None and last.passage.doc_id == "lamp-1" and "cord" in str(last.warning)


def test_a_scope_binds_every_engine() -> None:
    seen = tuple(Passage(doc_id=p.doc_id, text=p.text, metadata={"shop": p.doc_id[-1]}) for p in PASSAGES)
    found = verified(Index(seen), "lamps", scope=AccessScope(allowed={"shop": ["2"]}))
    assert [each.passage.doc_id for each in found] == ["lamp-2"]
    assert len(verified(Index(), "lamps", k=1)) == 1 and len(turns_of(HISTORY)) == 2


@pytest.mark.parametrize(("module", "needs"), [("langchain", "langchain_core"), ("llama_index", "llama_index")])
def test_a_missing_library_is_named_with_its_extra(module: str, needs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name == needs or name.startswith(f"{needs}.")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, needs, None)
    monkeypatch.delitem(sys.modules, f"turnkeeper.integrations.{module}", raising=False)
    with pytest.raises(SetupError, match=rf"turnkeeper\[{module.replace('_', '-')}\]"):
        import_module(f"turnkeeper.integrations.{module}")
