"""Whether a user's message asks something that could stay open (design section 7).

Thanks, greetings, interjections, prompts to go on, clarifications of a pending question and questions about the
conversation itself never enter the ledger, and cannot be lost. What can be read either way is "unclear": it may enter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from ..signatures.types import OpenQuestion
from ._content import MONTHS, WEEKDAYS
from ._language import unspaced
from ._ledger_words import content
from ._speech_act import ends_as_question, form_of
from ._text import fold
from ._utterance import is_acknowledgement, is_pick, is_small_talk

Asking = Literal["asks", "nothing", "unclear"]
_LONGEST = 1_000
_FEW_WORDS = 4
_SENTENCE = re.compile(r"[^.!?\uff01\uff1f\u3002\u2026]+[.!?\uff01\uff1f\u3002\u2026]*")
_PUNCTUATION = re.compile(r"[\s,.!?;:\u00bf\u00a1\u2013\u2014\u2026()-]+")

_PROMPT = re.compile(
    r"(?:(?:and|so|well|ok|okay|please|und|et|y|alors) )*(?:h+m+|m+h+m+|hu+h|eh|e+r+m*|u+h+|pff+t?|tja|so"
    r"|ach so|aha|ah so|ben"
    r"|bon|pues|bueno|well|(?:is there )?(?:any|some)(?:thing|body|one)(?: else| new| more)?(?: yet| so far)?"
    r"|(?:is there )?any (?:news|updates?|progress|luck|more|ideas?)(?: yet| so far)?(?: on (?:that|this|it"
    r"|these|those))?"
    r"|more|next|continue|go on|keep going|carry on|proceed|and|and then|and now|now|then|what else"
    r"|what now|what next"
    r"|still nothing|nothing yet|not yet|try again|again|retry|once more|one more time|keep (?:looking"
    r"|trying|searching)"
    r"|look again|search again|check again|hello|you there|are you (?:still )?there|go ahead|tell me more|say more"
    r"|weiter|mach(?:en sie)? (?:bitte )?weiter|fahr(?:en sie)? fort|noch (?:et)?was|sonst noch (?:et)?was|was noch"
    r"|gibt(?: e)?s (?:was|etwas) neues|(?:et)?was neues|und|und (?:nun|jetzt|dann|weiter)|nochmal|noch einmal"
    r"|continue[zr]?|la suite|autre chose|encore|quoi d'autre|et alors|et après|du nouveau|allez-y"
    r"|sigue|siga|continúa|continúe|algo más|más|y ahora|adelante|alguna novedad|otra vez)"
    r"(?: please| bitte| s'il (?:vous|te) plaît| por favor)?"
)
_SOCIAL = re.compile(
    r"(?:danke|dank|merci|gracias|thanks?|thank you|cheers|hallo|hello|hi|hey|bonjour|hola|good (?:morning"
    r"|evening|afternoon)"
    r"|guten (?:tag|morgen|abend))(?: (?:dir|ihnen|euch|a lot|very much|so much|again|everyone|there|all"
    r"|vielmals|sehr|"
    r"schön|bien|beaucoup|à vous|à tous|por todo|a todos|nochmals|again|anyway|then|for (?:that|this|now|trying|"
    r"looking|checking|the (?:help|info|quick reply|reply|answer))))*"
)
_ABOUT = re.compile(
    r"\b(?:what|which|was|qu'est-ce qui|qué)\b.{0,40}\b(?:still open|(?:is|are|'s) open$|pending|unanswered"
    r"|outstanding"
    r"|unresolved|noch offen|sans réponse|sin respuesta|sigue pendiente|pendientes?)\b"
    r"|\b(?:what|which questions?) (?:did|have|had) (?:i|we) (?:just |already |so far )?(?:ask|asked)\b"
    r"|\bwhere (?:did|do) you (?:get|find|read|see|take|have) (?:that|this|it|these|those)\b|\bwhere (?:is"
    r"|'s) (?:that|this) from$"
    r"|\bwhat(?:'s| is| are| were) (?:your|the|that's|those|my|our) (?:last |open |earlier |previous "
    r"|pending )?(?:sources?"
    r"|open questions?|questions?)$"
    r"|^(?:please |can you |could you )*(?:put|turn|format|rewrite|rephrase|repeat|shorten|summari[sz]e"
    r"|translate|say) "
    r"(?:that|this|it|your (?:last )?answer|the (?:last )?answer)\b"
    r"|\bwas (?:habe ich|hatte ich) (?:dich |sie |bisher )?gefragt\b|\bwoher (?:hast du|haben sie|weißt du) das\b"
)
_WONDERS = re.compile(
    r"\b(?:wonder(?:ing)?|curious|know|tell|told|unsure|not sure|unclear|find out|understand|check|explain|figure out"
    r"|question is|asking|wissen|savoir|saber)\b"
)
_NEEDS = re.compile(
    r"\b(?:i|we) (?:(?:still|also|really|just) )*(?:need|want|am looking for|are looking for|require)\b"
)
_CLARIFIES = re.compile(
    r"(?:no|yes|yeah|well|actually|sorry|ok|oh|nein|doch|non|si|no)?[,. ]*"
    r"(?:i (?:mean|meant|was talking about|am talking about|'m talking about|was asking about)"
    r"|i'm talking about|that is|i\.e\."
    r"|specifically|namely|for example|to be (?:precise|exact|clear)|more (?:precisely|exactly)|it(?:'s| is"
    r"| was)\b|it's about"
    r"|that(?:'s| was)|this is about|only|just|in|on|at|for|from|since|until|between|during|near|of|with|by|about"
    r"|ich meine|gemeint ist|und zwar|nämlich|nur|im|am|für|seit|bei|aus|es geht um"
    r"|je (?:veux dire|parle)|c'est|seulement|pour|dans|en|au|aux|depuis|me refiero|quiero decir|solo|sólo"
    r"|para|desde)\b"
)
_ASKING_WORD = re.compile(
    r"\b(?:what|who|whom|whose|which|when|where|why|how|whether|if|was|wer|wo|wann|wie|warum|welche[rsnm]?|ob|wieviel"
    r"|qui|quel(?:le)?s?|quand|comment|pourquoi|combien|où|qué|quién|cuál|cuándo|cuánto|dónde|cómo)\b"
)
_REMINDS = re.compile(
    r"(?:and |but |so |und |et |y )*(?:what about|how about|any (?:news|updates?|progress"
    r"|word)(?: yet)? (?:on|about|of|from|for|with|regarding)"
    r"|anything (?:new )?(?:on|about)|and|und|et|y|still nothing (?:on|about)|was ist mit"
    r"|gibt es (?:et)?was neues (?:zu[rm]?|über)"
    r"|du nouveau (?:sur|pour)|alguna novedad (?:sobre|de)|back to|about|so|regarding)\b"
)  # fmt: skip
# Question particles and words of scripts without spaces, where words cannot be counted.
_EASTERN_QUESTION = re.compile(
    r"(?:か|かな|吗|嗎|呢|까)$|何|誰|どこ|いつ|いくら|什么|甚麼|谁|哪|多少|几|怎么|为什么|무엇|언제|어디|얼마|누가|왜|어떻게|อะไร|ไหน|เมื่อไร|เท่าไร|ไหม$"
)
_VERBAL = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)\b"
)


def asking(question: str, ledger: Iterable[OpenQuestion] = (), *, first: bool = False) -> Asking:
    """Tell whether a message asks something.

    Args:
        question: The user's message of this turn.
        ledger: The pending questions, which a fragment may complete or remind of.
        first: Whether it is the first message: a fragment then is a query in keywords.
    """
    return _asking(question, tuple(entry.question for entry in ledger), first)


@lru_cache(maxsize=256)
def _asking(question: str, pending: tuple[str, ...], first: bool) -> Asking:
    if len(question) > _LONGEST:
        return "asks"
    told = [_sentence(s, pending, first) for s in _SENTENCE.findall(question) if any(c.isalnum() for c in s)]
    if "asks" in told or not told:
        return "asks" if told else "nothing"
    return "unclear" if "unclear" in told else "nothing"


def _sentence(text: str, pending: tuple[str, ...], first: bool) -> Asking:
    plain = " ".join(_PUNCTUATION.sub(" ", fold(text)).split())
    if is_small_talk(text) or is_acknowledgement(text) or _PROMPT.fullmatch(plain) or _SOCIAL.fullmatch(plain):
        return "nothing"
    if _ABOUT.search(plain):
        return "nothing"
    if unspaced(text):
        return "asks" if _EASTERN_QUESTION.search(plain.rstrip(" 。！？")) or ends_as_question(text) else "unclear"
    form, marked = form_of(text), ends_as_question(text)
    if marked or form in ("question", "request"):
        if form == "request" and not marked:
            return "asks"
        return "unclear" if _reminds(text, plain, pending) else "asks"
    if is_pick(text):
        return "nothing" if not first else "unclear"
    if _ASKING_WORD.search(plain) and (_WONDERS.search(plain) or form == "fragment"):
        return "unclear" if _CLARIFIES.match(plain) else "asks"
    if _NEEDS.search(plain):
        return "unclear"
    if (
        form == "statement"
        or _CLARIFIES.match(plain)
        or plain.split()[0] in ("i", "my", "we", "our", "ich", "wir", "je", "yo")
    ):
        return "nothing" if not first else "unclear"
    if first:
        return "asks"
    return "nothing" if _is_slot(text, plain, pending) else "unclear"


def _reminds(text: str, plain: str, pending: tuple[str, ...]) -> bool:
    """Whether a short question without a verb only names what a pending question is about: "The lock?"."""
    words = content(text)
    if not words or len(words) > 3 or not pending:
        return False
    bare = not _VERBAL.search(plain) and not _ASKING_WORD.search(plain)
    if not bare and not _REMINDS.match(plain):
        return False
    from ._ledger_words import Text

    return any(all(Text((asked,)).touches(word, None) for word in words) for asked in pending)


def _is_slot(text: str, plain: str, pending: tuple[str, ...]) -> bool:
    """Whether a fragment only fills in what was left open: a date, a number, a name, a few words with a full stop."""
    words = plain.split()
    if not pending or len(words) > _FEW_WORDS:
        return False
    if text.rstrip().endswith((".", "!")) or len(words) == 1:
        return True
    return any(w in MONTHS or w in WEEKDAYS or any(c.isdigit() for c in w) for w in words)
