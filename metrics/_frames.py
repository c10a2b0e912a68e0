"""Parts of a query that may vanish: politeness, openers, correction frames, values the user took back."""

from __future__ import annotations

import re

from ._text import fold
from ._utterance import is_small_talk

Span = tuple[int, int]
_HEAD = 600  # characters: frames stand early, and what follows is read once only

_POLITE = (
    r"(?:(?:could|can|would|will) you (?:please |kindly |maybe |perhaps )?(?=\w)|would you mind|if you don't mind"
    r"|i (?:want|need|would like|'d like)(?: you)? to (?:know|ask|see|hear|understand|find out|learn)(?: about"
    r"| more about)?"
    r"|i'd (?:like|love) to (?:know|ask|see|hear|understand|find out|learn)(?: about| more about)?"
    r"|are you able to(?: tell me)?|i (?:don't|do not) (?:know|understand|see)(?= (?:how|what|which|if|whether|why"
    r"|where|who|when)\b)"
    r"|i(?:'m| am) not sure(?= (?:how|what|which|if|whether|why|where|who|when|about)\b)|do you (?:know"
    r"|happen to know|have any idea)|any idea|i(?:'m| am| was) (?:wondering|curious|asking)(?: about| if| whether)?"
    r"|(?:please )?tell me(?: more)?(?: about)?|let me know|let me ask|just to be clear|quick question|one (?:more"
    r"|last|other) (?:thing|question)"
    r"|(?:another|next|last|final|follow[- ]up|new|different|side) question(?= ?[:,.\u2013\u2014-])|by the way|btw"
    r"|for the record|in that case"
    r"|if so|if possible|thank you(?: (?:so|very) much)?|thanks(?: a lot| again| for [^,.!?;:\n]{1,40}(?=[,.!?;:\n]))?"
    r"|(?:that(?:'s| is| was) |oh |ah )?(?:great|perfect|interesting|good to know|makes sense|got it|i see"
    r"|understood|awesome|cool|nice|wow|okay|ok|alright)"
    r"(?=\s*[,.!;:\u2013\u2014-])"
    r"|(?:do |ask )?(?:the )?same (?:question |thing |again |here )?(?:for|about|with|in|on)"
    r"|hello|hi there|hi|hey|good (?:morning|afternoon|evening)|please|pls|plz|kindly|yes please|yes|yeah|yep|sure"
    r"|right"
    r"|okay|ok|well|so|now|then|also|and|but|or|anyway|actually|oh|ah|hmm+|um|wait|sorry|excuse me|pardon)"
)
# Only at the start (openers stack up: "ok thanks, and one more thing: ...") or at the end.
_OPENERS = re.compile(rf"\s*(?:{_POLITE}\b[\s,.!;:\u2013\u2014-]*)+", re.IGNORECASE)
_CLOSERS = re.compile(
    r"(?:[\s,.!;:-]*\b(?:please|pls|plz|thanks|thank you|thanks a lot|thx|then|tho|though|too|as well|of course"
    r"|i guess|i think|right|ok|okay|if possible"
    r"|if you can|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)(?:n't| not)?"
    r" (?:it|that|they|he|she|there|you|i|we)(?=\s*\?)))+[\s.!?]*$",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",\s*(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should)n't (?:it|that|they|he|she|there|you"
    r"|we)\s*\?*\s*$"
)
_CORRECTION = re.compile(
    r"\b(?:(?:no|nope|nah|sorry|wait|oops)\b[\s,.!;:\u2013\u2014-]*)*"
    r"(?:(?:sorry,? )?i (?:actually |really |just )?(?:meant(?: to (?:say|ask|type))?|mean|said|asked(?: about"
    r"| for)?|was (?:asking|talking) (?:about|for))"
    r"|(?:that's|that is|this is|it's|you're) (?:not (?:what|the one|right|it)|wrong)(?: i (?:asked|meant|wanted"
    r"|mean|want)(?: for| about)?)?"
    r"|make (?:that|it)|change (?:that|it) to|correction|scratch that|strike that|let me rephrase|my mistake|my bad"
    r"|rather)\b"
    r"(?: (?:for|about))?[\s,.!;:\u2013\u2014-]*",
)
# The same frame in other languages: "perdón, quería decir ...", "non, je voulais dire ...".
_CORRECTION_ELSEWHERE = re.compile(
    r"\s*(?:(?:no|nein|non|nee|não|nej|нет|ні|nie|perdón|perdon|perdona|pardon|désolée?|scusa|scusi|desculpe"
    r"|entschuldigung|verzeihung|sorry|förlåt|undskyld|przepraszam|извините|вибачте|pardon)\b[\s,.!;:\u2013\u2014-]*)*"
    r"(?:quer[ií]a decir|quise decir|me refer[ií]a a|je voulais dire|je parlais d[eu]|ich meinte?|gemeint war"
    r"|volevo dire|intendevo|eu? queria dizer|queria dizer|quis dizer|ik bedoel(?:de)?|jag menade|jag menar"
    r"|jeg mente|jeg mener|chodziło mi o|miał[ae]m na myśli|я имела? в виду|я мала? на увазі|demek istedim)\b"
    r"[\s,.!;:\u2013\u2014-]*"
)
_LEADING_NO = re.compile(
    r"\s*(?:(?:sorry|wait|oops)[\s,]+(?=not\b)|(?:wrong|incorrect|not quite)\b(?=\s*[,.!;:\u2013\u2014-])"
    r"|(?:no|nope|nah)\b(?=\s*[,.!;:\u2013\u2014-]|\s+(?:i|not|the|it|that"
    r"|sorry|wait)\b))[\s,.!;:\u2013\u2014-]*"
)
_NOT_OLD = re.compile(
    r"(?:^|[,;.!\u2013\u2014]\s*|\bno,?\s+)(?:and )?not (?:about |for |in |on |the |a "
    r"|an )*[^,;.!?\n]{1,60}?(?=\s*(?:[,;.!?\n]|\bbut\b|$))"
)
_NOT_AFTER_FRAME = re.compile(r"\bnot [^,;.!?\n]{1,60}")
_NOT_AT_END = re.compile(r"[^,;!?\n]{1,60}?,? (?P<old>not (?:the |a |an )?(?P<value>[^,;!?\n]{1,40}?))[.!?\s]*")
_TAKEN_BACK = re.compile(
    r"(?:[^\s,;.!?]{1,40} ){0,2}[^\s,;.!?]{1,40}\s{0,3}[,\u2013\u2014-]{1,3}\s{0,3}(?:no|sorry|i mean|i meant|rather"
    r"|make that|wait|scratch that|er|oops)\b[\s,]"
)
_MEANT = re.compile(
    r"\s*(?:(?:no|nope|nah|sorry|wait|oops|ah|oh|wrong|actually|pardon)\b[\s,.!;:\u2013\u2014-]*){0,3}"
    r"i (?:actually |really |just )?(?:meant(?: to (?:say|ask|type))?|mean)\b"
    r"(?![\s,:-]*(?:i|it|that|this|you|we|he|she|they|what|how|why|is|are|do|does|well)\b)[\s,:\u2013\u2014-]*"
)
_NOT_FIRST = re.compile(
    r"\s*(?:no|nope|nah|sorry)\b[\s,.!;:\u2013\u2014-]*not (?=(?:the|a|an|in|for|on|at)\b[^,]{1,40}, )"
)
_LONGEST_VALUE = 8  # words
_BACK_TO = re.compile(
    r"^\s*(?:(?:ok(?:ay)?|so|and|now|but|anyway)[\s,]+)*(?:(?:let'?s )?(?:go(?:ing)? |come |get(?:ting)? )?back to"
    r"|returning to|coming back to|about|regarding"
    r"|concerning|as for|on the (?:topic|subject) of|(?:speaking|talking) (?:of|about)"
    r"|with regard to)\s[^:,;?\n\u2013\u2014]{1,80}[:,;\u2013\u2014]\s*"
)
_BACK_WORDS = re.compile(
    r"^\s*(?:(?:ok(?:ay)?|so|and|now|but|anyway)[\s,]+)*(?:let'?s )?(?:go(?:ing)? |come |get(?:ting)? )?(?:back to"
    r"|returning to)\b"
)
_ELLIPSIS = re.compile(
    r"^\s*(?:(?:ok(?:ay)?|so|and|but|also|then)[\s,]+)*(?:what|how) about\b|^\s*(?:what|how) about\b"
)

