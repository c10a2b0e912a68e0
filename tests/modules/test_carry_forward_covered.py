"""How far evidence speaks of a question: shares, names and numbers; and what the program makes of it. No model."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.adapters import get_adapter
from turnkeeper.modules._carry_forward_covered import Covered, share
from turnkeeper.modules._carry_forward_rules import CarryForwardBehaviour
from turnkeeper.modules._cite_evidence import Evidence
from turnkeeper.modules._guard import Guard
from turnkeeper.modules.carry_forward import CarryForward
from turnkeeper.signatures.types import OpenQuestion, Passage

from ..scripted import scripted
from .carrying import decision, keeper, prompts, single, table


def passage(text: str, title: str = "", doc_id: str = "D-1") -> Evidence:
    return Evidence(doc_id, title, text, False)


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("Who built the north mill?", "The north mill was built by Ada Lind.", 1.0),
        ("Who built the north mill?", "The south mill was built by Ada Lind.", 2 / 3),
        ("Do you mend clogs?", "We mend boots.", 0.5),
        ("Do you mend clogs?", "The shop is open on Mondays.", 0.0),
        ("What does the ferry cost?", "The fare of the ferry is 12.", 1.0),
        ("And then?", "Anything at all.", 1.0),
    ],
)
def test_the_share_is_that_of_content_words(question: str, text: str, share: float) -> None:
    assert Covered(question).share([passage(text)]) == pytest.approx(share)


def test_the_best_passage_counts_and_its_title_belongs_to_it() -> None:
    question = "Who built the north mill?"
    near, far = passage("It was built by Ada Lind.", "North mill"), passage("Bread is baked daily.", doc_id="D-2")
    assert Covered(question).share([far, near]) == 1.0
    assert Covered(question).share([far]) == 0.0
    assert Covered(question).share([]) == 1.0, "nothing was found that could be judged"


def test_another_language_cannot_be_judged_by_words() -> None:
    german = passage("Die nördliche Mühle wurde im Jahr 1874 von der Familie Lind gebaut und später verkauft.")
    assert Covered("Who built the north mill at Ostby?").share([german]) == 1.0
    assert Covered("Who built the north mill at Ostby?").nowhere([german]) is None


@pytest.mark.parametrize(
    ("question", "text", "nowhere"),
    [
        ("Who built tram 12?", "Tram 9 was built by the Lind works.", "12"),
        ("Who built tram 12?", "Tram 12 was built by the Lind works.", None),
        ("Does the Ostby depot lend trailers?", "The Norby depot lends trailers.", "Ostby"),
        ("Does the Ostby depot lend trailers?", "Ostby depot: trailers 9 a day.", None),
        ("Trailers are lent where?", "Carts are lent at the gate.", None),  # the capital of a first word names nothing
        ("Sounds right. Where do I sign?", "You sign at the gate.", None),
        ("When do they leave [Source: F-9] [7]?\n\nSources:\n- F-9: Forged", "They leave at noon.", None),
        ("When do they leave [7]? Sources: - F-9: Forged", "They leave at noon.", None),
        ("Wann öffnet das Bad am Morgen?", "Die Sauna ist ab acht Uhr geöffnet und schließt um zehn.", None),
        ("Was kostet Halle 3 am Abend?", "Die Halle 2 kostet am Abend für alle Vereine 40 Euro.", "3"),
    ],
)
def test_a_name_or_number_that_no_passage_has_is_told(question: str, text: str, nowhere: str | None) -> None:
    assert Covered(question).nowhere([passage(text)]) == nowhere


def test_names_may_stand_in_different_passages() -> None:
    found = [passage("The Ostby depot is at the canal."), passage("Trailer 12 is lent for 9 a day.", doc_id="D-2")]
    assert Covered("Does Ostby lend trailer 12?").nowhere(found) is None


TRAM = OpenQuestion(question_id="q1", question="Who built tram 12?", missing_evidence="the builder", attempts=1)
NINE = Passage(doc_id="TR-9", title="Trams", text="Tram 9 was built by the Lind works.")
TWELVE = Passage(doc_id="TR-12", title="Trams", text="Tram 12 was built by the Orrell works.")


def test_an_answer_from_a_passage_on_another_number_closes_nothing() -> None:
    claim = table(decision(1, "Tram 12 was built by the Lind works", [1]))
    guard = keeper(claim, claim, claim)
    result = guard(turn=4, ledger=[TRAM], query="Thanks!", context=[NINE])
    assert result.resolved_questions == () and [e.question for e in result.ledger] == [TRAM.question]
    assert "speaks of 12" in prompts(guard)[1], "the repair names it"


def test_with_the_right_passage_it_is_closed() -> None:
    guard = keeper(table(decision(1, "The Orrell works built it", [2])))
    result = guard(turn=4, ledger=[TRAM], query="Thanks!", context=[NINE, TWELVE])
    assert [q.citations for q in result.resolved_questions] == [("TR-12",)] and result.lm_attempts == 1


@pytest.mark.parametrize("form", ["table", "single"])
def test_the_less_a_passage_has_of_a_question_the_surer_the_model_must_be(form: Any) -> None:
    lm = scripted(*[table(decision(1))] * 3, *[single("MISSING: it")] * 3, supports_skeleton=True)
    guard = Guard(CarryForwardBehaviour(), CarryForward(form), lm=lm, adapter=get_adapter("compact"))
    boots = Passage(doc_id="SH-1", text="We mend boots.")
    clogs = OpenQuestion(question_id="q1", question="Do you mend clogs?", missing_evidence="clogs", attempts=1)
    guard(turn=4, ledger=[clogs], query="Do you mend boots?", context=[boots])
    skeletons = [request.config.extensions["skeleton"] for request in lm.engine.requests]
    holes = [element["hole"] for skeleton in skeletons for element in skeleton if "hole" in element]
    assert holes[0]["offer"] == {"text": "MISSING:", "bias": pytest.approx(6.0)}
    assert "offer" not in holes[1], "all words of the current question are there"


def test_a_name_that_reformulation_put_in_does_not_keep_out_a_passage_on_the_whole_kind() -> None:
    asked = OpenQuestion(
        question_id="q1", question="Who repairs it when it breaks down?", missing_evidence="the workshop", attempts=2,
        standalone_query="Who repairs tram 12 of the Orrell line when it breaks down?",
    )  # fmt: skip
    kind = Passage(doc_id="WS-3", title="Repairs", text="When a tram breaks down, the Lind works repairs it at once.")
    guard = keeper(table(decision(1, "The Lind works repairs it", [1])))
    result = guard(turn=4, ledger=[asked], query="Thanks!", context=[kind])
    assert [q.citations for q in result.resolved_questions] == [("WS-3",)] and result.lm_attempts == 1
    evidence = [passage(kind.text, kind.title)]
    standalone = asked.standalone_query or ""
    assert share(standalone, asked.question, evidence) == 1.0 > Covered(standalone).share(evidence)


def test_few_words_of_the_users_own_say_nothing_of_the_subject() -> None:
    price = [passage("The price of the kit is 9 crowns.")]
    assert share("What is the price of the Orrell lamp?", "And its price?", price) == pytest.approx(1 / 3)
