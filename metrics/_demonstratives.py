"""Demonstratives of an English text: "that album", "those", bare "this"."""

from __future__ import annotations

from ._analysis import Analysis, is_closed
from ._antecedents import Introduced
from ._earlier_text import count_noun_before, hypernym_before, pair_before, same_head, statement_before
from ._mentions import Kind, Mention
from ._reference_words import Number, is_a, noun_features, parts_of_speech, singular
from ._remarks import explained_after_colon, in_remark, opens_comment

_IDIOM_PREPOSITIONS = ("in", "by", "at", "for", "to", "of", "with")
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
        elif is_closed(low) and not (is_a(low, "adverb") and "ADJ" in known and not head):
            break
        elif "NOUN" in known or not known:
            if head and _main_verb(doc, i, k):
                break
            if head and "VERB" in known and (singular(head) != head or "'" in doc.words[k - 1].clitic):
                break
            end, head = k + 1, low
        elif "ADJ" not in known and not (not head and "VERB" in known and low.endswith(("ing", "ed"))):
            break
        k += 1
        if doc.words[k - 1].clitic or head in ("one", "ones"):
            break
    return end, head


def _main_verb(doc: Analysis, i: int, k: int) -> bool:
    """Whether word `k` must be the verb that an auxiliary before word `i` still needs: "did that strike end"."""
    if not is_a(doc.low(i - 1), "auxiliary") or is_a(doc.low(i - 1), "be", "have"):
        return False
    after = doc.low(k + 1) if doc.joined(k, k + 1) else ""
    return "VERB" in parts_of_speech(doc.low(k)) and (not after or is_closed(after))


def demonstrative_at(doc: Analysis, i: int, introduced: Introduced) -> Mention | None:
    """Return the unresolved demonstrative at word `i` ("that album", "those", bare "this")."""
    low, prev = doc.low(i), doc.low(i - 1)
    nxt = doc.low(i + 1) if doc.joined(i, i + 1) else ""
    plural = low in ("these", "those")
    end, head = noun_span(doc, i)
    if low == "that" and (_is_conjunction(doc, i, head) or (prev == "it" and is_a(doc.low(i - 2), "be"))):
        return None  # a conjunction, or a cleft: "what is it that hums"
    if any(w.capital for w in doc.words[i + 1 : end - 1]):
        return None  # "this Corvo Two probe" names what it means
    joined_next = doc.joined(i, i + 1)
    if not joined_next and i + 1 < len(doc.words) and doc.words[i + 1].gap.strip()[:1] in tuple("'\u2018\""):
        return None  # a quoted name follows
    if not plural and opens_comment(doc, i):
        return None
    after = doc.low(end) if doc.joined(end - 1, end) else ""
    if explained_after_colon(doc, i) or (nxt in ("mean", "means") and (after == "that" or is_a(after, "nominative"))):
        return None  # explained after the colon; "does that mean that …" takes up the answer as a whole
    if end == i + 2 and not after and is_a(prev, "be") and is_a(nxt, "evaluative", "extraposing"):
        head = ""  # "is that right"
    if after in ("of", "by") and any(w.capital or w.quoted for w in doc.words[end + 1 : end + 3]):
        return None  # "that tour of Japan"
    if end == i + 2 and is_a(prev, "auxiliary") and not is_a(prev, "be", "have") and "VERB" in parts_of_speech(nxt):
        participle = after.endswith("ed") and "VERB" in parts_of_speech(after)  # "what would that cost framed"
        if not after or participle or (is_closed(after) and not is_a(after, "auxiliary")):
            head = ""  # "what does that mean"
    asked = is_a(prev, "auxiliary")
    if nxt == "of" or (
        low == "those" and nxt.endswith(("ing", "ed")) and "VERB" in parts_of_speech(nxt) and after and not asked
    ):
        return None  # "that of the other", "those living in"
    if head and head not in ("one", "ones"):
        follow = doc.low(end) if doc.joined(end - 1, end) else ""
        counted = nxt.isdigit() or is_a(nxt, "quantity")
        if (_deictic(doc, low, head, prev) and not (plural and counted)) or follow in _RELATIVE:
            return None
        apposition = end < len(doc.words) and doc.joined(end - 1, end) and doc.words[end].capital
        if in_remark(doc, i, end):
            return None
        if apposition or (end < len(doc.words) and doc.words[end].quoted) or same_head(doc, head, i):
            return None
        if (plural and (pair_before(doc, i) or _plural_before(doc, i))) or (
            not plural and hypernym_before(doc, i, noun_features(head)[1] == "person")
        ):
            return None
        return mention(doc, i, end, "demonstrative", head, "pl" if plural else "sg")
    if head:
        return (
            None
            if in_remark(doc, i, end) or count_noun_before(doc, i)
            else mention(doc, i, end, "one", head, "pl" if plural else "sg")
        )
    if joined_next and (
        nxt in ("said", "being") or (plural and nxt in ("who", "whom", "that", "which", "whose", "of", "with"))
    ):
        return None
    if in_remark(doc, i):
        return None
    if nxt == "to" and doc.low(i + 2) == "say":
        return None
    compared = nxt in ("in", "at", "for", "on") and prev in ("with", "to", "than", "from")
    if compared and count_noun_before(doc, i):
        return None  # "compared with that in Bergen"
    if (
        plural
        and nxt in ("in", "at", "from", "for", "on", "under")
        and any(p.number == "pl" for p in doc.phrases_before(i))
    ):
        return None  # "compare to those in"
    if statement_before(doc, i) or (plural and (pair_before(doc, i) or _plural_before(doc, i))):
        return None
    return mention(doc, i, i + 1, "demonstrative", "", "pl" if plural else "sg")


