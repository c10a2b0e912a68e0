"""Words that look like references and are none: expletive "it", existential "there", the conjunction "that", idioms.

Each rule looks at a bounded window of words (Huddleston & Pullum, The Cambridge Grammar of the English Language,
chapters 6 and 16: extraposition, clefts, weather and time, existential there).
"""

from __future__ import annotations

from ._analysis import Analysis, is_closed
from ._reference_words import is_a, parts_of_speech

_WINDOW = 12
_TO = frozenset(("to", "that", "for", "if", "when", "whether", "how", "why", "what", "who", "where"))
_IDIOM_VERBS = {
    "make": frozenset("big through out to into past home onto in there from".split()),
    "call": frozenset(("quits", "a")),
    "take": frozenset(("easy",)),
    "like": frozenset(("or",)),
    "believe": frozenset(("or",)),
    "hit": frozenset(("off", "big")),
}
_SEEMING = frozenset("seem seems seemed appear appears appeared look looks looked sound sounds sounded".split())
_RAISING = frozenset("turn turns turned happen happens happened follow follows followed depend depends".split())
_TAKING = frozenset("take takes took taken cost costs".split())
_HELPING = frozenset(
    "help make mean feel pay hurt helps matter matters pay pays hurt hurts make makes mean means feel feels".split()
)
_COMPLEMENT_VERBS = frozenset("make makes made making find finds found consider keep makes think deem leave".split())


def _be(doc: Analysis, i: int) -> bool:
    return is_a(doc.low(i), "be") or doc.low(i) in ("seem", "seems", "become", "becomes", "remain", "became")


def _opens_infinitive(doc: Analysis, i: int, end: int) -> bool:
    return any((doc.low(k) == "to" and "VERB" in parts_of_speech(doc.low(k + 1))) or doc.low(k) == "that"
               for k in range(i, end))  # fmt: skip


def is_expletive(doc: Analysis, i: int) -> bool:
    """Whether the "it" at word `i` refers to nothing."""
    word = doc.words[i]
    end = i + 1
    while end < len(doc.words) and end - i <= _WINDOW and doc.words[end].sentence == word.sentence:
        end += 1
    prev, nxt = doc.low(i - 1), doc.low(i + 1)
    if _acronym(doc, i) or _idiom(doc, i, end):
        return True
    if prev in _COMPLEMENT_VERBS and _extraposed(doc, i + 1, end):
        return True
    # the place after the verb: "it is X", "it's X", "is it X", "will it be X"
    at = i + 1
    if nxt in ("gets", "becomes", "is") and doc.low(i - 2) == "the" and doc.low(i - 1).endswith("er"):
        return True  # "the longer it gets"
    if nxt in ("gets", "got", "get", "becomes") and any(
        is_a(doc.low(k), "weather", "extraposing") for k in (i + 2, i + 3)
    ):
        return True
    if nxt in ("get", "become") and is_a(doc.low(i - 2), "weather", "extraposing"):
        return True  # "how cold does it get"
    if (
        is_a(doc.low(i - 2), "extraposing", "extraposing_noun")
        and doc.low(i - 3) in ("how", "so", "whose")
        and _extraposed(doc, i - 2, end, i)
    ):
        return True  # "how easy is it to learn Norwegian"
    if doc.low(i + 1) == "called" and (i + 2 < end) and (doc.low(i + 2) in ("the", "a") or doc.words[i + 2].capital):
        return True  # "why is it called the Cold War"
    if doc.low(i - 2) == "what" and nxt == "called" and any(doc.low(k) in ("when", "if") for k in range(i + 2, end)):
        return True  # "what is it called when two ferries meet": the clause says what
    copula = _be(doc, i - 1) or (word.clitic in ("'s", "'d", "'ll") and not _be(doc, at))
    while (at < end and is_a(doc.low(at), "auxiliary", "adverb", "be")) or doc.low(at) in (
        "become",
        "seem",
        "get",
        "getting",
    ):
        copula = copula or _be(doc, at) or doc.low(at) in ("get", "getting")
        at += 1
    if copula:
        return _weather_or_time(doc, i, at, end) or _extraposed(doc, at, end) or _cleft(doc, i, at, end)
    if nxt in _SEEMING or doc.low(at) in _SEEMING:
        return (
            any(doc.low(k) in ("that", "like", "as", "to") for k in range(at, min(end, at + 3)))
            and doc.low(at + 1) != "to"
        )
    if doc.low(at) in _RAISING:
        return doc.low(at + 1) in ("out", "that", "on", "to") or at + 1 >= end
    if doc.low(at) in _TAKING and (
        _opens_infinitive(doc, at + 1, end) or doc.low(at + 1) in ("before", "until", "till")
    ):
        return True
    if doc.low(at) in ("count", "counts") and any(
        doc.low(k) in ("if", "that", "to", "when") for k in range(at + 1, end)
    ):
        return True
    if doc.low(at) in _HELPING and any(_complement(doc, k, end) for k in range(at + 1, min(end, at + 4))):
        return True
    return (
        is_a(doc.low(at), "weather") and "VERB" in parts_of_speech(doc.low(at)) and doc.low(at) not in ("light", "cool")
    )


def _acronym(doc: Analysis, i: int) -> bool:
    written = doc.words[i].token.text
    if written == "IT" and not doc.text.isupper():
        return True
    return (
        is_a(doc.low(i - 1), "determiner")
        and doc.joined(i - 1, i)
        and doc.low(i - 1) not in ("that", "what", "all", "which")
    )


