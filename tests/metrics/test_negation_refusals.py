"""What the user will not or cannot do, things that leave something out, and what trails a phrase; with what is none."""

from __future__ import annotations

import pytest

from turnkeeper.metrics.expand import detect

TAILS = [
    ("I don't want drawers anywhere", ["drawers"]),
    ("flats with no gas anywhere in the house", ["gas"]),
    ("don't show me adverts everywhere", ["adverts"]),
    ("rooms without mirrors of any kind in Leeds", ["mirrors"]),
    ("I'd like a shelf with no screws in it at all", ["screws"]),
    ("no plastic anywhere or glass", ["plastic", "glass"]),
    ("a hotel, not anywhere near the airport", ["near the airport"]),
]
OMISSIONS = [
    ("a tour that skips the cathedral", ["cathedral"]),
    ("show me a boat trip that skips Ferrin Bay and goes to Ulm", ["Ferrin Bay"]),
    ("find me a recipe that leaves out sugar", ["sugar"]),
    ("is there a plan that leaves out insurance?", ["insurance"]),
    ("a course that avoids calculus", ["calculus"]),
    ("the tour that bypasses the chapel, please", ["chapel"]),
    ("how do I find a route that avoids tunnels?", ["tunnels"]),
    ("a train route that starts in Lund and avoids Malmen", ["Malmen"]),
    ("a city tour skipping the old harbour", ["old harbour"]),
]
REFUSALS = [
    ("I will not open an account", ["account"]),
    ("I won't sign up for a newsletter", ["newsletter"]),
    ("we're not willing to pay a deposit", ["deposit"]),
    ("I'm not going to install an app", ["app"]),
    ("I won't give out my email address", ["email address"]),
    ("I refuse to pay a fee", ["fee"]),
    ("I refuse to sign a contract, which gyms are there", ["contract"]),
    ("we refuse to fly", ["fly"]),
    ("my kids refuse to eat mushrooms", ["mushrooms"]),
]
CANNOT = [
    ("I can't take perfume", ["perfume"]),
    ("can't take gluten, need a bakery", ["gluten"]),
    ("my mother can't take aspirin", ["aspirin"]),
    ("I can't wear high heels", ["high heels"]),
    ("I can't be around cats", ["cats"]),
    ("we can't travel by plane", ["plane"]),
    ("I can't travel in July", ["July"]),
    ("I can't come on Tuesdays", ["Tuesdays"]),
]
NOTHING = [
    ("toys, nothing that needs batteries", ["batteries"]),
    ("nothing that requires an app", ["app"]),
    ("show me nothing that runs on gas", ["gas"]),
    ("games for the train, nothing that makes noise", ["noise"]),
]
EXCLUDES = [*TAILS, *OMISSIONS, *REFUSALS, *CANNOT, *NOTHING]

SYMPTOMS = [
    "I can't open an account, what is wrong?",
    "I can't find my keys anywhere",
    "there's no signal anywhere in the house",
    "I can't take photos since the update",
    "I can't take the lid off",
    "I can't take Mondays off",
    "my camera can't take long videos",
    "can't use the app",
    "I can't travel to the last level in the game",
    "can't travel, my passport is lost",
    "the door refuses to open",
    "my phone refuses to install an update",
    "it won't open an account",
    "my record player skips the first song, how do I fix it?",
    "I have a player that skips tracks, can it be repaired?",
    "the vacuum that avoids obstacles keeps stopping",
    "nothing that I tried works",
]
TOPICS = [
    "who refuses to pay the levy?",
    "did the king refuse to sign the treaty?",
    "what happens if I refuse to pay the fee?",
    "I refuse to pay the parking fine, is that legal?",
    "I will not pay the fine",
    "I won't use the second ticket",
    "which tours skip the cathedral?",
    "what is the name of the tour that skips the cathedral?",
    "how to talk to someone who avoids eye contact",
    "a novel about a girl who skips school",
    "drivers skipping the toll station",
    "a cleaner that removes limescale",
    "blinds that block light",
    "which rooms have no socket anywhere?",
    "I can't come on Monday, can I move the appointment?",
    "can I take nuts on the plane?",
]
RHETORICAL = [
    "I will not lie, the price is high",
    "I will not forget the deadline",
    "I won't open the window unless it is hot",
    "we won't need a pass, will we?",
    "I can't take it any more",
    "nothing that isn't oak",
]


@pytest.mark.parametrize(("query", "phrases"), EXCLUDES, ids=[query for query, _ in EXCLUDES])
def test_what_rules_out(query: str, phrases: list[str]) -> None:
    assert list(detect([], query).active) == phrases


@pytest.mark.parametrize("query", [*SYMPTOMS, *TOPICS, *RHETORICAL])
def test_what_rules_nothing_out(query: str) -> None:
    assert detect([], query).active == ()


@pytest.mark.parametrize("query", ["nothing that breaks easily", "a hat, nothing that fancy"])
def test_a_clause_that_names_nothing_is_vague(query: str) -> None:
    found = detect([], query)
    assert (found.active, found.vague) == ((), True)