_BREAK = re.compile(r"[,.!;\n]+\s*")

#: Words that ask for a date to be worked out from one in the history.
RELATIVE_DATE = re.compile(
    r"\b(?:(?:the |a |an |one |two |three |four |five |six |seven |ten |\d{1,3} |next |previous |prior |following "
    r"|same ){1,3})?"
    r"(?:day|week|month|quarter|year|decade|evening|morning|weekend)s? (?:before|after|later|earlier|prior|previous"
    r"|following)\b"
    r"(?: (?:that|it|this|then))?"
    r"|\bthe (?:next|previous|following|prior|preceding) (?:\d{1,3} |two |three )?(?:day|week|month|quarter|year"
    r"|decade|weekend)s?\b"
)


def is_correction(query: str) -> bool:
    """Whether the user replaces a value of an earlier turn ("no, I meant X", "not the pump, the valve")."""
    low = fold(query[:400])
    return any((_CORRECTION.search(low), _LEADING_NO.match(low), _CORRECTION_ELSEWHERE.match(low)))


def corrected_fragment(query: str) -> str | None:
    """Return what a frame corrects to when that is no sentence of its own ("sorry, I meant the blue lamp"), or None."""
    low = fold(query[:_HEAD])
    frame = _MEANT.match(low) or _CORRECTION_ELSEWHERE.match(low) or _NOT_FIRST.match(low)
    rest = low[frame.end() :].strip(" .,!") if frame else ""
    short = 0 < len(rest.split()) <= _LONGEST_VALUE and "?" not in query
    return rest if short and not is_small_talk(rest) else None