def _plural_before(doc: Analysis, i: int) -> bool:
    clause = doc.words[i].clause
    return any(p.number == "pl" and doc.words[p.start].clause < clause for p in doc.phrases_before(i))


def _deictic(doc: Analysis, low: str, head: str, prev: str) -> bool:
    noun = singular(head)
    if low in ("this", "these") and is_a(noun, "time_deixis"):
        return True
    if is_a(noun, "idiom_noun"):
        return (low in ("this", "that") and prev in _IDIOM_PREPOSITIONS) or noun == "way"
    if is_a(noun, "text_deixis"):
        return low in ("this", "these")
    return noun == "time" and low == "this" and not is_a(prev, "preposition")


def _is_conjunction(doc: Analysis, i: int, head: str) -> bool:
    prev, nxt = doc.low(i - 1), doc.low(i + 1) if doc.joined(i, i + 1) else ""
    if head and is_a(singular(head), "time_deixis") and not is_a(prev, "reporting"):
        return False
    opens = i == 0 or doc.words[i].sentence != doc.words[i - 1].sentence or bool(doc.words[i].gap.strip())
    known = parts_of_speech(prev)
    says = (
        is_a(prev, "reporting") and not doc.words[i - 1].capital and not is_a(doc.low(i - 2), "determiner", "quantity")
    )
    nominal = not opens and not is_closed(prev) and ("NOUN" in known or not known)
    if (
        head
        and head not in ("one", "ones")
        and (doc.words[noun_span(doc, i)[0] - 1].capital or noun_features(head)[0] == "pl")
    ):
        return True  # a name or a plural cannot follow the demonstrative
    before = parts_of_speech(doc.low(i - 2))
    if nominal and (
        is_a(doc.low(i - 2), "determiner", "quantity") or "ADJ" in before or noun_features(prev)[0] == "pl"
    ):
        known = {"NOUN": ()}
    if (
        prev in ("so", "such", "now", "given", "provided", "is", "was", "are", "fact")
        and head
        and prev not in ("is", "was", "are")
    ):
        return True
    if prev == "copy" and i == 1 and not nxt:
        return True
    if prev == "like" and doc.low(i - 2) in ("something", "anything", "stuff", "things"):
        return True
    if i and (doc.words[i].clitic or is_a(nxt, "auxiliary")) and doc.words[i - 1].sentence == doc.words[i].sentence:
        loose = doc.words[i].gap.strip("\"”'\u2019) ") not in ("", ",")
        if not loose and not is_a(prev, "auxiliary", "conjunction", "wh", "evaluative", "adverb"):
            if not says:
                return not is_a(prev, "nominative")
    if is_a(prev, "auxiliary") and not is_a(prev, "be"):
        return False  # "does that include"
    if doc.words[i].clitic or is_a(nxt, "auxiliary"):
        return (nominal and not says and "VERB" not in known) or prev in (
            "one",
            "ones",
            "those",
            "anything",
            "something",
            "all",
        )
    if not nxt or not doc.joined(i, i + 1):
        return False
    if is_a(prev, "be") and is_a(nxt, "determiner") and (i < 2 or is_a(doc.low(i - 2), "wh")):
        return False  # "why is that a problem"
    if is_a(nxt, "determiner", "wh") or (is_a(nxt, "pronoun") and nxt not in ("one", "ones")):
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
    return (
        (nominal and verb_follows)
        or (is_a(prev, "pronoun", "quantity") and verb_follows)
        or ("ADJ" in known and "VERB" not in known)
    )
