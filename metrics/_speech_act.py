"""Form of an utterance: question, request, statement or fragment; lead-ins, refusals, answers and transcripts."""

from __future__ import annotations

import re
from typing import Literal

from ._text import fold

Form = Literal["question", "request", "statement", "fragment"]

_WH = r"(?:what|which|who|whom|whose|when|where|why|how|whats|hows|wheres|whos)"
_AUX = (
    r"(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|isn't|aren't"
    r"|wasn't"
    r"|weren't|don't|doesn't|didn't|hasn't|haven't|hadn't|can't|couldn't|won't|wouldn't|shouldn't|cannot)"
)
_OPEN = (
    r"\s*(?:(?:and|but|so|or|then|also|well|ok|okay|now|please|hi|hello|hey|thanks|great|cool"
    r"|in|on|at|for|to|from|by|with|of|about|under|since|until)[\s,]+)*"
)
_QUESTION = re.compile(
    rf"{_OPEN}(?:{_WH}(?:'s|'re|'d|'ll)?\b|{_AUX}(?=\s+[\w\"'(])|any(?:one|body|thing)?\s+(?:idea|other|more)\b"
    r"|was|wer|wie|wo|wann|warum|welche[rsnm]?|qui|que|quoi|quel(?:le)?s?|quand|comment|pourquoi|combien|qué|quién"
    r"|cuál(?:es)?"
    r"|cuándo|dónde|cómo|cuánt[oa]s?|chi|cosa|quale|quando|dove|quanto|wat|wie|waar|wanneer|hoe|vad|vem|när|var|hur)\b"
)
_EMBEDDED_WH = re.compile(
    rf"[,:;.!]\s*(?:and |but |so )?(?:(?:in|on|at|for|to|from|by|with|of) )?{_WH}\b|[,:;.!]\s*(?:and |but "
    rf"|so )?{_AUX}\s+\w+"
)
_REQUEST_VERBS = (
    "show|list|tell|give|explain|describe|find|compare|summari[sz]e|search|fetch|get|provide|recommend|suggest"
    "|translate|write"
    "|draft|define|help|leave|exclude|include|filter|sort|remove|add|calculate|compute|check|look|name|outline"
    "|elaborate|send"
    "|create|make|let|use|skip|drop|ignore|limit|restrict|count|group|rank|rewrite|rephrase|walk|open|set"
    "|change|book|order"
    "|plan|prepare|generate|draw|plot|display|enumerate|identify|discuss|retrieve|report|continue|repeat|say|convert"
    "|expand|keep"
)
_REQUEST = re.compile(
    rf"{_OPEN}(?:(?:could|can|would|will) you\b|i(?:'d| would)? (?:want|need|like|love)\b|i'm looking for"
    rf"|looking for|(?:{_REQUEST_VERBS})\b"
    r"|(?:don't|do not) (?:include|show|list|use)\b|zeig|nenne|erkläre|gib|liste|vergleiche|montre|donne|explique"
    r"|liste|compare"
    r"|muestra|muéstrame|dime|explica|lista|mostra|mostrami|dimmi|spiega|elenca|toon|geef|leg|noem|visa|förklara|ge)\b"
)
_INDIRECT = re.compile(
    rf"{_OPEN}(?:(?:could|can|would|will) you\b|(?:can|could|may) i (?:have|get|see)\b|do you (?:know|have)\b"
    rf"|what about\b|how about\b)"
)
_WORD = re.compile(r"[\w'&./-]+")
_FINITE = frozenset(
    "is are was were has have had can could will would shall should must may might cannot can't isn't aren't wasn't "
    "weren't doesn't don't didn't won't does did".split()
)
_RELATIVE = frozenset("that which who whose where when what how whether if why".split())
_SUBJECTS = frozenset("i we you he she it they this that there the my our your these those a an".split())
_FARTHEST_VERB = 13  # words; a finite verb that comes later belongs to another clause

