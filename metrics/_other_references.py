"""References by "one", "there", the former, ordinals, fragments and elliptical openers of an English text."""

from __future__ import annotations

from ._analysis import Analysis, is_closed
from ._antecedents import Introduced
from ._demonstratives import mention
from ._earlier_text import count_noun_before, pair_before
from ._expletives import is_existential
from ._mentions import Kind, Mention
from ._reference_words import is_a, parts_of_speech
from ._remarks import in_remark

_ORDINALS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth last middle other final".split()
)
_OFFERED = frozenset("option item choice suggestion alternative".split())
_CHOICES = _OFFERED | frozenset("point entry result step bullet".split())
_NUMBER_NAMES = frozenset("one two three four five six seven eight nine ten".split())


def one_at(doc: Analysis, i: int) -> Mention | None:
    """Return the unresolved "one" or "ones" at word `i` ("the cheaper one", "which one", "the second one")."""
    start = i
    while start > 0 and i - start < 4 and doc.joined(start - 1, start) and not is_a(doc.low(start), "determiner", "wh"):
        before = doc.low(start - 1)
        if not (is_a(before, "determiner", "quantity") or before == "which" or not is_closed(before)):
            break
        numeral = before[:1].isdigit()
        if not is_closed(before) and not numeral and "ADJ" not in parts_of_speech(before):
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
        bare = bare or (prev == "do" and is_a(doc.low(i - 2), "nominative"))
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
    if named or in_remark(doc, start, i + 1) or count_noun_before(doc, first):
        return None
    inner = [doc.low(k) for k in range(start, i)]
    ordinal = any(w in _ORDINALS for w in inner)
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
    if nxt in _ORDINALS and after in _CHOICES and (after in _OFFERED or beyond in ("", "above", "you", "from")):
        return mention(doc, i, i + 3, "ordinal", after)
    if nxt == "middle" and after and not ends and "NOUN" in parts_of_speech(after):
        return mention(doc, i, i + 3, "ordinal", after)
    if (
        nxt in _ORDINALS - {"other", "final"}
        and ends
        and after not in ("to", "of", "time", "i", "and", "in", "on", "at")
    ):
        told = any(p.wh or p.number == "pl" or p.predicate for p in doc.phrases_before(i))
        return None if told else mention(doc, i, i + 2, "ordinal", nxt)
    known = parts_of_speech(nxt)
    graded = (
        nxt.endswith(("er", "est"))
        and "ADJ" in known
        and known["ADJ"] != (nxt,)
        and nxt not in ("best", "latest", "rest")
    )
    if graded and (not after or (verbal and is_a(doc.low(i - 1), "auxiliary"))) and not count_noun_before(doc, i):
        return mention(doc, i, i + 2, "comparative", nxt)
    return None


def choice_at(doc: Analysis, i: int) -> Mention | None:
    """Return "which" at word `i` when it compares what only the history names: "which lasts longer?"."""
    nxt = doc.low(i + 1)
    if not (is_a(nxt, "be") or ("VERB" in parts_of_speech(nxt) and not is_closed(nxt))) or doc.phrases_before(i):
        return None
    rest = [w.low for w in doc.words[i + 2 : i + 8]]
    named = any(w.low == "or" or w.capital for w in doc.words[i + 1 : i + 30])
    return mention(doc, i, i + 1, "comparative") if any(map(_graded, rest)) and not named else None


def _graded(low: str) -> bool:
    known = parts_of_speech(low)
    inflected = low.endswith(("er", "est")) and any(low not in known.get(kind, (low,)) for kind in ("ADJ", "ADV"))
    return inflected or low in ("more", "most", "less", "least", "better", "best", "worse", "worst")


def number_at(doc: Analysis, i: int) -> Mention | None:
    """Return "number two", "option b", "#3" at word `i` when nothing before says of what."""
    low, nxt = doc.low(i), doc.low(i + 1)
    if (
        not doc.joined(i, i + 1)
        or is_a(doc.low(i - 1), "determiner")
        or not (nxt in _NUMBER_NAMES or nxt.isdigit() or len(nxt) == 1)
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


def fragment(doc: Analysis) -> Mention | None:
    """Return the mention that an answer of few words is as a whole: "2", "B please", "the second colour"."""
    words = [w for w in doc.words if w.low not in ("please", "thanks", "then", "ok", "okay", "yes")]
    if not 0 < len(words) <= 4 or len(doc.words) > 6:
        return None
    start = doc.words.index(words[0])
    end = start + len(words)
    if doc.words[start:end] != words:
        return None
    lows = [w.low for w in words]
    if lows in (["another", "one"], ["one", "more"], ["any", "more"], ["any", "others"]):
        return mention(doc, start, end, "one", lows[-1])
    label = (lows[0].isdigit() and len(lows[0]) < 3) or (len(lows[0]) == 1 and lows[0].isalpha() and lows[0] != "i")
    if len(lows) == 1 and (label or lows[0] in _ORDINALS | _NUMBER_NAMES - {"other", "final"}):
        return mention(doc, start, end, "ordinal", lows[0])
    rest = lows[1:] if lows[0] == "the" else lows
    if (len(lows) == len(rest) and rest[-1] != "one") or not 0 < len(rest) <= 2 or rest[0] not in _ORDINALS - {"other"}:
        return None
    return mention(doc, start, end, "ordinal", rest[-1])


def opener_at(doc: Analysis, i: int) -> Mention | None:
    """Return the elliptical opener at word `i`, the first of a sentence: "what about", "how about", "and"."""
    nxt = doc.low(i + 1)
    size = 2 if doc.low(i) in ("what", "how") and nxt in ("about", "bout") else 0
    if doc.low(i) == "and" and nxt and not is_a(nxt, "auxiliary", "nominative", "subordinator", "wh", "conjunction"):
        if nxt in ("what", "how") and doc.low(i + 2) == "about":
            size = 3
        elif not _has_finite_verb(doc, i + 1):
            size = 1
    elif doc.low(i) == "and" and nxt in ("what", "how") and doc.low(i + 2) == "about":
        size = 3
    if "?" in doc.words[i].gap or (size == 1 and i > 4):
        return None  # goes on after a question of its own
    if not size:
        return None
    return mention(doc, i, i + size, "ellipsis")


def _has_finite_verb(doc: Analysis, i: int) -> bool:
    sentence, k = doc.words[i].sentence, i
    while k < len(doc.words) and doc.words[k].sentence == sentence and k - i < 40:
        low, known = doc.low(k), parts_of_speech(doc.low(k))
        if is_a(low, "auxiliary", "nominative") or (known and "VERB" in known and "NOUN" not in known and k == i):
            return True
        k += 1
    return False
