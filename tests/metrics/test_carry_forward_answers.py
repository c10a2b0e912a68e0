"""carry_forward: grounded resolutions, half answers, answers that evidence offers, and the question of this turn."""

from __future__ import annotations

import pytest

from turnkeeper.metrics.carry_forward import check
from turnkeeper.signatures.types import AccessScope, CitationRegistry, Exclusion, Passage, RegisteredSource

from .carry_forward_turns import answered, codes, entry, passage, resolved, still, turn

KILN = "When is kiln 4 fired?"
FIRED = passage("K-4", "Kiln 4 is fired on 12 October by Runa Holm.")
FOG = passage("N-1", "Fog is expected.")


def _resolving(answer: str, *ids: str, question: str = KILN, context: tuple[Passage, ...] = (FIRED, FOG)) -> set[str]:
    return codes([question], context=context, done=[resolved(question, answer, *ids)])


@pytest.mark.parametrize(
    "answer",
    ["On 12 October.", "12 October [Source: K-4].", "Kiln 4 is fired on 2031 [Source: K-4].".replace("2031",
    "12 October"),
     "Runa Holm fires it on October 12 [Source: K-4].", "It is fired on the twelfth of October.", "Am 12. Oktober.",
     "On 12 October [Source: K-4].\n\nSources:\n- K-4: Firing plan"],
)  # fmt: skip
def test_grounded(answer: str) -> None:
    assert _resolving(answer, "K-4") - {"ungrounded_resolution"} == set()
    if "Oktober" not in answer:
        assert _resolving(answer, "K-4") == set()


@pytest.mark.parametrize(
    ("answer", "ids"),
    [
        ("On 12 October.", ()), ("On 12 October [Source: K-4].", ()), ("On 12 October.", ("K-5",)),
        ("On 12 October.", ("k-4",)), ("On 12 October.", ("K-4", "X-9")), ("On 12 October [Source: X-9].", ("K-4",)),
        ("On 13 October.", ("K-4",)), ("On 12 November.", ("K-4",)), ("Ole Brandt fires it on 12 October.", ("K-4",)),
        ("On 12 October.", ("N-1",)), ("I cannot find evidence to answer this question.", ("K-4",)),
        ("The documents do not say.", ("K-4",)), ("Fog is expected.", ("N-1",)), ("Yes.", ("N-1",)),
        ("On 12 October at 7:30.", ("K-4",)), ("", ("K-4",)),
    ],
)  # fmt: skip
def test_not_grounded(answer: str, ids: tuple[str, ...]) -> None:
    assert "ungrounded_resolution" in _resolving(answer, *ids)


def test_nothing_is_resolved_without_evidence() -> None:
    assert codes([KILN], context=[], done=[resolved(KILN, "On 12 October.", "K-4")]) == {"ungrounded_resolution"}


def test_the_answer_of_another_question_closes_nothing() -> None:
    deep = "How deep is the clay pit?"
    found = codes([KILN, deep], context=[passage("P-1", "The clay pit is 9 m deep.")],
                  done=[resolved(KILN, "9 m.", "P-1")], open_=[still(deep)])  # fmt: skip
    assert found == {"ungrounded_resolution", "missed_resolution"}


def test_several_sources_together() -> None:
    context = (passage("A", "Kiln 4 holds 80 pots."), passage("B", "Firing of kiln 4: 12 October."))
    assert _resolving("It holds 80 pots and is fired on 12 October.", "A", "B", context=context) == set()
    assert _resolving("It holds 80 pots and is fired on 12 October.", "A", context=context) == {"ungrounded_resolution"}


def test_a_source_of_an_earlier_turn_is_evidence_in_todays_scope() -> None:
    stored = RegisteredSource(doc_id="K-4", snippet=FIRED.text, metadata={"site": "north"})
    registry = CitationRegistry(convention="source_tag", entries=(stored,))
    done = [resolved(KILN, "On 12 October.", "K-4")]
    assert codes([KILN], done=done, registry=registry) == set()
    scope = AccessScope(allowed={"site": ["south"]})
    assert codes([KILN], done=done, registry=registry, access_scope=scope) == {"ungrounded_resolution"}
    withdrawn = CitationRegistry(entries=(stored.model_copy(update={"withdrawn": True}),))
    assert codes([KILN], done=done, registry=withdrawn) == {"ungrounded_resolution"}


BOTH = "Who dug the pit and how much did it cost?"