_LABEL = (
    r"(?:stand-?alone|re-?written|re-?formulated|rephrased|search|resolved|updated|final|revised|context-independent"
    r"|self-contained|de-?contextuali[sz]ed)"
)
_LEAD_IN = re.compile(
    rf"\s*[\"'*#`>\s]*(?:(?:sure|certainly|of course|absolutely|okay|ok|alright|gladly|got it|no problem"
    rf"|great question)\b[\s,.!:-]*"
    rf"(?:here\b|the {_LABEL}|i(?:'ve| have|'ll| will| can)\b|let me\b|this is\b)"
    r"|here(?:'s| is| are| you go)\b|below is\b|the following is\b"
    rf"|(?:the |my |your |a )?(?:{_LABEL}[\s-]+)*(?:{_LABEL}|query|question|output|answer|response|result|rewrite"
    rf"|request|reformulation|sentence)"
    r"(?:\s+(?:query|question|version|request|rewrite|sentence))?(?:\s+(?:is|would be|could be"
    r"|reads))?\s*(?:\*\*)?\s*[:=\u2013\u2014-]"
    rf"|(?:the |a )(?:{_LABEL}[\s-]+)+(?:query|question|version|request)\s+(?:is|would be)\b"
    r"|based on (?:the|our|this|your) (?:conversation|context|history|chat)|given the (?:conversation|context|chat)"
    r"|in the context of (?:the|our|this) conversation"
    r"|let me (?:rephrase|rewrite|reformulate)|rewriting\b.{0,30}:|to clarify\b|i (?:would|'d) rephrase"
    r"|hier ist\b|voici\b|aquí (?:está|tienes)\b|ecco\b|hier is\b|aqui está\b|här är\b)"
)
_REFUSAL = re.compile(
    r"^\W*(?:n/?a|none|null|unknown|undefined|not (?:applicable|available|relevant|enough (?:context|information))"
    r"|no (?:answer|rewrite|change|changes|query))\W*$"
    r"|^\W*n/a\b|\bas an ai\b|^\W*as an? (?:ai|language model|assistant)\b|\bi(?:'m| am) (?:sorry|unable|afraid"
    r"|not (?:able|sure))\b|^\W*(?:sorry|apologies|unfortunately)\b"
    r"|\bi (?:can(?:no|')t|do(?:n't| not) (?:know|have|understand|see|find)|could(?:n't| not) find|apologi[sz]e"
    r"|need more (?:context|information))\b"
    r"|^\W*(?:cannot|can't|unable to) (?:answer|determine|rewrite|be|provide)\b"
    r"|\b(?:no|not enough|insufficient|lacks?) (?:relevant |such |sufficient |further )?(?:information|info|context"
    r"|details?)\b.{0,40}\b(?:context|conversation|history|provided|available|given|documents?|chat)\b"
    r"|\b(?:not|n't) (?:mentioned|provided|specified|stated|available|given) in the (?:context|conversation|history"
    r"|text|documents?)\b"
    r"|\bthe (?:context|conversation|history|provided text) (?:does(?:n't| not)|contains no|has no|provides no"
    r"|gives no)\b"
    r"|\b(?:no|nothing to) (?:rewrite|reformulate|reformulation|rewriting) (?:is )?(?:needed|necessary|required)?"
)
_YES_NO = re.compile(
    r"\s*(?:yes|no|yeah|yep|nope|correct|indeed|exactly|absolutely|certainly|of course|sure|ja|nein|oui|non|sí|sì"
    r"|nee)\b\s*[,.!;:\u2013\u2014]"
)
_ASSISTANT = re.compile(
    r"\b(?:are you (?:looking|asking|interested|referring|searching|trying)|would you (?:like|prefer)|do you (?:want"
    r"|need|prefer|mean)|did you mean"
    r"|(?:can|may|could|shall|should) i (?:help|assist)|how (?:can|may) i (?:help|assist)|what (?:can|may) i (?:do"
    r"|help)"
    r"|(?:could|can|would) you (?:please )?(?:clarify|specify|tell me (?:which|what) you)"
    r"|please (?:clarify|specify|provide|let me know)|let me know|feel free|what would you|which one would you"
    r"|you(?:'re| are) (?:looking|asking)|i(?:'d| would) be happy|happy to help|the user (?:is|wants|asks|asked"
    r"|would|wishes))\b"
    r"|(?:^|[.,;:!]\s+)\W*you (?:can|could|should|need to|must|may|have to)\b"
)
_ROLE = re.compile(
    r"(?:^|[\n|]|[.?!]\s)\s*[\"'*#\[(]*(?:user|assistant|human|ai|bot|system|agent|chatbot|customer|q|a|question"
    r"|answer|turn \d{1,3}|query \d{1,3})[\])*]*\s*[:>]",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"(?:^|\s)(?:\(?\d{1,2}[.)]|[-*\u2022])\s+(?=[^\W\d_])")
