"""The exclusion detector on single messages: what rules out, what only mentions, how far a cue reaches."""

from __future__ import annotations

import pytest

from turnkeeper.metrics.expand import detect

EXCLUDES = [
    ("cabins without a stove", ["stove"]),
    ("lamps except desk lamps", ["desk lamps"]),
    ("ferry routes apart from Orrin, anything else?", ["Orrin"]),
    ("museums other than the Tarn Gallery", ["Tarn Gallery"]),
    ("any tea but green tea", ["green tea"]),
    ("anything but a sofa bed", ["sofa bed"]),
    ("neither wool nor silk", ["wool", "silk"]),
    ("scarves, no wool please", ["wool"]),
    ("I don't want a contract", ["contract"]),
    ("don\u2019t show me refurbished phones", ["refurbished phones"]),
    ("don\u00b4t include paperbacks", ["paperbacks"]),
    ("i dont like olives", ["olives"]),
    ("I can't stand liquorice", ["liquorice"]),
    ("I hate buffets", ["buffets"]),
    ("we're not fans of jazz, suggest a bar", ["jazz"]),
    ("my daughter is allergic to walnuts, find a cake", ["walnuts"]),
    ("I have a latex allergy, which gloves can I buy", ["latex"]),
    ("soups free from celery", ["celery"]),
    ("jackets -fleece", ["fleece"]),
    ('posters -"film noir"', ["film noir"]),
    ("tickets -status:closed", ["closed"]),
    ("jaguar NOT car", ["car"]),
    ("non-magnetic screws", ["magnetic"]),
    ("shoes that are not leather", ["leather"]),
    ("phones that don't use face unlock", ["face unlock"]),
    ("cars whose colour isn't red", ["red"]),
    ("novels that aren't set in Marrow Bay", ["Marrow Bay"]),
    ("hotels not near the station", ["near the station"]),
    ("notes not by Ketil Varn", ["Ketil Varn"]),
    ("tea rather than coffee", ["coffee"]),
    ("oat milk instead of soy milk", ["soy milk"]),
    ("sales figures excluding Q2 and Q4", ["Q2", "Q4"]),
    ("exclude Varn, Ostby and Lume", ["Varn", "Ostby", "Lume"]),
    ("no nuts or raisins in the cake", ["nuts", "raisins"]),
    ("gardens without slugs, snails or moss", ["slugs", "snails", "moss"]),
    ("a flat with a balcony but no lift", ["lift"]),
    ("leave out the appendix", ["appendix"]),
    ("please skip the sponsored ones", ["sponsored"]),
    ("nothing with gelatine", ["gelatine"]),
    ("nobody here eats pork, dinner ideas", ["pork"]),
    ("I never eat veal; recommend a stew", ["veal"]),
    ("steer clear of Pella Street", ["Pella Street"]),
    ("the report should not include salaries", ["salaries"]),
    ("all sizes, XXL excluded", ["XXL"]),
    ("VELVET CHAIRS WITHOUT ARMRESTS", ["ARMRESTS"]),
    ("hikes, avoiding any mention of Mount Skarn", ["Mount Skarn"]),
    ('songs by Ilse Morn except the single "Blue Hour"', ["Blue Hour"]),
    ("recettes sans beurre pour la semaine", ["beurre"]),
    ("Hotels au\u00dfer Hotel Lind", ["Hotel Lind"]),
    ("hoteles sin piscina en la costa", ["piscina"]),
    ("fietsen zonder mand", ["mand"]),
    (
        "\u043e\u0442\u0435\u043b\u0438 \u0431\u0435\u0437 \u0431\u0430\u0441\u0441\u0435\u0439\u043d\u0430",
        ["\u0431\u0430\u0441\u0441\u0435\u0439\u043d\u0430"],
    ),
]  # fmt: skip

MENTIONS = [
    "which of your tariffs do not include roaming?",
    "who did not sign the Varn treaty?",
    "what can be welded without flux?",
    "why is there no hot water?",
    "my printer does not start",
    "I can't connect to the guest network",
    "the app isn't loading since Monday",
    "no sound after the update",
    "with or without sugar",
    "tents with and without a porch",
    "no-code tools",
    "non-fiction about bees",
    "non-stop flights",
    "gluten-free bread",
    "not only cheap but also light",
    "no more than five people",
    "not less than 20 kg",
    "rooms no bigger than 12 m2",
    "we can't live without coffee, find beans",
    "there's no recipe without salt",
    "if it does not rain, where can we swim?",
    "unless there is no seat left, book row 4",
    "the Ombra lease includes heating, doesn't it?",
    "I can't wait for the Varn sequel, when is it out?",
    "don't forget to add the Lund figures",
    "I don't know how to reset it",
    "why don't you list the fees?",
    "no doubt there is a fee",
    "Doctors without Borders jobs",
    "who wrote No Road for Young Boats",
    "lyrics of 'Never Without You'",
    'the film "Not My Island"',
    "besides the price, tell me the delivery time too",
    "free delivery to Orrin",
    "it was anything but easy",
    "is breakfast not included?",
    "tips for avoiding jet lag",
    "how do I avoid late fees?",
    'the manual says "do not use bleach", how do I clean it?',
    "my landlord says no pets are allowed, is that legal?",
    "> no refunds\nwhat does this clause mean?",
    "ADR-016 and 2019-2021",
    "a hike of -5 degrees",
    "hotels, ideally without a casino",
    "no pool if possible",
    "cottages, a garden is not a deal-breaker",
    "nothing boring please",
    "not too spicy",
    "donut shops in knot town",
    "No, I meant the blue one",
    "last but not least, the fees",
    "mit oder ohne Milch",
]  # fmt: skip


@pytest.mark.parametrize(("query", "phrases"), EXCLUDES, ids=[q for q, _ in EXCLUDES])
def test_what_rules_out(query: str, phrases: list[str]) -> None:
    assert list(detect([], query).active) == phrases


@pytest.mark.parametrize("query", MENTIONS)
def test_what_only_mentions(query: str) -> None:
    assert detect([], query).active == ()


@pytest.mark.parametrize("query", ["nothing boring please", "a film, nothing too long", "curry, not too spicy"])
def test_a_wish_that_names_nothing_is_vague(query: str) -> None:
    found = detect([], query)
    assert (found.active, found.vague) == ((), True)


def test_an_operator_with_a_field_rules_out_a_value_of_that_field() -> None:
    (found,) = detect([], "tickets -status:closed").exclusions
    assert (found.phrase, found.field, found.cue) == ("closed", "status", "-")


def test_a_comma_list_is_excluded_up_to_its_first_item() -> None:
    assert detect([], "a villa, no cellar, high ceilings, a stove").active == ("cellar",)


def test_and_ends_a_bare_not() -> None:
    assert detect([], "guides, not Orla and beginner courses").active == ("Orla",)


def test_a_plural_head_behind_two_materials_is_shared() -> None:
    assert detect([], "I want neither oak nor pine tables").active == ("oak", "pine")
