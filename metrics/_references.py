"""Unresolved references of a text: what a rewriter must resolve and what the check of a standalone query flags.

Third-person pronouns, demonstratives, "one/ones", "there", "the former/latter", ordinals into a list and elliptical
openers are references (ruling 3 of reformulate); those whose antecedent stands in the same text are resolved. Rules
and lexicons only: linear in the length of the text, deterministic.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..signatures.types import Turn
from ._analysis import Analysis, Phrase, is_closed
from ._antecedents import Introduced, agrees, find_antecedent
from ._demonstratives import demonstrative_at, mention
from ._elliptical_references import choice_at, date_at, fragment, is_verbless, opener_at, same_at
from ._expletives import is_expletive
from ._foreign_references import find_foreign, guess_language, is_bare
from ._lists import list_items, pick_ordinal
from ._mentions import PRONOUNS, Mention
from ._noun_phrases import analyse
from ._other_references import definite_at, locative_at, number_at, one_at
from ._reference_words import parts_of_speech
from ._remarks import explained_after_colon, in_remark
from ._text import fold, low_tokens

_LONGEST_READ = 8000  # characters of a text, half of them at its end
_MOST_MENTIONS = 200  # of one text; no message of a person has more
_LONGEST_OPENED = 10  # words after an opener that make no question of their own

__all__ = ["Mention", "antecedent_agrees", "find_mentions", "list_items", "pick_ordinal", "residual_references"]


def find_mentions(query: str, *, language: str | None = None) -> list[Mention]:
    """Return the references of a raw query that nothing in the query itself explains, in order of place.

    Args:
        query: The user's words.
        language: ISO 639-1 code; None decides by script and function words.

    Returns:
        Mentions with offsets into `query`. Expletives, conjunctions, quoted spans, deictic time and text ("this year",
        "this article"), "one of X" and pronouns with an antecedent in the query are left out.
    """
    return _find(query, language, None)


def residual_references(text: str, query: str, history: Sequence[Turn]) -> list[Mention]:
    """Return the references that a standalone query still leaves to the history.

    Args:
        text: The standalone query to check.
        query: The raw query that it was made from. Phrases of `text` that are not the query's own were brought in to
            resolve something, so they count as antecedents more readily.
        history: The turns before; not needed by the present rules.
    """
    asked = _lows(query)
    same = _lows(text) == asked
    return [
        m
        for m in _find(text, None, frozenset(asked))
        if (same and _bare(text, m) if m.kind == "ellipsis" else not _on_the_answer(text, m))
    ]


def antecedent_agrees(mention: Mention, phrase: str) -> bool:
    """Whether number, animacy and gender let `phrase` be the referent; what is unknown counts as agreement."""
    phrases = analyse(phrase).phrases
    if not phrases:
        return True
    # Phrases nest: the longest one that opens the text is the one whose head counts ("laptop orders", not "laptop").
    return agrees(
        mention, max((p for p in phrases if p.start == phrases[0].start), key=lambda p: (p.end, p.kind == "pair"))
    )


def _on_the_answer(text: str, found: Mention) -> bool:
    """Whether a statement is about the last answer as such, "That's not what I asked": it has no other subject."""
    if found.kind != "demonstrative" or found.head or fold(found.text) != "that":
        return False
    rest = fold(text[found.end :])
    opens = not text[: found.start].strip() or text[: found.start].rstrip()[-1] in ".!,;"
    return opens and rest.startswith(("'s ", " is ", " was ", " isn't ", " wasn't ", " doesn't ")) and "?" not in rest


def _lows(text: str) -> list[str]:
    return [low.partition("'")[0] for low in low_tokens(text)]


def _bare(text: str, opener: Mention) -> bool:
    """Whether so little follows the opener that the question is not told: "What about renters?"."""
    if (code := guess_language(text)) != "en":
        return is_bare(text[opener.end :], code)
    after = analyse(text[opener.end :])
    if fold(opener.text) in ("and", "or") or "same" in fold(opener.text):
        return is_verbless(after) and len(after.words) <= _LONGEST_OPENED
    return sum(not is_closed(w.low) for w in after.words) <= 2


def _find(text: str, language: str | None, own: frozenset[str] | None) -> list[Mention]:
    """Find the mentions; `own` are the words of the raw query, None when the text is that query itself."""
    code = language or guess_language(text)
    if code != "en":
        return find_foreign(text, code)
    if len(text) > _LONGEST_READ:
        return _at_both_ends(text, own)
    return _find_english(text, own)


def _at_both_ends(text: str, own: frozenset[str] | None) -> list[Mention]:
    """Find the mentions near the beginning and the end of a pasted text, where a user's own words stand."""
    half = _LONGEST_READ // 2
    head, start = text[:half], len(text) - half
    later = (m._replace(start=m.start + start, end=m.end + start) for m in _find_english(text[start:], own))
    return [m for m in (*_find_english(head, own), *later) if m.end != half]  # not a word that the cut made


