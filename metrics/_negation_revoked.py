"""What a message takes back of what was ruled out before: "never mind the glass", "steel is fine after all"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..signatures.types import Exclusion
from ._leaks import leaks, may_hold, vocabulary
from ._negation_cues import Finding
from ._negation_sentences import Sentence, in_condition, sentence_at, sentences
from ._negation_text import Message, in_class

_FINE = (
    r"(?:fine|ok|okay|o\.k\.|alright|all right|allowed|welcome|acceptable|good|great|permitted|no problem|not a problem"
    r"|an option|possible|back (?:on|in)|on the table|no longer (?:a problem|an issue|excluded|off)|cool|in again)"
)
#: A clause with one of these, and the phrase without a negation of its own, takes the phrase back.
_EXPLICIT = re.compile(
    r"\bnever ?mind\b|\bafter all\b"
    rf"|(?:\b(?:is|are|was|be|it's|that's|they're)|'s|'re)\b[^,;]{{0,30}}\b{_FINE}\b"
    r"|\b(?:too|as well|also|again|anyway)\b"
    r"|\b(?:include|including|allow|add|bring|put|reinstate|restore|permit|accept|re-?add|re-?include|un-?exclude"
    r"|consider|let in|welcome)\b"
    r"|\b(?:don't|dont|do not|no longer|stop|quit|needn't|no need to|not)\s+(?:have to |need to "
    r"|want to )?(?:exclud|avoid|skip"
    r"|leav(?:e|ing) out|omit|filter|ignor|hid|remov|dropp?|rul(?:e|ing) out|leav|keep)\w{0,4}\b"
    r"|\b(?:don't|dont|do not|wouldn't) mind\b|\bchanged (?:my|our) minds? (?:about|on)\b"
    r"|\bforget (?:about |what |the |that |i )"
    r"|\b(?:scrap|lift|drop|cancel|relax|remove|undo|ignore|lose|waive|ditch|clear)\b[^,;]{0,60}"
    r"\b(?:rule|restriction|exclusion|filter|constraint|limit|limitation|ban|condition|thing|requirement|bit)s?\b"
    r"|\b(?:ok|okay|fine|happy|cool|good|alright|all right) with\b|\b(?:works?|will do)(?: for (?:me"
    r"|us))?(?: now| too)?$"
    r"|\b(?:not|isn't|aren't|no longer) (?:actually )?allergic\b|\bno objections? to\b|\bcan (?:have|eat|include|use)\b"
    r"|\bwith\b[^,;]{0,40}\b(?:is|are) (?:fine|ok|okay)\b|\bonly kidding about\b"
    r"|\b(?:ist|sind|geht|gehen)\b[^,;]{0,30}\b(?:ok|okay|in ordnung|doch|auch|erlaubt)\b|\bdoch\b|\bauch\b|\baussi\b"
    r"|\bfinalement\b|\btambi[e\u00e9]n\b|\banche\b|\book\b",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\b(?:don't|dont|do not|no longer|stop|quit|needn't|no need to|not|never ?mind|isn't|aren't|wouldn't"
    r"|no objections?"
    r"|not a problem|no problem|drop|ignore|remove|forget|cancel|without)\b",
    re.IGNORECASE,
)
_NEGATES = re.compile(
    r"\b(?:not|no|never|without|still|nor|neither|except|excluding|avoid|skip|none|out|off)\b|n't\b", re.IGNORECASE
)
_NO_REAL = re.compile(
    r"\b(?:not a problem|no problem|no longer|never ?mind|(?:don't|dont|do not|wouldn't) mind"
    r"|not allergic|no objections?"
    r"|(?:isn't|aren't) allergic|back (?:on|in)|off the table|leav(?:e|ing) out|filter(?:ing)? out|rul(?:e|ing) out"
    r"|no need to|(?:don't|do not|dont|stop|quit|not|needn't)\s+(?:have to |need to |want to )?(?:exclud"
    r"|avoid|skip|leav|omit|filter|ignor|hid|remov|drop|rul)\w{0,4}"
    r"(?: out| off)?"
    r"|avoiding|skipping|no-|not only)",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:forget|never ?mind|drop|scrap|clear|remove|cancel|reset|lift|ignore|undo"
    r"|delete) (?:about )?(?:all|everything|any|every|those"
    r"|these|my|the|both)(?: of)?(?: my| the| those| these| earlier| previous| i said| i excluded)*"
    r" ?(?:exclusions|restrictions|constraints|filters|conditions|limits|exceptions|exclusion rules"
    r"|what i said|i ruled out|i excluded)\b"
    r"|\bno (?:more )?(?:restrictions|exclusions|constraints|filters)(?: any ?more| now| please)?$|\banything goes\b"
    r"|\bstart (?:over|from scratch)\b|\breset (?:all|everything|the filters|filters)\b",
    re.IGNORECASE,
)
_TOO = re.compile(r"\b(?:too|as well|also|after all)\b", re.IGNORECASE)
_FIRM = re.compile(r"allerg|intoleran", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:besides|other than|apart from|aside from|except|excluding|in addition to)\b", re.IGNORECASE)
_MOST_MENTIONS = 40  # of one exclusion in one message; and words of a clause that are read on either side
_CLAUSE = frozenset(",;:\u2014\uff0c")


def revoked_by(m: Message, found: Sequence[Finding], active: Sequence[Exclusion]) -> list[Exclusion]:
    """Return the active exclusions that a message takes back.

    Args:
        m: The message of the user.
        found: What it rules out itself; a mention there takes nothing back.
        active: The exclusions before it.
    """
    if not active or not m.words:
        return []
    if any(not m.words[_word_at(m, hit.start())].quote for hit in _ALL.finditer(m.text)):
        return list(active)
    covered = [(m.words[f.start].start, m.words[min(f.end, len(m.words)) - 1].end) for f in found]
    every = sentences(m)
    present = vocabulary(m.text)
    near = [e for e in active if any(may_hold(present, name) for name in (e.phrase, *e.aliases))]
    return [
        e for e in near if any(_takes_back(m, every, e, a, b, covered) for a, b, *_ in _mentions(m, e)[:_MOST_MENTIONS])
    ]


def _mentions(m: Message, exclusion: Exclusion) -> list[tuple[int, int, bool]]:
    """Return the places that name an exclusion; also its head alone, where no other word narrows it."""
    whole = [(hit.start, hit.end, True) for hit in leaks(m.text, (exclusion,))]
    words = exclusion.phrase.split()
    if whole or len(words) < 2 or exclusion.field:
        return whole
    head = Exclusion(phrase=words[-1])
    places = []
    for hit in leaks(m.text, (head,)):
        i = _word_at(m, hit.start)
        before = m.low(i - 1) if i else ""
        if (
            not before
            or m.gap(i).strip()
            or in_class(before, "skip", "link", "stop", "request_verb")
            or before in ("mind", "and", "actually")
        ):
            places.append((hit.start, hit.end, False))
    return places


def _word_at(m: Message, place: int) -> int:
    low, high = 0, len(m.words) - 1
    while low < high:
        middle = (low + high) // 2
        if m.words[middle].end <= place:
            low = middle + 1
        else:
            high = middle
    return low


def _takes_back(
    m: Message, every: list[Sentence], exclusion: Exclusion, start: int, end: int, covered: list[tuple[int, int]]
) -> bool:
    if any(a <= start < b for a, b in covered):
        return False
    i = _word_at(m, start)
    sentence = sentence_at(every, m, i)
    clause = _clause(m, sentence, i)
    if m.words[i].quote and not _EXPLICIT.search(clause):
        return False
    if (
        m.words[i].quote
        and not m.words[sentence.start].quote
        and len(m.words[i].text)
        and _inside_quote(m, i, start, end)
    ):
        return False
    explicit = _EXPLICIT.search(clause) is not None
    if _NEGATES.search(_NO_REAL.sub(" ", clause)):
        return False
    if in_condition(sentence, i):
        return False
    polar = sentence.fact and not sentence.wh
    if explicit and (not sentence.fact or sentence.wh == "which" or (polar and _TOO.search(clause))):
        return True
    if _FIRM.search(exclusion.cue):
        return False
    return _asked_for(m, sentence, i, exclusion, clause)


def _inside_quote(m: Message, i: int, start: int, end: int) -> bool:
    """Whether a mention is only a part of a quoted title."""
    quote = m.words[i].quote
    same = [w for w in m.words[max(0, i - 20) : i + 20] if w.quote == quote]
    return bool(same) and (same[0].start < start or same[-1].end > end)


def _clause(m: Message, s: Sentence, i: int) -> str:
    start = i
    while (
        start > max(s.start, i - _MOST_MENTIONS)
        and _CLAUSE.isdisjoint(m.gap(start))
        and m.low(start) not in ("but", "though", "while")
    ):
        start -= 1
    end = i + 1
    while (
        end < min(s.end, i + _MOST_MENTIONS)
        and _CLAUSE.isdisjoint(m.gap(end))
        and m.low(end) not in ("but", "though", "while")
    ):
        end += 1
    return m.text[m.words[start].start : m.words[end - 1].end][:2000].replace("\u2019", "'")


def _asked_for(m: Message, s: Sentence, i: int, exclusion: Exclusion, clause: str) -> bool:
    """Whether a later request asks for the excluded thing, or a question is about an item that was only set aside."""
    if _TAKES_BACK.search(clause):
        return False
    first = s.start
    while first < s.end and m.low(first) in (
        "ok",
        "okay",
        "and",
        "so",
        "now",
        "actually",
        "then",
        "please",
        "well",
        "could",
        "can",
        "you",
        "yes",
        "hm",
        "hmm",
        "right",
        "let's",
    ):
        first += 1
    opening = m.low(first)
    if s.wh in ("what", "how") and m.low(first + 1) == "about":
        return True
    if in_class(opening, "request_verb") and not s.wh:
        return not s.conditions
    if opening in ("i", "we", "i'd", "we'd") and any(
        m.low(n) in ("want", "need", "like", "love", "prefer") for n in range(first, min(first + 4, s.end))
    ):
        return True
    named = exclusion.phrase[:1].isupper()
    if named and _OTHERS.search(exclusion.cue) and (s.wh or s.fact):
        return True
    short = s.end - first <= 6 and not s.fact and not s.wh
    question = "?" in m.text[m.words[s.end - 1].end : m.words[s.end - 1].end + 3]
    return short and not question
