"""Adapters by name."""

from __future__ import annotations

import dspy
import pytest

from turnkeeper.adapters import CompactAdapter, adapter_names, get_adapter, register_adapter, registry


def test_the_names_there_are() -> None:
    assert adapter_names() == ["chat", "compact", "json", "xml"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("compact", CompactAdapter), ("chat", dspy.ChatAdapter), ("json", dspy.JSONAdapter), ("xml", dspy.XMLAdapter)],
)
def test_each_name_makes_its_adapter(name: str, kind: type) -> None:
    assert type(get_adapter(name)) is kind


def test_the_chat_adapter_makes_no_second_call() -> None:
    assert get_adapter("chat").use_json_adapter_fallback is False


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(KeyError, match="`yaml`; known: chat, compact, json, xml"):
        get_adapter("yaml")


def test_an_adapter_can_be_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_FACTORIES", dict(registry._FACTORIES))
    register_adapter("mine", CompactAdapter)
    assert isinstance(get_adapter("mine"), CompactAdapter)


def test_a_taken_name_is_refused() -> None:
    with pytest.raises(ValueError, match="`chat` is registered already"):
        register_adapter("chat", CompactAdapter)
