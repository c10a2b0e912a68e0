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
from ._ledger_words import Text, content
from ._speech_act import ends_as_question, form_of
from ._text import fold
from ._turn_kind import TurnReading, turn_kind
from ._turn_words import is_frame
from ._utterance import is_acknowledgement, is_pick, is_small_talk

Asking = Literal["asks", "nothing", "unclear"]
_LONGEST = 1_000
_FEW_WORDS = 4
_FIRST_PERSON = frozenset("i my we our ich wir je yo".split())
_BEFORE_VALUES = frozenset("in on at for from since until the of im am an ab seit en au le el".split())
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
    r"(?:bis (?:morgen|bald|dann|später|nächste woche)|à (?:demain|bientôt|plus tard|tout à l'heure)"
    r"|hasta (?:mañana|pronto|luego)|danke|dank|merci|gracias|obrigad[oa]|thanks?|thank you|cheers|hallo|hello|hi|hey"
    r"|bonjour|hola|good (?:morning|evening|afternoon)"
    r"|guten (?:tag|morgen|abend))(?: (?:dann|dir|ihnen|euch|a lot|very much|so much|again|everyone|there|all"
    r"|vielmals|sehr|"
    r"schön|bien|beaucoup|à vous|à tous|por todo|a todos|nochmals|again|anyway|then|for (?:that|this|now|trying|"
    r"looking|checking|the (?:help|info|quick reply|reply|answer))|das (?:hilft|hat geholfen|reicht)(?: mir)?"
    r"(?: sehr| schon| weiter)*|das war(?:'s| es| alles)?|c'est (?:tout|parfait|noté|bon)|es todo|era só isso))*"
)
_OF_TALK = frozenset(("open", "asked", "exclusions"))
"""What a look at the ledger may want; news of a topic may be a question of its own."""
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
_MEANS = re.compile(
    r"(?:no|yes|well|actually|sorry|nein|doch|non|si)?[,. ]*(?:i (?:mean|meant|was asking about|was talking about"
    r"|am talking about)|i'm talking about|ich meine?|je (?:veux dire|parle de)|me refiero|quiero decir)\b"
)
_STATES = re.compile(r"(?:it|that|this|es|das|c'|ça)(?:'s| is| was| ist| war|est)\b|(?:i|we|ich|wir|je|yo)\b")
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


def asking(
    question: str,
    ledger: Iterable[OpenQuestion] = (),
    *,
    first: bool = False,
    clarifying: bool = True,
    searched: bool = False,
) -> Asking:
    """Tell whether a message asks something.

    Args:
        question: The user's message of this turn.
        ledger: The pending questions, which a fragment may complete or remind of.
        first: Whether it is the first message: a fragment then is a query in keywords.
        clarifying: Whether a pending question waits for more; a fragment is a query of its own where none does.
        searched: Whether it is known to be no question about the conversation ("what is still open" of shops).
    """
    pending = tuple(entry.question for entry in ledger)
    return _asking(question, pending, first, clarifying and bool(pending), searched)


@lru_cache(maxsize=256)
def _asking(question: str, pending: tuple[str, ...], first: bool, clarifying: bool, searched: bool) -> Asking:
    if len(question) > _LONGEST:
        return "asks"
    parts = [part for part in _SENTENCE.findall(question) if any(c.isalnum() for c in part)]
    told = [_sentence(part, pending, first, clarifying, searched) for part in dict.fromkeys(parts)]
    if "asks" in told or not told:
        return "asks" if told else "nothing"
    return "unclear" if "unclear" in told else "nothing"


def _sentence(text: str, pending: tuple[str, ...], first: bool, clarifying: bool, searched: bool) -> Asking:
    plain = " ".join(_PUNCTUATION.sub(" ", fold(text)).split())
    if is_small_talk(text) or is_acknowledgement(text) or _PROMPT.fullmatch(plain) or _SOCIAL.fullmatch(plain):
        return "nothing"
    reading = turn_kind(text)
    if reading.kind == "social" or is_frame(plain) or (not searched and _is_about_the_talk(reading)):
        return "nothing"
    if unspaced(text):
        return "asks" if _EASTERN_QUESTION.search(plain.rstrip(" 。！？")) or ends_as_question(text) else "unclear"
    form, marked = form_of(text), ends_as_question(text)
    if marked or form in ("question", "request"):
        if form == "request" and not marked:
            return "asks"
        return "unclear" if _reminds(text, plain, pending) else "asks"
    if is_pick(text):
        return "nothing" if clarifying and not first else "unclear"
    if _ASKING_WORD.search(plain) and (_WONDERS.search(plain) or form == "fragment"):
        return "unclear" if _CLARIFIES.match(plain) else "asks"
    if _NEEDS.search(plain):
        return "unclear"
    if form == "statement" or _CLARIFIES.match(plain) or plain.split()[0] in _FIRST_PERSON:
        return "nothing" if not first and (clarifying or _states(plain, form)) else "unclear"
    if first:
        return "asks"
    return "nothing" if clarifying and _is_slot(text, plain) else "unclear"


def _is_about_the_talk(reading: TurnReading) -> bool:
    """Whether all of a sentence speaks of the conversation: its open questions, its sources, its last answer."""
    return reading.kind in ("about_answer", "about_sources") or (
        reading.kind == "about_ledger" and reading.aspect in _OF_TALK
    )


def _states(plain: str, form: str) -> bool:
    """Whether a sentence only tells something; "I mean the south pier" corrects what was asked."""
    return not _MEANS.match(plain) and (form == "statement" or _STATES.match(plain) is not None)


def _reminds(text: str, plain: str, pending: tuple[str, ...]) -> bool:
    """Whether a short question without a verb only names what a pending question is about: "The lock?"."""
    words = content(text)
    if not words or len(words) > 3 or not pending:
        return False
    bare = not _VERBAL.search(plain) and not _ASKING_WORD.search(plain)
    if not bare and not _REMINDS.match(plain):
        return False
    return any(all(Text((asked,)).touches(word, None) for word in words) for asked in pending)


def reminds(question: str, entry: OpenQuestion) -> bool:
    """Whether a message names something that an open question is about."""
    asked = Text((entry.question, entry.standalone_query))
    return any(asked.touches(word, None) for word in content(question))


def _is_slot(text: str, plain: str) -> bool:
    """Whether a fragment only fills in what was left open: a date, a number, a name, a few words with a full stop."""
    words = plain.split()
    if len(words) > _FEW_WORDS:
        return False
    if text.rstrip().endswith((".", "!")) or len(words) == 1:
        return True
    return any(map(_is_value, words))


def cannot_stand(text: str) -> bool:
    """Whether a message is a bare value or a pick, which nothing can be searched for by: "March.", "the second one"."""
    words = _PUNCTUATION.sub(" ", fold(text)).split()
    values = [word for word in words if word not in _BEFORE_VALUES]
    return is_pick(text) or (bool(values) and len(words) <= _FEW_WORDS and all(map(_is_value, values)))


def _is_value(word: str) -> bool:
    return word in MONTHS or word in WEEKDAYS or any(c.isdigit() for c in word)
