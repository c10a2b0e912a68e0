"""Events: what leaves, what never leaves, and that a failing hook breaks nothing."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from turnkeeper import events
from turnkeeper._secrets import mask_addresses
from turnkeeper.signatures.types import Notice, Turn, Violation

from .timing import assert_within

CANARIES = [
    "sk-proj-Zk3mQ0canary77aVx19",
    "Authorization: Bearer canaryZk3mQ0aVx19",
    "Bearer canaryZk3mQ0aVx19",
    "OPENAI_API_KEY=canary-Zk3mQ0",
    '{"api_key": "canary-Zk3mQ0"}',
    "hf_canaryZk3mQ0aVx19Pq",
    "ghp_canaryZk3mQ0aVx19Pq",
    "AKIACANARY0123456789",
    "https://nora:canaryZk3@db.example/x",
    "eyJcanaryZk3mQ0.canaryZk3mQ0aVx19.canary_sig",
    "-----BEGIN RSA PRIVATE KEY-----\ncanaryZk3mQ0\n",
    "AWS_SECRET_ACCESS_KEY=CANARYabcdefghijkl",
    "PGPASSWORD=ca-canary",
    "STRIPE_KEY=canary",
    "DB_PASS=canary",
    "sk_live_CANARY0123456789abcd",
    "https://CANARYtoken0123456789@host/x",
    "postgres://nora:canary/canary@db/x",
    "postgres://nora:p@canary@db/x",
    "https://h.example/x?key=CANARYabcdef",
    "https://h.example/x?a=b&sig=canary%2Fab",
    "https://hooks.slack.com/services/T00CANARY/B00CANARY/CANARYcanary",
    "API key: CANARYabcdefgh",
    "**API key:** `canary`",
    "my password is canary7",
    "the API key is 'canary words'",
    "password: cAnAry",
    "password: 'canary words'",
    "passphrase = canary",
    "Passwort: canary",
    "--password canary",
    "pwd=canary",
    "token: CANARYabcdefgh",
    "{'refreshToken': 'canary'}",
    '{\\"password\\": \\"canary\\"}',
    '{"private_key_id": "canary"}',
    "AccountName=x;AccountKey=CANARYabc==;Endpoint=y",
    "ya29.CANARYa0AfH6SMBx",
    "Cookie: theme=dark; session=CANARY",
    "session=CANARYabcdef",
    "key: canary0123456789abcdef",
    "pass\u200bword=canary",
    "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\uff1acanary",
]
PROSE = [
    "How do I reset my password? My token expired, the risk-adjusted key is on https://example.org:8080/a@b",
    "The key: practise every day. The key: C minor, 88 weighted keys, A4 at 440 Hz.",
    "My secret: slow cooking. The secret is patience.",
    "The cookie: bake it at 180 degrees. The session: 10 people.",
    "Password: must be twelve characters long. The password is optional, my password is wrong.",
    "the password is 12 characters long, and is case-sensitive",
    "Is the API key required? The access token is valid for 60 minutes.",
    "a token: a small gift, or a Monopoly figure; a hotkey: Ctrl+Shift+P",
    "Turkey: Ankara. The monkey: banana1234567. sort_key=created_at country_code=DE",
    "clone ssh://git@host/x and write to bob@example.com about https://example.org/a?b=c",
    "KeyError: 'name', token count: 512, passport: Norwegian",
    "a bearer of good news on a sk-8 board; basic principles apply; authorization: the board must approve",
]
TEXT_FIELDS = ["original", "result", "raw_output", "window", "violations", "warnings", "session_id", "unheard_of"]


@pytest.fixture
def seen() -> Iterator[list[dict[str, Any]]]:
    got: list[dict[str, Any]] = []
    events.set_sink(lambda event: got.append(dict(event)))
    yield got
    events.set_sink(None)
    events.set_redactor(None)


def test_an_event_carries_its_name_fields_and_time(seen: list[dict[str, Any]]) -> None:  # REF-12
    events.emit("reformulate", original="and its price?", result="price of the Aldra lamp", attempts=1)
    assert seen[0]["event"] == "reformulate"
    assert seen[0]["original"] == "and its price?"
    assert seen[0]["attempts"] == 1
    assert "timestamp" in seen[0]


def test_models_become_json(seen: list[dict[str, Any]]) -> None:
    events.emit("x", window=(Turn(role="user", content="hi"),), usage={"tags": {"b", "a"}})
    assert seen[0]["window"] == [{"role": "user", "content": "hi"}]
    assert seen[0]["usage"] == {"tags": ["a", "b"]}


def test_by_default_json_goes_to_the_stdlib_logger(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="turnkeeper"):
        events.emit("reformulate", original="lone \ud800 and \x1b[31m")
    assert json.loads(caplog.messages[0])["original"] == "lone \ud800 and \x1b[31m"
    assert "\x1b" not in caplog.messages[0]


def test_silent_when_the_application_configures_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    events.emit("reformulate", original="nothing to see")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("field", TEXT_FIELDS)
@pytest.mark.parametrize("canary", CANARIES)
def test_a_planted_secret_never_leaves(field: str, canary: str, seen: list[dict[str, Any]]) -> None:
    events.emit("x", **{field: f"see {canary} now"})
    events.emit("x", **{field: [{"message": canary, "span": [canary]}]})
    assert "canary" not in json.dumps(seen).lower()
    assert "see" in json.dumps(seen)


def test_a_field_named_as_a_secret_is_masked_whatever_it_holds(seen: list[dict[str, Any]]) -> None:
    events.emit("x", result={"api_key": "short", "nested": {"password": "p w"}})
    assert seen[0]["result"] == {"api_key": "[secret]", "nested": {"password": "[secret]"}}


@pytest.mark.parametrize("text", PROSE)
def test_ordinary_words_are_no_secrets(text: str, seen: list[dict[str, Any]]) -> None:
    events.emit("x", original=text)
    assert seen[0]["original"] == text


def test_a_password_that_ends_a_sentence_is_masked() -> None:
    assert events.mask_secrets("my password is canary.") == "my password is [secret]."


@pytest.mark.parametrize("text", ["caf\u00e9 \u200b \uff21", "a\u00adb"])
def test_a_text_without_secrets_keeps_its_characters(text: str) -> None:
    assert events.mask_secrets(text) == text


def test_masking_twice_changes_nothing() -> None:
    once = [events.mask_secrets(canary) for canary in CANARIES]
    assert [events.mask_secrets(text) for text in once] == once


@pytest.mark.parametrize("field", ["apiKey", "AccountKey", "private_key_id", "pwd", "refresh_token", "STRIPE_KEY"])
def test_other_spellings_of_a_secret_field_are_masked(field: str, seen: list[dict[str, Any]]) -> None:
    events.emit("x", result={field: ["c", 1]})
    assert seen[0]["result"] == {field: "[secret]"}


def test_no_text_at_all_when_told_so(seen: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNKEEPER_LOG_TEXT", "0")
    events.emit(
        "reformulate",
        original="plum", result={"standalone_query": "plum", "action": "rewrite", "plum": 3}, raw_output="plum",
        window=[Turn(role="user", content="plum")], unheard_of="plum",
        violations=[Violation(code="too_long", message="plum", span="plum")],
        warnings=(Notice(code="ambiguous_reference", message="plum"),),
        attempts=2, fallback=True, latency_ms=12.5, prompt_tokens=80, program="zero-shot", session_id="s1",
    )  # fmt: skip
    event = seen[0]
    assert "plum" not in json.dumps(event)
    assert event["violations"] == [{"code": "too_long"}]
    assert event["warnings"] == [{"code": "ambiguous_reference"}]
    assert event["result"] == {"action": "rewrite"}
    kept = ("attempts", "fallback", "latency_ms", "prompt_tokens", "program", "session_id")
    assert [event[k] for k in kept] == [2, True, 12.5, 80, "zero-shot", "s1"]


def test_the_redactor_sees_texts_and_not_codes(seen: list[dict[str, Any]]) -> None:  # REF-15
    events.set_redactor(lambda text: text.replace("Ilse", "[name]"))
    events.emit("Ilse", original="call Ilse", violations=[{"code": "Ilse", "message": "Ilse"}])
    assert seen[0]["original"] == "call [name]"
    assert seen[0]["violations"] == [{"code": "Ilse", "message": "[name]"}]


def test_the_redactor_sees_metadata_and_terms_whatever_they_are_called(seen: list[dict[str, Any]]) -> None:
    events.set_redactor(lambda text: text.replace("Ilse", "[name]"))
    words = {"glossary": {"Ilse": ["boss"]}, "aliases": {"Ilse": ["she"], "[name]": ["her"]}}
    events.emit("x", source="Ilse", inputs={"passages": [{"metadata": {"source": "Ilse"}}], "domain_context": words})
    assert seen[0]["source"] == "Ilse"
    assert seen[0]["inputs"] == {
        "passages": [{"metadata": {"source": "[name]"}}],
        "domain_context": {"glossary": {"[name]": ["boss"]}, "aliases": {"[name]": ["she", "her"]}},
    }


@pytest.mark.parametrize("redactor", [lambda text: 1 / 0, lambda text: None])
def test_a_failing_redactor_drops_the_texts_and_says_so(
    redactor: Any, seen: list[dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    events.set_redactor(redactor)
    events.emit("x", original="private words", attempts=1)
    assert "private" not in json.dumps(seen) + caplog.text
    assert seen[0]["attempts"] == 1
    assert "redactor failed" in caplog.text


def test_a_failing_sink_breaks_nothing_and_is_named(caplog: pytest.LogCaptureFixture) -> None:
    def sink(event: Any) -> None:
        raise OSError("disk of canary")

    events.set_sink(sink)
    try:
        events.emit("x", original="private words")
    finally:
        events.set_sink(None)
    assert "event sink failed: OSError" in caplog.text
    assert "canary" not in caplog.text and "private" not in caplog.text


def test_a_value_that_cannot_be_shown_breaks_nothing(
    seen: list[dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def __str__(self) -> str:
            raise ValueError("no")

    events.emit("x", original=Broken())
    assert "could not be emitted: ValueError" in caplog.text


def test_the_applications_structlog_configuration_is_left_alone() -> None:
    import structlog

    before = structlog.get_config()
    events.emit("x", original="a")
    assert structlog.get_config() == before


UNITS = [
    "sk-",
    "a_",
    "Bearer ",
    "://a:",
    "eyJ",
    "-----BEGIN ",
    "api_key ",
    "a-",
    "x",
    "password: ",
    "token is ",
    "?key=",
]
UNITS += ["://", "://a:b@", "session=", 'key: "', "\u200b=", "Aa1"]


@pytest.mark.parametrize("unit", UNITS)
def test_masking_is_linear(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert_within(2.0, lambda n: lambda: events.mask_secrets(text + "x" * n))


def test_a_long_text_is_bounded(seen: list[dict[str, Any]]) -> None:
    events.emit("x", original="y" * (events.MAX_TEXT + 5))
    assert seen[0]["original"].endswith("[5 more characters]")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("http://ann:s3cretPw@127.0.0.1:9/", "http://ann:[secret]@127.0.0.1:9/"),
        ("http://tok@h:1/x and ftp://a:b@h", "http://[secret]@h:1/x and ftp://a:[secret]@h"),
        ("http://ann:p@ss@h/x", "http://ann:[secret]@h/x"),
        ("http://ann:12345@h", "http://ann:[secret]@h"),
        ("postgresql://u:p@h:5432/db?x=y@z", "postgresql://u:[secret]@h:5432/db?x=y@z"),
        ("http://h:80/a@b, mail a@b", "http://h:80/a@b, mail a@b"),
        ("sqlite:///x@y/mlflow.db", "sqlite:///x@y/mlflow.db"),
    ],
)
def test_an_address_keeps_its_host_and_loses_its_password(text: str, masked: str) -> None:
    assert mask_addresses(text) == mask_addresses(masked) == masked