def _idiom(doc: Analysis, i: int, end: int) -> bool:
    prev, nxt = doc.low(i - 1), doc.low(i + 1)
    base = parts_of_speech(prev).get("VERB", (prev,))[0]
    if nxt in _IDIOM_VERBS.get(base, ()):
        return True
    if prev in ("got", "get") and i + 1 >= end and (i < 2 or doc.low(i - 2) in ("i", "thanks", "you", "don't", "we")):
        return True
    if prev in ("has", "had") and doc.low(i - 2) in ("rumor", "rumour", "word", "legend"):
        return True
    bare_copula = prev == "is" and doc.low(i - 2) in ("that", "this")
    if i + 1 >= end and (bare_copula or (prev in ("that", "this") and doc.words[i - 1].clitic)):
        return True  # "that's it"
    if prev == "worth":
        return True
    if nxt == "comes" and prev == "when":
        return True
    going = ("going", "doing") if prev == "is" or doc.low(i - 2) == "how" else ()
    if doc.low(i - 2) == "how" and nxt in going and i + 2 >= end:
        return True
    return prev == "as" and nxt in ("were", "is", "stands", "was") and i + 2 >= end


def _weather_or_time(doc: Analysis, i: int, at: int, end: int) -> bool:
    if doc.low(i - 2) in ("far", "long") and doc.low(i + 1) in ("from", "to", "between", "until", "till", "since"):
        return True
    if doc.low(i - 2) in ("time", "day", "date", "year", "month", "late", "early", "season") and _be(doc, i - 1):
        return i + 1 >= end or is_a(doc.low(i + 1), "adverb", "preposition")
    if is_a(doc.low(at), "weather"):
        verbal = "VERB" in parts_of_speech(doc.low(at)) and doc.low(at).endswith("ing")
        return verbal or at + 1 < end
    if doc.low(at) in ("a", "time", "about"):
        return doc.low(at + 1) in ("while", "time") or doc.low(at) == "time"
    return doc.low(at)[:1].isdigit() and doc.low(at + 1) in ("am", "pm", "o'clock")


def _complement(doc: Analysis, k: int, end: int) -> bool:
    if doc.low(k) == "to":
        return "VERB" in parts_of_speech(doc.low(k + 1)) or is_a(doc.low(k + 1), "auxiliary", "adverb")
    if doc.low(k) == "for":
        return any(doc.low(n) == "to" for n in range(k, end))
    return doc.low(k) in _TO


def _extraposed(doc: Analysis, at: int, end: int, resume: int | None = None) -> bool:
    """Whether an adjective or noun with a clause stands at `at`: "possible to", "so hard that", "a crime if"."""
    while (at < end and is_a(doc.low(at), "adverb", "determiner")) or doc.low(at) in ("as", "so", "such", "any"):
        at += 1
    head = at
    while head < min(end, at + 3) and not is_a(doc.low(head), "extraposing", "extraposing_noun"):
        if is_closed(doc.low(head)):
            return False
        head += 1
    if head >= min(end, at + 3):
        return False
    after = head + 1 if resume is None else resume + 1
    limit = min(end, after + 5)
    while after < limit and not _complement(doc, after, end) and not doc.low(after).endswith("ing"):
        if doc.words[after].gap.strip() or doc.low(after) in ("as", "than", "and"):
            return False
        after += 1
    if after >= end or doc.words[after].gap.strip():
        return False
    if is_a(doc.low(head), "tough"):  # "is it easy to clean" asks about the thing, "easy to clean a filter" does not
        verb = after if doc.low(after) == "to" else next((k for k in range(after, end) if doc.low(k) == "to"), end)
        return verb + 2 < end and doc.low(verb + 2) != "with"
    return True


def _cleft(doc: Analysis, i: int, at: int, end: int) -> bool:
    if (
        doc.low(at) in ("that", "like", "about")
        and (is_a(doc.low(i - 1), "wh") or is_a(doc.low(i - 2), "wh"))
        and (doc.low(at) != "like" or doc.low(at + 1) == "to")
    ):
        return doc.low(at) != "about" or any(doc.low(k) == "that" for k in range(at + 1, end))
    if doc.low(at) in ("a", "an"):
        return False
    for k in range(at + 1, end):
        if doc.low(k) in ("who", "that", "which") and (k + 1 < end):
            return not doc.words[k].gap.strip() and not is_a(doc.low(k - 1), "preposition")
    return False


def is_existential(doc: Analysis, i: int) -> bool:
    """Whether the "there" at word `i` stands for no place: "is there", "there seems", "hi there"."""
    prev, nxt = doc.low(i - 1), doc.low(i + 1)
    if (
        doc.words[i].clitic
        or is_a(nxt, "auxiliary")
        or is_a(prev, "be")
        or prev in ("out", "hi", "hello", "hey", "anyone", "anybody")
    ):
        return True
    if prev in ("has", "have", "had") and any(doc.low(k) == "been" for k in range(i + 1, i + 4)):
        return True
    if nxt in ("any", "some", "enough", "no"):
        return True  # also "were there any" misspelt
    if nxt in ("to", "a", "seem", "seems", "seemed", "exist", "exists", "remain", "remains", "used", "were", "not"):
        return is_a(prev, "auxiliary", "be") or nxt not in ("to", "a", "not")
    if nxt in ("you", "we") and doc.low(i + 2) in ("go", "are"):
        return True
    if doc.low(i - 1) in ("not", "always", "also") and is_a(doc.low(i - 2), "be"):
        return True
    return (is_a(prev, "auxiliary") and nxt == "be") or prev == "then"
