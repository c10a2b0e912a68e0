"""Lists in messages, and picks from them."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._references import list_items, pick_ordinal


@pytest.mark.parametrize(
    ("message", "items"),
    [
        ("1. Rye. 2. Wheat. 3. Spelt.", ["Rye", "Wheat", "Spelt"]),
        ("We have:\n1) Red paint\n2) Blue paint\nWhich?", ["Red paint", "Blue paint"]),
        ("a) tea b) coffee", ["tea", "coffee"]),
        ("Two cats:\n- **Kira**: a tabby\n- **Bo**: a tom", ["Kira", "Bo"]),
        ("* oak - hard\n* pine - soft", ["oak", "pine"]),
        ("We have Lena Marsk, Peer Hold and Nuno Reis on staff.", ["Lena Marsk", "Peer Hold", "Nuno Reis"]),
        ("The Sona 5 (2 kg) and the Tarn Z (3 kg).", ["The Sona 5", "the Tarn Z"]),
        ("Two sizes. Do you want size M4 or L6?", ["M4", "L6"]),
        (
            "You can choose between a monthly plan, a yearly plan or a trial.",
            ["a monthly plan", "a yearly plan", "a trial"],
        ),
        ("Cook, waiter, porter.", ["Cook", "waiter", "porter"]),
        (
            "Three kilns: the Arvo, a top loader; the Brann, a front loader with a timer; and the Cella, a small one.",
            ["the Arvo", "the Brann", "the Cella"],
        ),
        (
            "1. Knots with Ada Pint, 2. Charts with Ole Vik. Who should I book?",
            ["Knots with Ada Pint", "Charts with Ole Vik"],
        ),
        ("We rent the Orvik drill and the Lumo drill.", ["the Orvik drill", "the Lumo drill"]),
        ("The fee covers towels and storage.", ["towels", "storage"]),
        ("(1) Rye, (2) Wheat and (3) Spelt.", ["Rye", "Wheat", "Spelt"]),
        ("**1. Rye** - tall\n**2. Wheat** - short", ["Rye", "Wheat"]),
        ("There are two plans, Basic at 3 euros and Plus at 5 euros.", ["Basic at 3 euros", "Plus at 5 euros"]),
        ("We offer: Basic, Plus, Max.", ["Basic", "Plus", "Max"]),
        ("Wir haben den Orvik-Bohrer und den Lumo-Bohrer.", ["den Orvik-Bohrer", "den Lumo-Bohrer"]),
        ("Tenemos la canoa Brisa y el kayak Lince.", ["la canoa Brisa", "el kayak Lince"]),
        ("1. Ferry. 2. Bus.\n\nOr by car:\n1. Tunnel. 2. Bridge.", ["Tunnel", "Bridge"]),
    ],
)
def test_list_items(message: str, items: list[str]) -> None:
    assert list_items(message) == items


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Yes, from May to June.",
        "Open it and add a user.",
        "It costs 1.5 kroner.",
        "The term starts in May and ends in June.",
        "The seal dries out and leaks.",
        "Lift the lid and press the red knob.",
        "We open in May and close in June; it is dry; and it is warm.",
    ],
)
def test_no_list(message: str) -> None:
    assert list_items(message) == []


@pytest.mark.parametrize(
    ("mention", "item"),
    [
        ("the first", "rye"),
        ("the second one", "wheat"),
        ("number two", "wheat"),
        ("option 3", "spelt"),
        ("2", "wheat"),
        ("B", "wheat"),
        ("c", "spelt"),
        ("\u00b9", None),
        ("the middle one", "wheat"),
        ("the last one", "spelt"),
        ("second to last", "wheat"),
        ("the 3rd", "spelt"),
        ("el segundo", "wheat"),
        ("the fourth", None),
        ("the former", None),
        ("the first two", None),
        ("the cheap one", None),
        ("", None),
    ],
)
def test_pick_ordinal(mention: str, item: str | None) -> None:
    assert pick_ordinal(mention, ["rye", "wheat", "spelt"]) == item


def test_former_and_latter_need_two_items() -> None:
    assert (pick_ordinal("the former", ["rye", "oat"]), pick_ordinal("the latter", ["rye", "oat"])) == ("rye", "oat")


def test_no_middle_of_an_even_list() -> None:
    assert pick_ordinal("the middle one", ["rye", "oat"]) is None