@pytest.mark.parametrize(
    ("question", "text", "answer", "whole"),
    [
        (BOTH, "The pit was dug by Runa Holm.", "Runa Holm.", False),
        (BOTH, "The pit was dug by Runa Holm and cost 900 crowns.", "Runa Holm, for 900 crowns.", True),
        (BOTH, "Runa Holm dug the pit for 900 crowns.", "Runa Holm dug it; 900 crowns were paid.", True),
        (BOTH, "The pit cost 900 crowns.", "900 crowns.", False),
        (BOTH, "Runa Holm dug the pit in 1911.", "Runa Holm, in 1911.", False),
        ("When was the pit dug and who owns it?", "The pit was dug in 1911.", "In 1911.", False),
        ("When was the pit dug and who owns it?", "The pit, dug in 1911, is owned by Ada Lind.",
        "1911, Ada Lind.", True),
        ("Where is the pit, and when does it open?", "The pit is behind the shed.", "Behind the shed.", False),
        ("Where is the pit? When does it open?", "The pit is behind the shed.", "Behind the shed.", False),
        ("Where is the pit and when does it open?", "The pit behind the shed opens on 3 May.",
        "Behind it, 3 May.", True),
        ("Who runs the kiln and the shed?", "Ada Lind runs the kiln and the shed.", "Ada Lind.", True),
        ("Wer hat die Grube gegraben und wie viel hat sie gekostet?", "Die Grube wurde von Runa Holm gegraben.",
         "Runa Holm.", False),
        ("Wer hat die Grube gegraben und wie viel hat sie gekostet?",
         "Die Grube wurde von Runa Holm gegraben und hat 900 Kronen gekostet.", "Runa Holm, 900 Kronen.", True),
        ("Qui a creusé la fosse et combien a-t-elle coûté ?", "La fosse a été creusée par Runa Holm.",
        "Runa Holm.", False),
        ("¿Quién cavó la fosa y cuánto costó?", "La fosa la cavó Runa Holm.", "Runa Holm.", False),
    ],
)  # fmt: skip
def test_half_an_answer_closes_nothing(question: str, text: str, answer: str, whole: bool) -> None:
    context = (passage("P-1", text),)
    assert _resolving(answer, "P-1", question=question, context=context) == (set() if whole else {"partial_resolution"})
    said = codes([], question, context=context, current=answered(answer, "P-1"))
    assert said == (set() if whole else {"partial_resolution"})
    if not whole:
        part = answered(answer, "P-1", status="PARTIAL")
        assert codes([], question, context=context, current=part, open_=[still(question, "the rest")]) == set()
        assert codes([], question, context=context, current=part) == {"current_question_lost"}


@pytest.mark.parametrize(
    ("question", "text", "missed"),
    [
        (KILN, "Kiln 4 is fired on 12 October.", True),
        (KILN, "The plan for kiln 4 is out. It is fired on 12 October.", True),
        (KILN, "Kiln 4 is fired when the clay is dry.", False),
        (KILN, "Kiln 3 is fired on 12 October.", False),
        (KILN, "Kiln 4 is not fired on 12 October.", False),
        (KILN, "When is kiln 4 fired in October?", False),
        (KILN, "Nothing is known on when kiln 4 is fired, the documents do not mention 2031.", False),
        ("Who owns the clay pit?", "The clay pit is owned by Ada Lind.", True),
        ("Who owns the clay pit?", "The clay pit is 9 m deep.", False),
        ("How deep is the clay pit?", "The clay pit is 9 m deep.", True),
        ("How deep is the clay pit?", "The clay pit is deep.", False),
        ("How many pots does the shed hold?", "The shed holds 300 pots.", True),
        ("How many pots does the shed hold?", "The shed holds pots and tools.", False),
        ("How many of the 12 kilns are lit?", "The 12 kilns are lit in turn.", False),
        ("What does a pot cost?", "A pot costs 40 crowns.", True),
        ("What does a pot cost?", "What a pot costs depends on the glaze.", False),
        ("Is shed 2 insured?", "Shed 2 is not insured.", True),
        ("Which glazes hold no lead?", "These glazes hold lead: ash, moss.", False),
        ("Is there a night watch?", "There is a night watch from May on.", True),
        ("Wie tief ist die Grube?", "Die Grube ist 9 m tief.", True),
        ("Wann öffnet der Schuppen?", "Der Schuppen öffnet um 9:00 Uhr.", True),
        ("Wann öffnet der Schuppen?", "Der Schuppen öffnet bald.", False),
        ("Combien de pots contient le hangar ?", "Le hangar contient 300 pots.", True),
        ("¿Cuántas ollas caben en el cobertizo?", "En el cobertizo caben 300 ollas.", True),
    ],
)  # fmt: skip
def test_what_a_passage_answers_may_not_be_carried(question: str, text: str, missed: bool) -> None:
    found = codes([question], context=[FOG, passage("P-1", text)], open_=[still(question)])
    assert found == ({"missed_resolution"} if missed else set())


