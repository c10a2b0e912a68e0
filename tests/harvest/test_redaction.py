"""What leaves a log with a draft: every text is masked and redacted, and what only code writes stays."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.harvest.redaction import redacted


def without_names(text: str) -> str:
    return text.replace("Jane Roe", "[name]").replace("John Doe", "[name]")


@pytest.mark.parametrize(
    "code",
    [
        {"role": "assistant"}, {"action": "clarify"}, {"status": "pending"}, {"status": "PARTIAL"},
        {"status": "revoked"}, {"convention": "numeric"}, {"op": "not_in"}, {"question_id": "q12-2"},
    ],
)  # fmt: skip
def test_a_code_stays_whatever_the_redactor_does(code: dict[str, str]) -> None:
    assert redacted(code, lambda text: "[gone]", "e:1") == code
    assert redacted([{"ledger": [code]}], lambda text: "[gone]", "e:1") == [{"ledger": [code]}]


@pytest.mark.parametrize("field", ["role", "action", "status", "convention", "op", "question_id"])
@pytest.mark.parametrize("text", ["Jane Roe", "user Jane Roe", "q1 Jane Roe"])
def test_a_text_in_the_place_of_a_code_is_a_text(field: str, text: str) -> None:
    assert "Jane" not in str(redacted({field: text}, without_names, "e:1"))
    assert "hunter2abc" not in str(redacted({field: "password: hunter2abc"}, None, "e:1"))


def test_nothing_in_metadata_is_a_code() -> None:
    held = {"metadata": {"role": "assistant", "more": [{"status": "pending"}]}}
    assert redacted(held, str.upper, "e:1") == {"metadata": {"role": "ASSISTANT", "more": [{"status": "PENDING"}]}}
    secret = {"metadata": {"role": "password: hunter2abc", "status": "Jane Roe"}}
    assert redacted(secret, without_names, "e:1") == {"metadata": {"role": "password: [secret]", "status": "[name]"}}


@pytest.mark.parametrize("table", ["glossary", "aliases"])
def test_a_term_is_a_text_and_loses_no_other_name(table: str) -> None:
    said: dict[str, Any] = {"domain_context": {table: {"Jane Roe": ["boss"], "John Doe": ["clerk"], "lamp": ["light"]}}}
    found = redacted(said, without_names, "e:1")
    assert found == {"domain_context": {table: {"[name]": ["boss", "clerk"], "lamp": ["light"]}}}
    key = {table: {"api_key=Zq81xkPw72mmT0": ["x"]}}
    assert list(redacted(key, None, "e:1")[table]) == ["api_key=[secret]"]


def test_a_list_of_other_names_is_redacted_like_any_text() -> None:
    assert redacted({"aliases": ["Jane Roe"]}, without_names, "e:1") == {"aliases": ["[name]"]}
