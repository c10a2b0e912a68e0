"""Put referents into the user's own words: grammar of the seam, nothing else. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..metrics._references import Mention
from ..metrics._text import lemmas, tokenize

_ARTICLE = re.compile(r"^(the|a|an)\s+", re.IGNORECASE)
_DETERMINERS = {"this", "that", "these", "those", "the", "such"}
_POSSESSIVES = {"its", "their", "theirs", "his", "her", "hers"}
_PREPOSITIONS = {"in", "at", "on", "from", "near", "to", "inside", "under", "for", "by", "around"}
_ELISIONS = ("'", "’")
_EDGES = " \t\n\"'“”‘’.,;:!?()[]"


class Resolved(NamedTuple):
    """A mention and the words that take its place."""

    mention: Mention
    referent: str


def clean_referent(text: str) -> str:
    """Strip what a model puts around a referent: quotes, end punctuation, a role label."""
    text = re.sub(r"^(user|assistant)\s*:\s*", "", " ".join(text.split()), flags=re.IGNORECASE)
    stripped = text.strip(_EDGES)
    return stripped + ")" if "(" in stripped and ")" not in stripped else stripped


def nominal(referent: str) -> str:
    """Cut a clause to its subject: "the pump overheats" names a thing and what it does, and only the thing fits in."""
    from lemminflect import getAllLemmas

    words = referent.split()
    while len(words) > 2 and words[-1].islower() and words[-1].endswith(("s", "ed")):
        kinds = getAllLemmas(words[-1])
        if "VERB" not in kinds or "NOUN" in kinds or "ADJ" in kinds:
            break
        words.pop()
    return " ".join(words)


def substitute(query: str, resolved: Sequence[Resolved], *, english: bool = True) -> str:
    """Return the query with each mention replaced by its referent; mentions must be in order and apart.

    Outside English the referent goes in as it is: its preposition and its article are the model's to give.
    """
    parts, at = [], 0
    for mention, referent in resolved:
        parts.append(query[at : mention.start])
        following = query[mention.end :]
        text = _in_place(mention, referent, "".join(parts), following) if english else referent
        starts = not "".join(parts).strip() or bool(re.search(r"[.!?]\s*$", "".join(parts)))
        parts.append(_cased(text, starts and query[mention.start : mention.start + 1].isupper(), starts))
        if mention.text.endswith(_ELISIONS) and following[:1].isalnum():
            parts.append(" ")
        at = mention.end
    parts.append(query[at:])
    return re.sub(r"[ \t]{2,}", " ", "".join(parts))


def _cased(text: str, upper: bool, starts: bool) -> str:
    if upper:
        return text[:1].upper() + text[1:]
    if not starts and _ARTICLE.match(text):
        return text[:1].lower() + text[1:]
    return text


def _in_place(mention: Mention, referent: str, before: str, after: str) -> str:
    words = mention.text.split()
    first = words[0].lower() if words else ""
    if first in _POSSESSIVES and (len(words) > 1 or mention.kind == "possessive"):
        return _possessive(referent, " ".join(words[1:]), after)
    if mention.kind == "locative":
        return _place(referent, before)
    if mention.kind == "one" or (words[-1:] and words[-1].lower() in {"one", "ones"}):
        return _one(words, referent)
    if mention.kind == "demonstrative" and len(words) > 1:
        return _demonstrative(words, referent)
    return referent


def _possessive(referent: str, rest: str, after: str) -> str:
    noun = rest or " ".join(after.split()[:1]).strip(_EDGES)
    owner = referent
    tail = tokenize(owner)[-1].low if tokenize(owner) else ""
    if len(tokenize(owner)) > 1 and noun and lemmas(tail) & lemmas(noun.split()[-1].lower()):
        # "Yes's singles' singles": the referent already ends with the thing that is owned.
        owner = owner[: owner.lower().rfind(tail)].rstrip()
        if owner.lower().endswith(("'s", "s'", "’s", "s’")):
            return f"{owner} {rest}".strip()
        owner = re.sub(r"\s+(of|for|in|at)$", "", owner) or referent
    if owner.lower().endswith(("'s", "s'", "’s", "s’")):
        return f"{owner} {rest}".strip()
    plural = owner.endswith("s") and owner.split()[-1][:1].islower()
    return f"{owner}{chr(39) if plural else chr(39) + 's'} {rest}".strip()


def _place(referent: str, before: str) -> str:
    previous = before.split()[-1].lower() if before.split() else ""
    first = referent.split()[0].lower() if referent.split() else ""
    if previous in _PREPOSITIONS:
        return " ".join(referent.split()[1:]) if first in _PREPOSITIONS else referent
    if first in _PREPOSITIONS:
        return referent
    return f"in {referent}" if referent[:1].isupper() and first != "the" else f"at {referent}"


def _one(words: Sequence[str], referent: str) -> str:
    inner = [w for w in words[:-1] if w.lower() not in _DETERMINERS]
    bare = _ARTICLE.sub("", referent)
    names_it = any(t.text[:1].isupper() or any(c.isdigit() for c in t.text) for t in tokenize(bare))
    if not inner or names_it or any(w.lower() in bare.lower().split() for w in inner):
        return referent if not words[:-1] or names_it else f"the {bare}"
    article = "the" if words[0].lower() in _DETERMINERS else words[0] if words[0].lower() in {"a", "an"} else ""
    return " ".join(filter(None, [article, *inner, bare]))


def _demonstrative(words: Sequence[str], referent: str) -> str:
    head = words[-1].lower()
    known = {lemma for token in tokenize(referent) for lemma in lemmas(token.low)}
    is_name = any(token.text[:1].isupper() for token in tokenize(_ARTICLE.sub("", referent)))
    if lemmas(head) & known or (is_name and not referent[:1].isdigit()):
        return referent
    if referent[:1].isdigit() or any(c.isdigit() for c in referent.split()[-1]):
        return f"{' '.join(words[1:])} {referent}"  # "that code" -> "code 4501.10"
    return referent
