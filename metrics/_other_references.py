"""References by "one", "there", the former and ordinals of an English text."""

from __future__ import annotations

import re

from ._analysis import Analysis, is_closed
from ._antecedents import Introduced
from ._demonstratives import mention
from ._earlier_text import count_noun_before, pair_before, same_head
from ._expletives import is_existential
from ._mentions import Kind, Mention
from ._reference_words import is_a, parts_of_speech
from ._remarks import in_remark

_DATING = frozenset("on until till from by before after since between and in at to of".split())  # "on the 2nd"
ORDINALS = frozenset("first second third fourth fifth sixth seventh eighth ninth tenth last middle other final".split())
_RANK = re.compile(r"\d{1,2}(?:st|nd|rd|th)")
_OFFERED = frozenset("option item choice suggestion alternative".split())
_CHOICES = _OFFERED | frozenset("point entry result step bullet".split())
_KINDS = frozenset("kind type sort".split())
_RESTRICTING = frozenset("of in that which who from on with at between".split())
_PICKED = ORDINALS - {"other", "final", "last", "middle"}
NUMBER_NAMES = frozenset("one two three four five six seven eight nine ten".split())


def one_at(doc: Analysis, i: int) -> Mention | None:
    """Return the unresolved "one" or "ones" at word `i` ("the cheaper one", "which one", "the second one")."""
    start = i
    while start > 0 and i - start < 4 and doc.joined(start - 1, start) and not is_a(doc.low(start), "determiner", "wh"):
        before = doc.low(start - 1)
        if not (is_a(before, "determiner", "quantity") or before == "which" or not is_closed(before)):
            break
        numeral = before[:1].isdigit()
        # The dictionary knows "third" as a verb and "fourth" as a noun alone.
        if not is_closed(before) and not numeral and before not in ORDINALS and "ADJ" not in parts_of_speech(before):
            break
        start -= 1
    first = start
    if not is_a(doc.low(start), "determiner", "wh", "quantity"):
        start = i
    opener, nxt = doc.low(start), doc.low(i + 1) if doc.joined(i, i + 1) else ""
    if (
        nxt == "of"
        or doc.words[i].clitic
        or opener in ("any", "every", "no", "each", "some", "either", "neither", "another")
    ):
        return None
    if doc.low(i) == "one" and (start == i or not is_a(opener, "determiner", "wh")):
        prev = doc.low(i - 1)  # a number or the generic pronoun, unless it closes "do I need one"
        governed = "VERB" in parts_of_speech(prev) or prev in ("be", "there") or is_a(prev, "preposition")
        bare = start == i and governed and prev not in ("by", "at", "from", "per") and not is_a(prev, "auxiliary")
        bare = bare or (prev == "do" and (i == 1 or is_a(doc.low(i - 2), "nominative")))
        if not (bare or prev in ("be", "have")) or not doc.joined(i - 1, i) or (nxt and not is_a(nxt, "preposition")):
            return None
    if nxt in ("who", "whom") or (
        nxt and "NOUN" in parts_of_speech(nxt) and not is_closed(nxt) and opener not in ("the", "which", "that", "this")
    ):
        return None
    if (
        nxt
        and not is_closed(nxt)
        and doc.low(i) == "one"
        and doc.low(i - 1) in ("the", "that", "this", "just", "only", "which")
    ):
        if "VERB" not in parts_of_speech(nxt) and not doc.words[i + 1].capital:
            return None  # "the one exception"
    named = any("," in w.gap for w in doc.words[i + 1 : i + 2]) and any(w.low == "or" for w in doc.words[i + 1 : i + 9])
    inner = [doc.low(k) for k in range(start, i)]
    ordinal = any(w in ORDINALS or _RANK.fullmatch(w) for w in inner)
    if named or in_remark(doc, start, i + 1) or count_noun_before(doc, first, picks=ordinal or inner[-1:] != inner[:1]):
        return None
    graded = any(
        (w.endswith(("er", "est")) and "ADJ" in parts_of_speech(w)) or w in ("more", "most", "less") for w in inner
    )
    kind: Kind = "ordinal" if ordinal else "comparative" if graded and "other" not in inner else "one"
    start = first if doc.low(i) == "ones" else start
    return mention(doc, start, i + 1, kind, doc.low(i), "pl" if doc.low(i) == "ones" else "sg")


