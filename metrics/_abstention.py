"""Abstentions: the one wording, and the many others that models use in its place."""

from __future__ import annotations

import re

from ..signatures.cite import ABSTENTION
from ._text import fold

_EVIDENCE = (
    r"(?:documents?|sources?|passages?|contexts?|evidence|texts?|materials?|information|excerpts?|records?|files?"
    r"|knowledge base|search results?|results|notes|data)"
)
_OWN_VOICE = re.compile(
    r"\b(?:i|we)(?:'m| am| was| are|'ve| have)? (?:\w+ ){0,2}?(?:cannot|can't|can not|could not|couldn't|unable"
    r"|not able|do not|don't|did not|didn't|have no|had no|no|not sure|found no|find no|found nothing)\b"
    r"(?: (?:to|be|any|able|enough|sufficient|relevant|actually|really|currently))*"
    rf" ?(?:find|found|locate|answer|know|see|have|determine|confirm|say|tell|provide|verify|identify|{_EVIDENCE})\b"
    rf"|\b(?:there (?:is|was|are|were|'s)|there's) (?:no|not enough|insufficient|nothing) (?:\w+ ){{0,3}}?"
    rf"(?:{_EVIDENCE}|mention|details?|answer|here)\b"
    rf"|^\W*(?:no|insufficient|not enough) (?:\w+ ){{0,2}}?(?:{_EVIDENCE}|answer|mention|details?)\b"
    r"|\b(?:i am|i'm) (?:sorry|afraid|not sure)\b(?!.*\b(?:is|are|costs?)\b.*\d)"
    r"|^\W*(?:n/a|unknown|no idea|not known|none)\W*$"
    r"|\bich (?:kann|konnte|finde|habe|weiß)\b.{0,60}\b(?:nicht|keinen?|keinerlei|nichts)\b"
    r"|^\W*(?:dazu |es |hierzu )?(?:gibt es |liegen |liegt )?(?:mir )?keine (?:belege|informationen|angaben|hinweise)\b"
    r"|\bje n(?:e |')(?:peux|trouve|sais|dispose|ai)\b|\baucune? (?:information|preuve|source|donn\u00e9e)"
    r"|\bno (?:puedo|encuentro|encontr\u00e9|he encontrado|dispongo|tengo|hay|s\u00e9)\b.{0,50}"
    r"\b(?:informaci\u00f3n|evidencia|datos|respuesta|responder|encontrar|pruebas)\b"
    r"|\bnon (?:trovo|posso|riesco|ho|ci sono|dispongo|so)\b|\bik (?:kan|heb|vind|weet)\b.{0,40}\b(?:geen|niet)\b"
)
_DOCUMENTS_VOICE = re.compile(
    rf"\b{_EVIDENCE} (?:\w+ ){{0,4}}?(?:do not|does not|don't|doesn't|did not|didn't|lacks?|insufficient|contains? no"
    rf"|says? nothing|makes? no mention|silent|gives? no|holds? no|provides? no|cannot|can't|not enough)\b"
    rf"|\b(?:not|n't|never|nowhere) (?:\w+ ){{0,2}}?(?:mentioned|stated|specified|covered|addressed"
    rf"|found|available|given|provided|said|listed)"
    rf"(?: (?:\w+ ){{0,2}}?(?:in|by) (?:\w+ ){{0,3}}?{_EVIDENCE})?\W*$"
    rf"|\bnone of (?:the|these|those|my) (?:\w+ ){{0,2}}?{_EVIDENCE}\b"
    rf"|\b(?:unterlagen|dokumente|quellen|texte)\b.{{0,40}}\b(?:nicht|keine|nichts)\b"
)


def is_abstention(answer: str) -> bool:
    """Whether an answer is the abstention, word for word."""
    return answer.strip() in (ABSTENTION, ABSTENTION + ".")


def holds_abstention(answer: str) -> bool:
    """Whether the abstention stands somewhere in an answer, whatever its case and white space."""
    return ABSTENTION.casefold() in " ".join(fold(answer).split())


def denies_in_own_voice(sentence: str) -> bool:
    """Whether a sentence says that nothing was found ("I could not find ...", "there is no information ...")."""
    return _OWN_VOICE.search(fold(sentence[:400])) is not None


def denies(sentence: str) -> bool:
    """Whether a sentence says so in any voice; one that speaks of a document may be cited from it."""
    return denies_in_own_voice(sentence) or _DOCUMENTS_VOICE.search(fold(sentence[:400])) is not None
