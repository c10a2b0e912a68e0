"""Referents put into the user's own words."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._references import Mention
from turnkeeper.modules._substitution import Resolved, clean_referent, substitute


def put(query: str, *pairs: tuple[str, str, str]) -> str:
    """Substitute (mention, kind, referent) triples, each found at its first place after the one before."""
    resolved, at = [], 0
    for text, kind, referent in pairs:
        start = query.index(text, at)
        at = start + len(text)
        head = text.split()[-1].lower() if len(text.split()) > 1 else ""
        resolved.append(Resolved(Mention(text, start, at, kind, head), referent))  # type: ignore[arg-type]
    return substitute(query, resolved)


def test_pronoun_takes_the_name() -> None:  # REF-02
    assert put("how do I cancel it?", ("it", "pronoun", "the Cobalt plan")) == "how do I cancel the Cobalt plan?"


def test_possessive_gets_an_apostrophe() -> None:
    assert put("And its price?", ("its", "possessive", "the Nimbra hub")) == "And the Nimbra hub's price?"


def test_possessive_of_a_lower_case_plural_gets_only_the_apostrophe() -> None:
    assert put("what is their yield?", ("their", "possessive", "early pears")) == "what is early pears' yield?"


def test_possessive_of_a_name_in_s_keeps_its_s() -> None:
    assert put("what was his last post?", ("his", "possessive", "Jonas")) == "what was Jonas's last post?"


def test_owned_noun_is_not_doubled() -> None:
    assert put("what are their singles?", ("their", "possessive", "Osk's singles")) == "what are Osk's singles?"


def test_demonstrative_noun_phrase_goes_as_a_whole() -> None:
    text = put("Who mixed this album?", ("this album", "demonstrative", "Low Fen's second album"))
    assert text == "Who mixed Low Fen's second album?"


def test_number_keeps_the_noun_that_names_it() -> None:
    text = put("what duty applies to that code?", ("that code", "demonstrative", "4501.10"))
    assert text == "what duty applies to code 4501.10?"


def test_modifier_of_one_survives() -> None:
    text = put("is the cheaper one in stock?", ("the cheaper one", "one", "the ladder"))
    assert text == "is the cheaper ladder in stock?"


def test_one_that_is_a_name_is_replaced_whole() -> None:
    assert put("is the second one safe?", ("the second one", "one", "Brook X")) == "is Brook X safe?"


@pytest.mark.parametrize(
    ("referent", "expected"),
    [
        ("in Haldern", "who lives in Haldern?"),
        ("Haldern", "who lives in Haldern?"),
        ("the Elm Street clinic", "who lives at the Elm Street clinic?"),
    ],
)
def test_there_gets_a_preposition(referent: str, expected: str) -> None:
    assert put("who lives there?", ("there", "locative", referent)) == expected


def test_there_after_a_preposition_gets_none() -> None:
    assert put("how far from there?", ("there", "locative", "in Haldern")) == "how far from Haldern?"


def test_sentence_start_stays_capital() -> None:
    assert put("It stops. It hums.", ("It", "pronoun", "the pump"), ("It", "pronoun", "the pump")) == (
        "The pump stops. The pump hums."
    )


def test_article_is_lowered_inside_the_sentence() -> None:
    assert put("is it loud?", ("it", "pronoun", "The pump")) == "is the pump loud?"


@pytest.mark.parametrize("raw", [' "the pump". ', "assistant: the pump", "the  pump\n"])
def test_what_a_model_puts_around_a_referent_is_stripped(raw: str) -> None:
    assert clean_referent(raw) == "the pump"