def test_words_far_apart_or_in_two_passages_answer_nothing() -> None:
    far = "Kiln 4 stands in the yard. The shed is new. The roof is red. Pots are fired on 12 October in kiln 3."
    assert codes([KILN], context=[passage("P-1", far)], open_=[still(KILN)]) == set()
    apart = [passage("A", "Kiln 4 stands here."), passage("B", "Pots are fired on 12 October.")]
    assert codes([KILN], context=apart, open_=[still(KILN)]) == set()


def test_what_the_user_had_ruled_out_answers_nothing() -> None:
    asked = entry("Who sells red clay?", exclusions=(Exclusion(phrase="Holm"),))
    text = passage("P-1", "Holm sells red clay.")
    assert codes([asked], context=[text], open_=[still(asked.question)]) == set()
    assert codes(["Who sells red clay?"], context=[text], open_=[still(asked.question)]) == {"missed_resolution"}


def test_a_passage_out_of_scope_answers_nothing() -> None:
    scope = AccessScope(allowed={"site": ["south"]})
    assert codes([KILN], context=[FIRED], open_=[still(KILN)], access_scope=scope) == set()


def test_an_elliptical_question_is_held_against_its_standalone_form() -> None:
    asked = entry("And the fourth?", standalone_query="When is kiln 4 fired?")
    assert codes([asked], context=[FIRED], open_=[still(asked.question)]) == {"missed_resolution"}


DEEP = passage("P-1", "The clay pit is 9 m deep.", "Pits")


@pytest.mark.parametrize(
    ("question", "text", "ids", "expected"),
    [
        ("How deep is the clay pit?", "9 m [Source: P-1].", ("P-1",), set()),
        ("What is the depth of the pit?", "9 m [Source: P-1].", ("P-1",), set()),
        ("Wie tief ist die Lehmgrube?", "Sie ist 9 m tief [Source: P-1].", ("P-1",), set()),
        ("How deep is the clay pit?", "Fog is expected [Source: N-1].", ("N-1",), {"current_question_lost"}),
        ("How many kilns are lit?", "The clay pit is 9 m deep [Source: P-1].", ("P-1",), {"current_question_lost"}),
        ("How deep is the clay pit?", "The clay pit is 9 m deep.", (), {"ungrounded_resolution"}),
        ("How deep is the clay pit?", "The clay pit is 8 m deep.", ("P-1",), {"ungrounded_resolution"}),
        ("How deep is the clay pit?", "9 m.", ("Q-7",), {"ungrounded_resolution", "current_question_lost"}),
        ("How deep is the clay pit?", "Guests connect through the hub.", (),
         {"ungrounded_resolution", "current_question_lost"}),
        ("Anything else?", "Fog is expected [Source: N-1].", ("N-1",), set()),
        ("Thanks.", "You're welcome.", (), set()),
        ("What is still open?", "Nothing is open.", (), set()),
    ],
)  # fmt: skip
def test_the_answer_to_the_question_of_this_turn(
    question: str, text: str, ids: tuple[str, ...], expected: set[str]
) -> None:
    assert codes([], question, context=[DEEP, FOG], current=answered(text, *ids)) == expected


def test_an_old_question_answered_in_place_of_the_new_one() -> None:
    current = answered("Kiln 4 is fired on 12 October [Source: K-4].", "K-4")
    done = [resolved(KILN, "On 12 October.", "K-4")]
    assert codes([KILN], "How deep is the well?", context=[FIRED], current=current, done=done) == {
        "current_question_lost"
    }


def test_a_clarification_completes_a_pending_question() -> None:
    asked = "How many pots were fired?"
    current = answered("80 pots in May [Source: M-5].", "M-5")
    context = [passage("M-5", "In May 80 pots were fired.")]
    done = [resolved(asked, "80 pots in May.", "M-5")]
    assert codes([asked], "May.", context=context, current=current, done=done) == set()
    assert codes([asked], "May.", open_=[still(asked)]) == set()
    assert codes([asked], "May.", open_=[still(asked), still("May.")]) == {"unknown_question"}


def test_other_words_of_the_question_count_too() -> None:
    current = answered("It is 9 m deep.", "P-1")
    assert codes([], "And the second one?", context=[DEEP], current=current) == {"current_question_lost"}
    assert (
        codes([], "And the second one?", context=[DEEP], current=current, standalone_query="How deep is pit 2?")
        == set()
    )


def test_a_message_names_the_question_and_the_reason() -> None:
    given = turn([KILN], context=[FIRED], done=[resolved(KILN, "On 13 October.", "K-4")])
    (found,) = check(**given)
    assert "kiln 4" in found.message and "13" in found.message and found.span == KILN
