"""Which sentences of an answer state a fact: greetings, offers, questions and lead-ins do not."""

from __future__ import annotations

import re

from ._content import is_function_word, terms
from ._language import unspaced
from ._speech_act import ends_as_question
from ._text import fold

_POLITE = re.compile(
    r"(?:hi|hello|hey|thanks|thank you|you(?:'re| are) (?:very |most )?welcome|welcome|sure|of course|certainly|"
    r"absolutely|glad|happy|great|good (?:question|morning|luck|point)|no problem|sorry|i(?:'m| am) sorry|my apologies"
    r"|apologies|let me know|feel free|please (?:let me|ask|tell|feel|note that i)"
    r"|if you (?:need|want|have|would|'d|like)[^.]{0,80}(?:let me|ask|tell me|i can)|do you (?:want|need)|would you"
    r"|shall i|i (?:hope|can also|could also|'ll|will)\b"
    r"|hope (?:this|that)|is there anything|anything else|have a (?:nice|good|great)|enjoy\b|gern|danke|hallo|merci"
    r"|bonjour|gracias|hola|de nada|grazie|prego)\b"
)
_LEADS_IN = re.compile(
    r"(?:here(?:'s| is| are)|below (?:is|are)|the following|in (?:short|summary|brief)|to (?:summari[sz]e|sum up)"
    r"|summary|short answer|i (?:found|checked|looked|have (?:found|summari[sz]ed))|based on (?:the|these|those|your)"
    r"|according to)\b[^.]{0,60}[.:]?$"
)


def is_claim(text: str) -> bool:
    """Whether a sentence states a fact."""
    plain = re.sub(r"^[*_\s\"']+|[*_\s\"']+$", "", text)
    low = fold(plain[:300])
    bold = text.strip().startswith(("**", "__")) and text.strip().endswith(("**", "__"))
    if not plain or plain.endswith((":", "\uff1a")) or ends_as_question(plain) or (bold and plain[-1] not in ".!"):
        return False
    if _POLITE.match(low) and not re.search(r"\d", low):
        return _after_courtesy(plain)
    if _LEADS_IN.match(low):
        return False
    if unspaced(plain):
        return sum(c.isalnum() for c in plain) > 3
    return any(
        t.kind in ("number", "identifier") or (t.kind == "word" and not is_function_word(t.key, "en"))
        for t in terms(plain)
    )


def _after_courtesy(text: str) -> bool:
    """Whether a sentence that opens politely goes on to a fact: "Sure, the fee is due in May."."""
    head, comma, rest = text.partition(",")
    return bool(comma) and len(head.split()) <= 3 and len(rest.split()) > 2 and is_claim(rest)
