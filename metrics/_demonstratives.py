"""Demonstratives, "one", "there", "the former", ordinals and elliptical openers of an English text."""

from __future__ import annotations

from ._antecedents import Introduced, count_noun_before, hypernym_before, pair_before, same_head, statement_before
from ._expletives import is_existential
from ._mentions import Kind, Mention
from ._noun_phrases import Analysis, is_closed
from ._reference_words import Number, is_a, noun_features, parts_of_speech, singular

_ORDINALS = frozenset("first second third fourth fifth sixth seventh eighth ninth tenth last middle other final".split())
_OFFERED = frozenset("option item choice suggestion alternative".split())
_CHOICES = _OFFERED | frozenset("point entry result step bullet".split())
_NUMBER_NAMES = frozenset("one two three four five six seven eight nine ten".split())
_RELATIVE = frozenset("that which who whom whose you i we where he she they it".split())


def mention(doc: Analysis, start: int, end: int, kind: Kind, head: str = "", number: Number = "any") -> Mention:
    """Build the mention of the words `start` to `end` (exclusive)."""
    first, last = doc.words[start].token.start, doc.words[end - 1].token.start + len(doc.words[end - 1].low)
    animacy = noun_features(head)[1] if head and kind == "demonstrative" else "any"
    return Mention(doc.text[first:last], first, last, kind, head, number, animacy)


def noun_span(doc: Analysis, i: int) -> tuple[int, str]:
    """Return the end of the noun phrase that the determiner at word `i` opens, and its head; `(i + 1, "")` for none."""
    end, head, k = i + 1, "", i + 1
    if doc.words[i].clitic:
        return end, head
    while k < len(doc.words) and k - i <= 6 and doc.joined(k - 1, k):
        low, known = doc.low(k), parts_of_speech(doc.low(k))
        if low in ("one", "ones") or (is_a(low, "quantity") and not head):
            end, head = (k + 1, low) if low in ("one", "ones") else (end, head)
        elif low.endswith("ly") and "ADV" in known and not head:
            pass
        elif is_closed(low):
            break
        elif "NOUN" in known or not known:
            if head and "VERB" in known and (singular(head) != head or "'" in doc.words[k - 1].clitic):
                break
            end, head = k + 1, low
        elif "ADJ" not in known and not (not head and "VERB" in known and low.endswith(("ing", "ed"))):
            break
        k += 1
        if doc.words[k - 1].clitic:
            break
    return end, head


def demonstrative_at(doc: Analysis, i: int, introduced: Introduced) -> Mention | None:
    """Return the unresolved demonstrative at word `i` ("that album", "those", bare "this")."""
    low, prev, nxt = doc.low(i), doc.low(i - 1), doc.low(i + 1)
    plural = low in ("these", "those")
    end, head = noun_span(doc, i)
    if low == "that" and _is_conjunction(doc, i, head):
        return None
    joined_next = doc.joined(i, i + 1)
    if not joined_next and i + 1 < len(doc.words) and doc.words[i + 1].gap.strip()[:1] in tuple("'‘\""):
        return None  # a quoted name follows
    if not plural and _comment(doc, i):
        return None
    after = doc.low(end) if doc.joined(end - 1, end) else ""
    if end == i + 2 and is_a(prev, "auxiliary") and not is_a(prev, "be") and "VERB" in parts_of_speech(nxt):
        if not after or is_closed(after) and not is_a(after, "auxiliary"):
            head = ""  # "what does that mean"
    if nxt == "of" or (low in ("that", "those") and nxt.endswith(("ing", "ed")) and "VERB" in parts_of_speech(nxt) and after):
        return None  # "that of the other", "those living in"
    if head and head not in ("one", "ones"):
        follow = doc.low(end) if doc.joined(end - 1, end) else ""
        if _deictic(doc, low, head, prev) or follow in _RELATIVE:
            return None
        apposition = end < len(doc.words) and doc.joined(end - 1, end) and doc.words[end].capital
        if apposition or (end < len(doc.words) and doc.words[end].quoted) or same_head(doc, head, i):
            return None
        if plural and (pair_before(doc, i) or _plural_before(doc, i)) or not plural and hypernym_before(doc, i, noun_features(head)[1] == "person"):
            return None
        return mention(doc, i, end, "demonstrative", head, "pl" if plural else "sg")
    if head:
        return None if count_noun_before(doc, i) else mention(doc, i, end, "one", head, "pl" if plural else "sg")
    if joined_next and (nxt in ("said", "being") or (plural and nxt in ("who", "whom", "that", "which", "whose", "of", "with"))):
        return None
    if lead_in(doc, i) or any(":" in w.gap for w in doc.words[i + 1 : i + 4]):
        return None
    if plural and nxt in ("in", "at", "from", "for", "on", "under") and any(p.number == "pl" and p.end <= i for p in doc.phrases[:20]):
        return None  # "compare to those in"
    if statement_before(doc, i) or (plural and (pair_before(doc, i) or _plural_before(doc, i))):
        return None
    return mention(doc, i, i + 1, "demonstrative", "", "pl" if plural else "sg")


