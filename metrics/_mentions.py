"""What a reference is: the mention, and the agreement of the third-person pronouns."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ._reference_words import Animacy, Gender, Number

Kind = Literal[
    "pronoun", "possessive", "demonstrative", "one", "locative", "former_latter", "ordinal", "comparative", "ellipsis"
]


class Mention(NamedTuple):
    """A phrase that needs an antecedent: the whole noun phrase with determiner, modifiers and head.

    Attributes:
        text: The words as written, `source[start:end]`.
        start: Offset of the first character.
        end: Offset after the last character.
        kind: What sort of reference it is; "ellipsis" is an opener such as "what about".
        head: Folded head noun of a demonstrative, an ordinal or a comparative ("album" in "that album"), else "".
        number: What the antecedent's number must be.
        animacy: Whether the antecedent is a person.
        gender: The antecedent's gender, for he and she.
    """

    text: str
    start: int
    end: int
    kind: Kind
    head: str = ""
    number: Number = "any"
    animacy: Animacy = "any"
    gender: Gender = "any"


class Agreement(NamedTuple):
    """Kind and features of a pronoun."""

    kind: Kind
    number: Number
    animacy: Animacy
    gender: Gender


PRONOUNS: dict[str, Agreement] = {
    **dict.fromkeys(("he", "him"), Agreement("pronoun", "sg", "person", "m")),
    **dict.fromkeys(("she",), Agreement("pronoun", "sg", "person", "f")),
    **dict.fromkeys(("it",), Agreement("pronoun", "sg", "thing", "any")),
    **dict.fromkeys(("they", "them"), Agreement("pronoun", "pl", "any", "any")),
    "his": Agreement("possessive", "sg", "person", "m"),
    "hers": Agreement("possessive", "sg", "person", "f"),
    "her": Agreement("possessive", "sg", "person", "f"),
    "its": Agreement("possessive", "sg", "thing", "any"),
    "their": Agreement("possessive", "pl", "any", "any"),
    "theirs": Agreement("possessive", "pl", "any", "any"),
}
