"""What kind of utterance a user's message is: small talk, acknowledgement, a pick from a list, and its polite frame."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..signatures.types import Turn
from ._text import fold

_LONGEST = 120  # characters; small talk and acknowledgements are short in every language

_GREETING = (
    "hello there|hello|hi there|hi|hey there|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day|night)"
    "|(?:is |are )?(?:any(?:one|body)|you|somebody|someone) (?:there|around|home)(?= ?$)"
    "|morning|how are you(?: doing)?(?: today)?|how'?s it going|what'?s up|nice to meet you|hallo|guten (?:tag"
    "|morgen|abend)"
    "|moin|servus|bonjour|bonsoir|salut|hola|buenos d[ií]as|buenas tardes|buenas|ciao|salve|buongiorno|buonasera|ol[aá]"
    "|bom dia|boa tarde|hej|hei|goedemorgen|goedemiddag|goedendag|cześć|dzień dobry|merhaba|selam|привет|здравствуйте"
    "|привіт|你好|您好|こんにちは|안녕하세요|สวัสดี(?:ครับ|ค่ะ)?|مرحبا|नमस्ते"
)
_THANKS = (
    "(?:many |a lot of |thousand )?thanks?(?: you)?(?: so| very)?(?: much| a lot| a bunch| a million| again| anyway)?"
    "(?: for (?:your|the|all your) (?:help|time|answer|answers|info|information|explanation|support))?|thx|ty|cheers"
    "|tysm|(?:that|this|it) (?:really |already |totally )?(?:help(?:s|ed)|work(?:s|ed))(?: me)?(?: out)?"
    "(?: a lot| a bunch| very much| great| fine| perfectly| now)?|(?:helps|works) now"
    "|(?:that|this|it) (?:clears|cleared|sorts|sorted) (?:it|that|this|things|everything)(?: all)?(?: up| out)?"
    "|(?:that|this|it) (?:answers|answered|settles|settled|solves|solved|fixes|fixed) (?:it|that|everything"
    "|(?:all )?my questions?|my problem)"
    "|(?:that(?:'s| is| was) )?(?:all|exactly what|everything|just what) i (?:need(?:ed)?|wanted|was after"
    "|was looking for)(?: to know| to hear)?|i have (?:all|what|everything) i need(?:ed)?"
    "|(?:that|this) did (?:it|the trick)|problem solved"
    "|much appreciated|appreciated|i (?:really )?appreciate (?:it|that|your help|the help)|danke(?: sch[oö]n| sehr)?"
    "|vielen dank|merci(?: beaucoup| bien)?|(?:muchas )?gracias|(?:mille |tante )?grazie(?: mille)?"
    "|(?:muito )?obrigad[oa]"
    "|bedankt|dank (?:je|u)(?: wel)?|tack(?: s[aå] mycket)?|(?:mange )?tak|takk|kiitos|dziękuję|dzięki|teşekkürler"
    "|спасибо|дякую|谢谢|多谢|ありがとう(?:ございます)?|감사합니다|ขอบคุณ(?:ครับ|ค่ะ|มาก)?|شكرا"
)
_PRAISE = (
    "(?:that(?:'s| is| was)|this is|it(?:'s| is| was)|you(?:'re| are)|what an?|(?:that )?sounds|(?:that )?looks"
    "|you've been|good to know)?"
    " ?(?:so |very |really |all |just |quite |super |extremely )*(?:great|good|perfect|awesome|excellent|amazing"
    "|fantastic"
    "|wonderful|brilliant|cool|nice|lovely|neat|sweet|helpful|useful|interesting|clear|funny|fun|the best|fine"
    "|impressive|fascinating|crazy|weird"
    "|sad|awful|terrible|a (?:shame|pity|relief)|too bad)"
    "(?: (?:job|work|one|answer|explanation|stuff|news|to know|idea|help))?(?: so far)?"
    "|well done|(?:i )?(?:love|like) (?:it|that|this)|super|toll|prima|klasse|génial|parfait|perfecto|genial|perfetto"
    "|perfeito|geweldig|fijn|отлично|супер|太好了|不错"
)
_GOODBYE = (
    "(?:good)?bye(?: bye)?(?: for now)?|see (?:you|ya)(?: later| soon| tomorrow)?|take care|talk (?:to you )?later"
    "|later"
    "|have an? (?:nice|good|great) (?:day|one|evening|weekend|night)|tsch[uü]ss|auf wiedersehen|au revoir"
    "|adi[oó]s|hasta luego|arrivederci|tchau|doei|tot ziens|hej d[aå]|farvel|до свидания|пока|再见"
)
_INTERJECTION = (
    "wow|oh(?: wow| no| my (?:god|goodness|gosh))?|omg|good to know|ah|aha|hmm+|mm+|uh|um|haha(?:ha)*|lol|yay|oops"
    "|whoa|phew|got it|gotcha|understood|i see"
    "|i understand|makes sense|that makes sense|noted|never ?mind|no(?:pe)?|no (?:worries|problem|thank you|thanks"
    "|need)"
    "|you(?:'re| are) welcome|my pleasure|not (?:now|really)|that(?:'s| is| will be|'ll be) all(?: for (?:now|today))?"
    "|nothing else|just (?:testing|kidding)|test|nein|non|nee|net|alles klar|verstanden|d'accord|entendido|capito"
    "|begrepen|понятно"
    "|there|everyone|all|team|folks|again|today|then|so|and|but|for now|indeed|exactly|right|i'm (?:good|done|fine)"
)
_WOULD = (
    "(?:(?:that|this|it) )?(?:that'd|it'd|this'd|would) (?:really |certainly |definitely )?"
    "(?:be (?:really |very |so |super |just )?(?:great|good|nice|helpful|lovely|perfect|useful|wonderful|fantastic"
    "|awesome|amazing|brilliant|ideal|a (?:great |big )?help)|help(?: me)?(?: a lot)?|work(?: for me)?|do)"
)
_ACCEPT = (
    "ok(?:ay)?|k|yes|yeah|yep|yup|sure(?: thing)?|please(?: do)?|go ahead|go for it|do (?:it|that|so)|of course"
    "|absolutely"
    "|definitely|certainly|by all means|why not|let'?s (?:do (?:it|that)|go|hear it)|sounds (?:good|great)|that works"
    "|i(?:'d| would) (?:like|love) (?:that|it|to)"
    "|alright"
    "|all right|fine|right|good idea|great|perfect|yes i do|i do|continue|carry on|go on|please|thanks?(?: you)?"
    "|that|then"
    "|ja|ja bitte|gerne?|bitte|klar|oui|s'il (?:vous|te) pla[iî]t|bien s[uû]r|volontiers|vas-y|s[ií]|claro|por favor"
    "|vale|dale"
    "|certo|per favore|va bene|sim|graag|alsjeblieft|ja graag|gärna|tak|tack|tak gerne|да|давай|конечно|пожалуйста"
    "|так|tak|proszę"
    "|evet|lütfen|tamam|好的?|是的?|可以|はい|お願いします|네|ครับ|ค่ะ|ได้|نعم"
)
_ONLY_ACCEPT = re.compile(
    r"\b(?:ok(?:ay)?|k|y(?:es|eah|ep|up)|sure|please|go ahead|go for it|do (?:it|that|so)|course|absolutely|definitely"
    r"|certainly|means|why not|let'?s|good|works|would (?:be|help|work|do)"
    r"|(?:that|it|this)'d|(?:like|love) (?:that|it|to)|al ?right|i do|continue"
    r"|carry on|go on"
    r"|ja|gerne?|klar|oui|s[uû]r|volontiers|vas-y|s[ií]|claro|vale|dale|certo|va bene|sim|graag|gärna|да|давай"
    r"|конечно|так|tak"
    r"|evet|tamam)\b|[好是可はお네ครค่ได้نعم]"
)
_SEPARATORS = re.compile(r"[\s,.!?;:\-\u2013\u2014()~*\u3001\u3002\uff01\uff1f\uff0c\u2026]+")
_SYMBOLS = re.compile(r"[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]+|(?<!\w)[:;]-?[)(dp](?!\w)", re.IGNORECASE)


def _phrases(*alternatives: str) -> re.Pattern[str]:
    """Whole phrases to take out of a message; taken out one by one, so that no message backtracks."""
    return re.compile(r"(?<!\S)(?:" + "|".join(alternatives) + r")(?!\S)")


_SMALL_TALK = _phrases(
    "(?:sure|yes|yeah|ok|okay) why not",
    _WOULD,
    _THANKS,
    _GREETING,
    _PRAISE,
    _GOODBYE,
    _INTERJECTION,
    "ok(?:ay)?|alright|sure|yes|yeah|please",
)
_ACCEPTANCE = _phrases(_ACCEPT, _WOULD)
_ORDINAL = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|latter|former|middle|other|next|previous"
    "|1st|2nd|3rd"
    "|[4-9]th"
)
_PICK = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yeah|sure|then|and|i'll take|i(?:'d| would) like|let'?s (?:take|go with|do)|give me"
    r"|show me|take|go with)"
    r" )*(?:the )?"
    rf"(?:(?:number|no|option|item|choice|point|answer|variant|version|nr) )?(?:#?\d{{1,2}}|[a-h]"
    rf"|(?:{_ORDINAL})(?: one| option| item)?"
    rf"|(?<=the )(?:{_ORDINAL}) [a-z-]{{2,20}}|one|two|three|four|five|six|seven|eight|nine|ten|both|all|either|neither"
    r"|this one|that one|these|those)(?: (?:please|then|thanks|thank you|of (?:them|those|these)|for me|sounds good))*"
)


def _plain(query: str) -> str:
    """Fold a message and keep its words with single spaces between them."""
    return _SEPARATORS.sub(" ", _SYMBOLS.sub(" ", fold(query))).strip()


def is_small_talk(query: str) -> bool:
    """Whether a message is a greeting, thanks, praise, goodbye or interjection and nothing else (several languages).

    A message of symbols alone (an emoji, "...") counts: there is nothing to search for.
    """
    if len(query) > _LONGEST:
        return False
    return not _SMALL_TALK.sub("", _plain(query)).strip()


def is_acknowledgement(query: str) -> bool:
    """Whether a message does no more than accept what was offered: "ok", "yes please", "go ahead", "ja gerne"."""
    if len(query) > _LONGEST:
        return False
    plain = _plain(query)
    return bool(plain) and not _ACCEPTANCE.sub("", plain).strip() and _ONLY_ACCEPT.search(plain) is not None


def is_pick(query: str) -> bool:
    """Whether a message does no more than pick from a list: "2", "b", "the second one", "option 3 please", "both"."""
    return len(query) <= _LONGEST and _PICK.fullmatch(_plain(query)) is not None


_OFFER = re.compile(
    r"(?:shall|should|may|can|could) (?:i|we)\b|would you like|do you (?:want|need)|want me to|i (?:can|could) also"
    r"|if you(?:'d)? (?:like|want|wish)|let me know (?:if|which|whether)|just say|soll ich|möchten sie|möchtest du"
    r"|voulez-vous|veux-tu|quieres|desea|vuoi|zal ik|wil je|vill du",
)
_SENTENCE_END = re.compile(r"[.!?\u3002\uff01\uff1f\u061f]+[\"')\]]*(?:\s+|$)|\n+|(?<=[\u3002\uff01\uff1f])")


def offer_of(history: Sequence[Turn]) -> str | None:
    """Return the offer or question with which the last message, if it is the assistant's, ends.

    Returns:
        One of its last two sentences as written (a question, or an offer such as "I can also list the fees."), or None.
    """
    if not history or history[-1].role != "assistant":
        return None
    tail = history[-1].content[-600:].rstrip()
    ends = [m.end() for m in _SENTENCE_END.finditer(tail)]
    starts = [0, *ends]
    sentences = [tail[a:b].strip() for a, b in zip(starts, [*ends, len(tail)], strict=True)]
    for sentence in reversed([s for s in sentences if any(c.isalnum() for c in s)][-2:]):
        if sentence.rstrip("\"')] ").endswith(("?", "\uff1f", "\u061f")) or _OFFER.search(fold(sentence)):
            return sentence
    return None