def _plural_before(doc: Analysis, i: int) -> bool:
    clause = doc.words[i].clause
    return any(p.number == "pl" and doc.words[p.start].clause < clause for p in doc.phrases[-40:] if p.end <= i)


def _deictic(doc: Analysis, low: str, head: str, prev: str) -> bool:
    noun = singular(head)
    if low in ("this", "these") and is_a(noun, "time_deixis"):
        return True
    if is_a(noun, "text_deixis"):
        return low in ("this", "these") or prev in ("in", "by") or noun in ("way", "said")
    return noun == "time" and low == "this" and not is_a(prev, "preposition")


def _is_conjunction(doc: Analysis, i: int, head: str) -> bool:
    prev, nxt = doc.low(i - 1), doc.low(i + 1)
    opens = i == 0 or doc.words[i].sentence != doc.words[i - 1].sentence or bool(doc.words[i].gap.strip())
    known = parts_of_speech(prev)
    says = is_a(prev, "reporting") and not doc.words[i - 1].capital and not is_a(doc.low(i - 2), "determiner", "quantity")
    nominal = not opens and not is_closed(prev) and ("NOUN" in known or not known)
    if head and head not in ("one", "ones") and (doc.words[noun_span(doc, i)[0] - 1].capital or noun_features(head)[0] == "pl"):
        return True  # a name or a plural cannot follow the demonstrative
    before = parts_of_speech(doc.low(i - 2))
    if nominal and (is_a(doc.low(i - 2), "determiner", "quantity") or "ADJ" in before or noun_features(prev)[0] == "pl"):
        known = {"NOUN": ()}
    if prev in ("so", "such", "now", "given", "provided", "is", "was", "are", "fact") and head and prev not in ("is", "was", "are"):
        return True
    if prev == "like" and doc.low(i - 2) in ("something", "anything", "stuff", "things"):
        return True
    if i and (doc.words[i].clitic or is_a(nxt, "auxiliary")) and doc.words[i - 1].sentence == doc.words[i].sentence:
        loose = doc.words[i].gap.strip("\"”'’) ") not in ("", ",")
        if not loose and not is_a(prev, "auxiliary", "conjunction", "wh", "evaluative", "adverb"):
            if not says:
                return not is_a(prev, "nominative")
    if is_a(prev, "auxiliary") and not is_a(prev, "be"):
        return False  # "does that include"
    if doc.words[i].clitic or is_a(nxt, "auxiliary"):
        return nominal and not says and "VERB" not in known or prev in ("one", "ones", "those", "anything", "something", "all")
    if not nxt or not doc.joined(i, i + 1):
        return False
    if is_a(nxt, "determiner", "wh") or is_a(nxt, "pronoun") and nxt not in ("one", "ones"):
        return True
    if prev in ("not", "all", "don't", "isn't") and "ADJ" in parts_of_speech(nxt):
        return True
    following = parts_of_speech(nxt)
    comma = doc.words[i].gap.strip() == "," and ("NOUN" in known or prev.isdigit() or doc.words[i - 1].capital)
    if nxt.endswith("ly") and not head and not opens:
        return True
    if (not opens or comma) and "VERB" in following and "NOUN" not in following and "ADJ" not in following:
        return True
    if opens or is_a(prev, "preposition", "auxiliary", "conjunction"):
        return prev in ("except", "besides") and not head
    if says:
        return bool(head) or "VERB" in parts_of_speech(nxt) or doc.words[i + 1].capital
    if nominal and "VERB" not in known:
        return not is_closed(nxt) or is_a(nxt, "adverb")
    verb_follows = "VERB" in parts_of_speech(nxt) and not is_closed(nxt)
    return nominal and verb_follows or is_a(prev, "pronoun", "quantity") and verb_follows or "ADJ" in known and "VERB" not in known