def replaced_value(query: str) -> tuple[Span, str] | None:
    """Return the place and the value of the "not Y" that ends a short "X, not Y", or None.

    It is a correction when an earlier turn of the user holds Y, else an exclusion; the caller knows the history.
    """
    match = _NOT_AT_END.fullmatch(query[:_HEAD].lower())
    return (match.span("old"), match.group("value")) if match and len(query) <= _HEAD else None


def core_of(query: str) -> str:
    """Return a query without its opening politeness ("I'd like to know how ..." gives "how ..."), or all of it."""
    head = query[:_HEAD]
    match = _OPENERS.match(head)
    rest = head[match.end() :] + query[_HEAD:] if match else query
    return rest if rest.strip(" .,!?") else query


def free_spans(query: str) -> list[Span]:
    """Return the places (characters) of a query whose words may vanish in a rewrite.

    They are openers and closers, politeness, "back to X:", elliptical openers, correction frames, and the values that a
    correction replaces ("not the pump", the "3" of "for 3, no, 5 users").
    """
    low = fold(query)
    if len(low) != len(query):  # folding changed the places: be strict rather than wrong
        low = query.lower() if len(query.lower()) == len(query) else query
    tail = max(0, len(low) - 80)
    end_of_query, low = low, low[:_HEAD]
    spans: list[Span] = []
    for pattern in (_OPENERS, _BACK_TO, _BACK_WORDS, _ELLIPSIS, _LEADING_NO, _CORRECTION_ELSEWHERE):
        if match := pattern.match(low):
            spans.append(match.span())
    for pattern in (_CLOSERS, _TAG):
        if match := pattern.search(end_of_query, tail):
            spans.append(match.span())
    spans += [m.span() for m in _TAKEN_BACK.finditer(low)]
    frames = [m.span() for m in _CORRECTION.finditer(low)]
    spans += frames
    if frames or _LEADING_NO.match(low):
        spans += [m.span() for m in _NOT_OLD.finditer(low)]
        spans += [m.span() for m in _NOT_AFTER_FRAME.finditer(low, max((e for _, e in frames), default=0))]
        end = next((m.end() for m in (_LEADING_NO.match(low),) if m), 0)
        if match := _OPENERS.match(low, max([end, *(e for _, e in frames)])):
            spans.append(match.span())
    return [*spans, *_leading_small_talk(low)]


def _leading_small_talk(low: str) -> list[Span]:
    """Whole sentences of praise or thanks in front of the question."""
    spans: list[Span] = []
    start = 0
    for match in _BREAK.finditer(low):
        if not is_small_talk(low[start : match.start()]):
            break
        spans.append((start, match.end()))
        start = match.end()
    return spans