def _find_english(text: str, own: frozenset[str] | None) -> list[Mention]:
    doc = analyse(text)
    if (whole := fragment(doc)) is not None:
        return [whole]

    def introduced(phrase: Phrase) -> bool:
        if own is None:
            return False
        if phrase.kind == "noun":
            return doc.low(phrase.end - 1) not in own
        return any(w.low not in own for w in doc.words[phrase.start : phrase.end] if not is_closed(w.low))

    found: list[Mention] = []
    after = 0
    choice = choice_at(doc, 0) if own is None and doc.low(0) == "which" else None
    if choice is not None:
        found.append(choice)
    for i, word in enumerate(doc.words):
        if word.quoted or i < after:
            continue
        hit = _at(doc, i, introduced)
        if hit is not None and not (found and hit.start < found[-1].end):
            found.append(hit)
            while after < len(doc.words) and doc.words[after].token.start < hit.end:
                after += 1
            if len(found) == _MOST_MENTIONS:
                break
    return found


def _at(doc: Analysis, i: int, introduced: Introduced) -> Mention | None:
    word = doc.words[i]
    first = i == 0 or doc.words[i - 1].sentence != word.sentence
    if first and ".." not in word.gap and word.low in ("what", "how", "and", "or") and (hit := opener_at(doc, i)):
        return hit
    if word.low == "same" and (hit := same_at(doc, i)):
        return hit
    if _in_title(doc, i):
        return None
    if word.low in ("later", "earlier", "before", "after"):
        return date_at(doc, i)
    if word.low in PRONOUNS:
        return _pronoun_at(doc, i, introduced)
    if word.low in ("this", "that", "these", "those"):
        return demonstrative_at(doc, i, introduced)
    if word.low in ("one", "ones"):
        return one_at(doc, i)
    if word.low == "there":
        return locative_at(doc, i, introduced)
    if word.low == "the":
        return definite_at(doc, i)
    if word.low in ("number", "option", "choice", "item", "point"):
        return number_at(doc, i)
    return None


def _pronoun_at(doc: Analysis, i: int, introduced: Introduced) -> Mention | None:
    word, want = doc.words[i], PRONOUNS[doc.words[i].low]
    if word.low == "it" and is_expletive(doc, i):
        return None
    if word.low == "her" and not (doc.joined(i, i + 1) and not is_closed(doc.low(i + 1)) and not word.clitic):
        want = want._replace(kind="pronoun")
    if (
        word.low == "it"
        and word.clitic == "'s"
        and (set(parts_of_speech(doc.low(i + 1))) == {"NOUN"} or _named(doc, i + 1))
    ):
        want = PRONOUNS["its"]  # misspelt
    if want.kind == "pronoun" and explained_after_colon(doc, i):
        return None  # explained after the colon
    if in_remark(doc, i):
        return None
    identity = doc.low(i - 1) == "who" and word.low == "it"  # "who it was" asks for a person
    if not identity and find_antecedent(doc, i, want, introduced) is not None:
        return None
    hit = mention(doc, i, i + 1, want.kind)
    return hit._replace(number=want.number, animacy=want.animacy, gender=want.gender)


def _named(doc: Analysis, i: int) -> bool:
    return i < len(doc.words) and doc.words[i].capital


def _in_title(doc: Analysis, i: int) -> bool:
    """Whether the pronoun is part of a title in the middle of a sentence: "Is She Really Going"."""
    word = doc.words[i]
    if (
        not word.capital
        or i == 0
        or doc.words[i - 1].sentence != word.sentence
        or word.gap.strip()
        or doc.text.isupper()
    ):
        return False
    return sum(not w.capital for w in doc.words[max(0, i - 8) : i + 8]) > 1