def lead_in(doc: Analysis, i: int) -> bool:
    """Whether the word stands in a remark before the question: "I'll consider those. How …", "It looks great. …"."""
    start, end, sentence = i, i + 1, doc.words[i].sentence
    while start > 0 and doc.words[start - 1].sentence == sentence and i - start < 8:
        start -= 1
    while end < len(doc.words) and doc.words[end].sentence == sentence and end - i < 8:
        end += 1
    if end >= len(doc.words) or doc.words[end].sentence == sentence or "?" in doc.words[end].gap:
        return False
    if doc.low(start) == "i":
        return end == i + 1
    return start == i and any(is_a(doc.low(k), "evaluative") and not is_closed(doc.low(k)) for k in range(i + 1, end))


def _comment(doc: Analysis, i: int) -> bool:
    """Whether a bare "that" or "this" opens a remark on the last answer: "That's cool. …"."""
    word = doc.words[i]
    if i and doc.words[i - 1].sentence == word.sentence and not (is_a(doc.low(i - 1), "adverb") or doc.words[i].gap.strip()):
        return False
    if not (word.clitic == "'s" or is_a(doc.low(i + 1), "auxiliary") or doc.low(i + 1) in ("sounds", "makes", "looks", "seems")):
        return False
    end = i + 1
    while end < len(doc.words) and doc.words[end].sentence == word.sentence and end - i < 40:
        if "," in doc.words[end].gap:
            return True
        end += 1
    later = end < len(doc.words) and doc.words[end].sentence != word.sentence
    return later or any(is_a(w.low, "evaluative") and not is_closed(w.low) for w in doc.words[i + 1 : end])


def one_at(doc: Analysis, i: int) -> Mention | None:
    """Return the unresolved "one" or "ones" at word `i` ("the cheaper one", "which one", "the second one")."""
    start = i
    while start > 0 and i - start < 4 and doc.joined(start - 1, start) and not is_a(doc.low(start), "determiner", "wh"):
        before = doc.low(start - 1)
        if not (is_a(before, "determiner", "quantity") or before == "which" or not is_closed(before)):
            break
        if not is_closed(before) and "ADJ" not in parts_of_speech(before):
            break
        start -= 1
    opener, nxt = doc.low(start), doc.low(i + 1) if doc.joined(i, i + 1) else ""
    if nxt == "of" or doc.words[i].clitic or opener in ("any", "every", "no", "each", "some", "either", "neither", "another"):
        return None
    if doc.low(i) == "one" and (start == i or not is_a(opener, "determiner", "wh")):
        prev = doc.low(i - 1)  # a number or the generic pronoun, unless it closes "do I need one"
        object_ = doc.joined(i - 1, i) and ("VERB" in parts_of_speech(prev) or prev in ("be", "without")) and not nxt
        if not object_ or is_a(prev, "be", "auxiliary") and prev != "be" or count_noun_before(doc, i) or doc.phrases:
            return None
    if nxt in ("who", "whom") or (nxt and not is_closed(nxt) and opener not in ("the", "which", "that", "this")):
        return None
    if nxt and not is_closed(nxt) and doc.low(i) == "one" and doc.low(i - 1) in ("the", "that", "this", "just", "only", "which"):
        if "VERB" not in parts_of_speech(nxt) and not doc.words[i + 1].capital:
            return None  # "the one exception"
    if count_noun_before(doc, start):
        return None
    inner = [doc.low(k) for k in range(start, i)]
    ordinal = any(w in _ORDINALS for w in inner)
    graded = any(w.endswith(("er", "est")) and "ADJ" in parts_of_speech(w) or w in ("more", "most", "less") for w in inner)
    kind: Kind = "ordinal" if ordinal else "comparative" if graded and "other" not in inner else "one"
    return mention(doc, start, i + 1, kind, doc.low(i), "pl" if doc.low(i) == "ones" else "sg")