def definite_at(doc: Analysis, i: int) -> Mention | None:
    """Return "the former", "the second", "the middle singer" or "the cheaper" that "the" opens at word `i`."""
    nxt, after = doc.low(i + 1), doc.low(i + 2) if doc.joined(i + 1, i + 2) else ""
    if not doc.joined(i, i + 1):
        return None
    verbal = "VERB" in parts_of_speech(after) and ("NOUN" not in parts_of_speech(after) or after in ("sounds", "looks"))
    ends = not after or verbal or (is_closed(after) and after not in ("one", "ones"))
    if nxt in ("latter", "former") and (ends or nxt == "latter" or is_a(doc.low(i - 1), "auxiliary")):
        return None if pair_before(doc, i) else mention(doc, i, i + 2, "former_latter", nxt)
    beyond = doc.low(i + 3) if doc.joined(i + 2, i + 3) else ""
    if nxt in ORDINALS and after in _CHOICES and (after in _OFFERED or beyond in ("", "above", "you", "from")):
        return mention(doc, i, i + 3, "ordinal", after)
    if nxt in ORDINALS and after in _KINDS and beyond != "of" and not same_head(doc, after, i):
        return mention(doc, i, i + 3, "ordinal", after)
    if (
        nxt in _PICKED
        and is_a(doc.low(i - 1), "auxiliary")
        and (is_graded(after) or ("VERB" in parts_of_speech(after) and not beyond))
    ):
        return None if pair_before(doc, i) else mention(doc, i, i + 2, "ordinal", nxt)
    if nxt == "two" and (
        i + 2 >= len(doc.words) or (doc.low(i - 1) == "of" and after and (is_closed(after) or verbal))
    ):
        told = pair_before(doc, i) or any(p.number == "pl" for p in doc.phrases_before(i))
        return None if told else mention(doc, i, i + 2, "former_latter", nxt, "pl")
    if nxt == "two" and doc.low(i - 1) == "of" and is_a(doc.low(i - 2), "wh") and after:
        told = pair_before(doc, i) or any(p.number == "pl" for p in doc.phrases_before(i))
        ends = not beyond or is_closed(beyond) or "VERB" in parts_of_speech(beyond)
        return (
            None if told or not ends or beyond in _RESTRICTING else mention(doc, i, i + 3, "former_latter", after, "pl")
        )
    if nxt == "middle" and after and not ends and "NOUN" in parts_of_speech(after):
        return mention(doc, i, i + 3, "ordinal", after)
    if (
        nxt in ORDINALS - {"other", "final"}
        and ends
        and after not in ("to", "of", "time", "i", "and", "in", "on", "at")
    ):
        told = any(p.wh or p.number == "pl" or p.predicate for p in doc.phrases_before(i))
        return None if told else mention(doc, i, i + 2, "ordinal", nxt)
    if _RANK.fullmatch(nxt) and ends and after not in ("of", "to") and doc.low(i - 1) not in _DATING:
        told = any(p.wh or p.number == "pl" or p.predicate for p in doc.phrases_before(i))
        return None if told else mention(doc, i, i + 2, "ordinal", nxt)
    known = parts_of_speech(nxt)
    graded = (
        nxt.endswith(("er", "est"))
        and "ADJ" in known
        and known["ADJ"] != (nxt,)
        and nxt not in ("best", "latest", "rest")
        and not (doc.low(i - 1) == "at" and nxt.endswith("est"))  # "at the earliest"
    )
    if (
        graded
        and (after in ("", "please") or (verbal and is_a(doc.low(i - 1), "auxiliary")))
        and not count_noun_before(doc, i)
    ):
        return mention(doc, i, i + 2, "comparative", nxt)
    return None


def number_at(doc: Analysis, i: int) -> Mention | None:
    """Return "number two", "option b", "#3" at word `i` when nothing before says of what."""
    low, nxt = doc.low(i), doc.low(i + 1)
    if (
        not doc.joined(i, i + 1)
        or is_a(doc.low(i - 1), "determiner")
        or not (nxt in NUMBER_NAMES or nxt.isdigit() or len(nxt) == 1)
    ):
        return None
    if nxt in ("a", "i") and doc.words[i + 1].token.text in ("a", "i", "I"):
        return None
    if (low == "number" and nxt.isdigit() and len(nxt) > 2) or is_a(doc.low(i + 2), "wh") or doc.low(i + 2) == "hit":
        return None
    return mention(doc, i, i + 2, "ordinal", nxt)


def locative_at(doc: Analysis, i: int, introduced: Introduced) -> Mention | None:
    """Return the unresolved place word "there" at word `i`."""
    if is_existential(doc, i):
        return None
    here = doc.words[i]
    for phrase in reversed(doc.phrases_before(i)):
        if phrase.animacy == "person" or phrase.kind == "pair":
            continue
        earlier = doc.words[phrase.end - 1].clause < here.clause
        placed = (
            doc.low(phrase.start - 1) in ("in", "at", "to", "near", "from", "into", "visit") or phrase.kind == "name"
        )
        if (placed and (earlier or introduced(phrase))) or doc.words[phrase.end - 1].sentence < here.sentence:
            return None
    return mention(doc, i, i + 1, "locative")


def is_graded(low: str) -> bool:
    known = parts_of_speech(low)
    inflected = low.endswith(("er", "est")) and any(low not in known.get(kind, (low,)) for kind in ("ADJ", "ADV"))
    return inflected or low in ("more", "most", "less", "least", "better", "best", "worse", "worst")