_SENTENCE = re.compile(
    r"(?:[?\uff1f\u061f]|(?<=[^\W\d_][^\W\d_][^\W\d_])(?<!\b[Ll]td)(?<!\b[Ii]nc)(?<!\b[Cc]orp)(?<!\betc)[.!]|[\u3002\uff01])[\"')\]]*(?=\s+[(\[\"']?[^\W_]"
    r"|[\u3000-\u9fff])"
)
_CLAUSE = re.compile(
    r"[,;:.!?\uff0c\u3002\uff01\uff1f\u061f\u3001-]+\s|\b(?:and|but|then|or|plus|also|und|et|y|e|en)\b"
)


def ends_as_question(text: str) -> bool:
    """Whether a text ends in a question mark of any script."""
    return text.rstrip("\"')]\u201d\u00bb \n\t").endswith(("?", "\uff1f", "\u061f", ";?"))


def form_of(text: str) -> Form:
    """Tell what a text does, by its opening, its end and its finite verb; a text without one is a fragment."""
    low = fold(text[:1000])
    if _REQUEST.match(low) and not (ends_as_question(text[-200:]) and not _INDIRECT.match(low)):
        return "request"
    if ends_as_question(text[-200:]) or _QUESTION.match(low) or _EMBEDDED_WH.search(low):
        return "question"
    return "statement" if _has_subject_and_verb(_WORD.findall(low)[:_FARTHEST_VERB]) else "fragment"


def _has_subject_and_verb(words: list[str]) -> bool:
    """Whether a finite verb follows a subject; a verb inside a relative clause of a bare noun phrase does not count."""
    verb = next((n for n, word in enumerate(words) if n and word in _FINITE), None)
    return verb is not None and (words[0] in _SUBJECTS or _RELATIVE.isdisjoint(words[:verb]))


def is_indirect(text: str) -> bool:
    """Whether a text asks politely for something to be done or shown ("can you list ...", "do you have ...")."""
    return _INDIRECT.match(fold(text[:200])) is not None


def lead_in(text: str, query: str) -> str | None:
    """Return an introduction that belongs to no query ("Sure! Here is the standalone query:"), or None."""
    match = _LEAD_IN.match(fold(text[:300]))
    return match.group().strip() if match and not _LEAD_IN.match(fold(query[:300])) else None


def refusal(text: str, query: str) -> str | None:
    """Return the words of a refusal or of a comment on the context, when they are not the user's, or None."""
    match, asked = _REFUSAL.search(fold(text[:1000])), fold(query[:1000])
    if match is None or match.group().strip() in asked or _REFUSAL.search(asked):
        return None
    return match.group().strip()


def bare_answer(text: str, query: str) -> str | None:
    """Return an opening "Yes, ..." or "No, ..." that the query does not have, or None."""
    match = _YES_NO.match(fold(text[:60]))
    return match.group().strip() if match and not _YES_NO.match(fold(query[:60])) else None


def assistant_voice(text: str, user_words: str) -> str | None:
    """Return a phrase that the assistant would say to the user and that no user turn holds, or None."""
    for match in _ASSISTANT.finditer(fold(text[:1000])):
        if match.group() not in user_words:
            return match.group()
    return None


def transcript_mark(text: str, query: str) -> str | None:
    """Return a speaker label ("User:", "Q:") that the query does not have, or None."""
    match = _ROLE.search(text[:4000])
    if match is None or len(_ROLE.findall(text[:4000])) <= len(_ROLE.findall(query[:4000])):
        return None
    return match.group().strip()


def utterances(text: str) -> int:
    """Count the sentences of a text, abbreviations left out."""
    return 1 + len(_SENTENCE.findall(text.strip()[:4000]))


def clauses(text: str) -> int:
    """Count the parts of a query that may each become a sentence."""
    return 1 + len(_CLAUSE.findall(text.strip()[:4000]))


def list_marks(text: str) -> int:
    """Count enumeration marks ("1.", "-") in front of words."""
    return len(_LIST_MARK.findall(text[:4000]))