def definite_at(doc: Analysis, i: int) -> Mention | None:
    """Return "the former", "the latter", "the second", "the middle teacher", "the cheaper" opened by "the" at word `i`."""
    nxt, after = doc.low(i + 1), doc.low(i + 2) if doc.joined(i + 1, i + 2) else ""
    if not doc.joined(i, i + 1):
        return None
    ends = not after or is_closed(after) and after not in ("one", "ones")
    if nxt in ("latter", "former") and (ends or nxt == "latter" or is_a(doc.low(i - 1), "auxiliary")):
        return None if pair_before(doc, i) else mention(doc, i, i + 2, "former_latter", nxt)
    beyond = doc.low(i + 3) if doc.joined(i + 2, i + 3) else ""
    if nxt in _ORDINALS and after in _CHOICES and (after in _OFFERED or beyond in ("", "above", "you", "from")):
        return mention(doc, i, i + 3, "ordinal", after)
    if nxt == "middle" and after and not ends and "NOUN" in parts_of_speech(after):
        return mention(doc, i, i + 3, "ordinal", after)
    if nxt in _ORDINALS - {"other", "final"} and ends and after not in ("to", "of", "time", "i", "and", "in", "on", "at"):
        return None if doc.phrases and doc.phrases[0].end <= i else mention(doc, i, i + 2, "ordinal", nxt)
    known = parts_of_speech(nxt)
    graded = nxt.endswith(("er", "est")) and "ADJ" in known and known["ADJ"] != (nxt,) and nxt not in ("best", "latest", "rest")
    if graded and not after and not count_noun_before(doc, i):
        return mention(doc, i, i + 2, "comparative", nxt)
    return None


def number_at(doc: Analysis, i: int) -> Mention | None:
    """Return "number two", "option b", "#3" at word `i` when nothing before says of what."""
    low, nxt = doc.low(i), doc.low(i + 1)
    if not doc.joined(i, i + 1) or is_a(doc.low(i - 1), "determiner") or not (nxt in _NUMBER_NAMES or nxt.isdigit() or len(nxt) == 1):
        return None
    if nxt in ("a", "i") and doc.words[i + 1].token.text in ("a", "i", "I"):
        return None
    if low == "number" and nxt.isdigit() and len(nxt) > 2 or is_a(doc.low(i + 2), "wh") or doc.low(i + 2) == "hit":
        return None
    return mention(doc, i, i + 2, "ordinal", nxt)


def locative_at(doc: Analysis, i: int, introduced: Introduced) -> Mention | None:
    """Return the unresolved place word "there" at word `i`."""
    if is_existential(doc, i):
        return None
    here = doc.words[i]
    for phrase in reversed(doc.phrases):
        if phrase.end > i or phrase.animacy == "person" or phrase.kind == "pair":
            continue
        if here.token.start - doc.words[phrase.end - 1].token.end > 400:
            break
        earlier = doc.words[phrase.end - 1].clause < here.clause
        placed = doc.low(phrase.start - 1) in ("in", "at", "to", "near", "from", "into", "visit") or phrase.kind == "name"
        if placed and (earlier or introduced(phrase)) or doc.words[phrase.end - 1].sentence < here.sentence:
            return None
    return mention(doc, i, i + 1, "locative")


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
