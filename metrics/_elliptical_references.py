"""References of an English text that is no full sentence: fragments, elliptical openers, a bare "which"; and dates."""

from __future__ import annotations

from ._analysis import Analysis, is_closed
from ._demonstratives import mention
from ._mentions import Mention
from ._other_references import NUMBER_NAMES, ORDINALS, is_graded
from ._reference_words import is_a, parts_of_speech


def choice_at(doc: Analysis, i: int) -> Mention | None:
    """Return "which" at word `i` when it compares what only the history names: "which lasts longer?"."""
    nxt = doc.low(i + 1)
    if not (is_a(nxt, "be") or ("VERB" in parts_of_speech(nxt) and not is_closed(nxt))) or doc.phrases_before(i):
        return None
    rest = [w.low for w in doc.words[i + 2 : i + 8]]
    named = any(w.low == "or" or w.capital for w in doc.words[i + 1 : i + 30])
    return mention(doc, i, i + 1, "comparative") if any(map(is_graded, rest)) and not named else None


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
    if len(lows) == 1 and (label or lows[0] in ORDINALS | NUMBER_NAMES - {"other", "final"}):
        return mention(doc, start, end, "ordinal", lows[0])
    rest = lows[1:] if lows[0] == "the" else lows
    if (len(lows) == len(rest) and rest[-1] != "one") or not 0 < len(rest) <= 2 or rest[0] not in ORDINALS - {"other"}:
        return None
    return mention(doc, start, end, "ordinal", rest[-1])


def opener_at(doc: Analysis, i: int) -> Mention | None:
    """Return the elliptical opener at word `i`, the first of a sentence: "what about", "how about", "and"."""
    nxt = doc.low(i + 1)
    size = 2 if doc.low(i) in ("what", "how") and nxt in ("about", "bout") else 0
    if doc.low(i) == "or" and i == 0 and nxt and not _has_finite_verb(doc, 1) and not _disjoins(doc):
        size = 1
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


def _disjoins(doc: Analysis) -> bool:
    return any(w.low == "or" for w in doc.words[1:12])


def same_at(doc: Analysis, i: int) -> Mention | None:
    """Return "same for" or "same question about" that opens a text at word `i`: the question is an earlier one."""
    if i > 2 or any(not is_a(doc.low(k), "conjunction", "determiner", "interjection") for k in range(i)):
        return None
    end = i + 2 if doc.low(i + 1) in ("question", "thing", "procedure", "here") else i + 1
    if doc.low(end) not in ("for", "about", "with", "in", "on", "at") or not doc.joined(end - 1, end):
        return None
    return None if _has_finite_verb(doc, end) else mention(doc, i, end + 1, "ellipsis")


def date_at(doc: Analysis, i: int) -> Mention | None:
    """Return "two months later", "the day before" that ends a sentence at word `i` when nothing before dates it."""
    if not is_a(doc.low(i - 1).removesuffix("s"), "time_deixis") or not doc.joined(i - 1, i) or i < 2:
        return None
    ends = i + 1 == len(doc.words) or doc.words[i + 1].sentence != doc.words[i].sentence
    start = i - 2
    known = is_a(doc.low(start), "quantity") or doc.low(start).isdigit() or doc.low(start) in ("a", "the")
    if not (ends and known) or (doc.low(start) == "the" and doc.low(i) == "later"):
        return None
    dated = any(w.low.isdigit() and len(w.low) == 4 for w in doc.words[max(0, i - 40) : start])
    told = doc.words[start].clause > doc.words[0].clause or any(p.kind == "name" for p in doc.phrases_before(start))
    return None if dated or told else mention(doc, start, i + 1, "demonstrative", "", "sg")


def _has_finite_verb(doc: Analysis, i: int) -> bool:
    sentence, k = doc.words[i].sentence, i
    while k < len(doc.words) and doc.words[k].sentence == sentence and k - i < 40:
        low, known = doc.low(k), parts_of_speech(doc.low(k))
        if is_a(low, "auxiliary", "nominative") or (
            known and "VERB" in known and "NOUN" not in known and k == i and not is_a(low, "preposition")
        ):
            return True
        k += 1
    return False


def is_verbless(doc: Analysis) -> bool:
    """Whether a text has no finite verb in its first sentence, as far as words without a parse tree tell."""
    return not doc.words or not _has_finite_verb(doc, 0)
