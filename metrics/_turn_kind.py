"""What a user's turn is: a question for the documents, or a turn about the conversation, which needs no retrieval.

Told by rules, not by a model (design section 10). A turn that no rule knows is a question: searching in vain costs
less than losing one. Linear in the length of the message, of which at most 200 characters can match.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..signatures.types import Turn
from ._abstention import denies_in_own_voice, holds_abstention
from ._language import identify
from ._speech_act import ends_as_question, form_of
from ._text import lemmas
from ._turn_cues import cues
from ._turn_words import LONGEST, is_frame, plain, sentences, unframed
from ._utterance import is_acknowledgement, is_small_talk, offer_of

TurnKind = Literal["question", "social", "about_answer", "about_sources", "about_ledger", "clarification"]
LANGUAGES = ("en", "de", "fr", "es", "it")
_SMALL = frozenset(
    "the a an of in on at to for my your our me you i it is are was were do does did how what when which who where why "
    "much many that this and or with from about question questions answer".split()
)
_VALUE = re.compile(
    r"(?:i (?:mean|meant)|that would be|the|an?|my|our|in|on|at|for|from|to|until|after|before|between|with|by|next"
    r"|last|this|der|die|das|den|dem|im|am|an|um|fur|ab|von|bis|vom|mit|ich meine|nachsten?|le|la|les|l'|en|au|aux|pour"
    r"|a|du|le|el|los|las|para|por|de|il|lo|gli|per|nel|di) \S"
)
_DATED = re.compile(
    r"\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday|today|tomorrow|tonight|spring|summer|autumn|fall|winter|januar|februar"
    r"|marz|mai|juni|juli|oktober|dezember|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|janvier|fevrier"
    r"|mars|avril|juin|juillet|aout|septembre|octobre|novembre|decembre|lundi|mardi|mercredi|jeudi|vendredi|samedi"
    r"|dimanche|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|lunes|martes"
    r"|miercoles|jueves|viernes|sabado|domingo|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre"
    r"|dicembre|lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica)\b"
)
_OPENERS = frozenset("and und et y e but what how about why who which where when is are do does can oder or".split())
_OPENING = frozenset(("open", "close", "opening", "closing", "closed", "hour", "offen", "ouvert", "abierto", "aperto"))
_DOUBT = re.compile(r"(?:are you (?:really |quite )?sure|really|is that (?:right|true|correct)|seriously)")
_MORE = re.compile(
    r"go on|continue|carry on|keep going|weiter|mach weiter|fahre? fort|continuez?|continua|sigue|vai avanti"
)
CLARIFIED = 8
"""Words that a message has at most which completes a pending question."""


class TurnReading(NamedTuple):
    """What was read in a turn.

    Attributes:
        kind: `clarification` completes a question that is pending; `question` is all that must be searched for.
        aspect: More closely: of `about_ledger` "open", "asked", "found", "exclusions"; of `about_answer` "table",
            "list", "json", "csv", "shorter", "simpler", "language", "repeat", "rephrase"; else "".
        topic: What the user names of the earlier question ("the deposit"), or the language asked for ("french").
        language: Of the turn, one of `LANGUAGES`; English where nothing tells.
    """

    kind: TurnKind
    aspect: str = ""
    topic: str = ""
    language: str = "en"


def turn_kind(
    query: str, *, history: Sequence[Turn] = (), pending: Sequence[str] | None = None, told: str = ""
) -> TurnReading:
    """Tell what a turn is.

    Args:
        query: The user's words.
        history: The turns before, oldest first; only the last exchange is read.
        pending: Questions that wait for an answer; None when the caller does not know.
        told: Language of the conversation so far, for a turn too short to tell; that of the history by default.
    """
    told = told or _spoken(history)
    if len(query) > 4 * LONGEST or not any(c.isalnum() for c in query):
        short = len(query) <= LONGEST
        return TurnReading("social" if short else "question", language=told)
    if is_acknowledgement(query) and offer_of(history) is not None:
        return TurnReading("question", language=_language(query, told))
    read = [_sentence(part, history, pending) for part in sentences(query)]
    heard = [reading for reading in read if reading is not None and reading.kind != "social"]
    language = next((r.language for r in read if r is not None and r.language), "") or _language(query, told)
    if not heard and all(read) and read:
        return TurnReading("social", language=language)
    if not heard and is_small_talk(query):
        return TurnReading("social", language=language)
    kinds = {reading.kind for reading in heard}
    if len(kinds) == 1 and "question" not in kinds and len(query) <= LONGEST:
        return heard[0]._replace(language=language)
    if _clarifies(query, history, pending):
        return TurnReading("clarification", language=language)
    return TurnReading("question", language=language)


def _sentence(text: str, history: Sequence[Turn], pending: Sequence[str] | None) -> TurnReading | None:
    """Read one sentence; None for a statement or a doubt, which asks nothing beside the sentence it goes with."""
    whole = plain(text)
    words = unframed(whole)
    if len(words) > LONGEST:
        return TurnReading("question", language="")
    found = _cue(words, history, pending) or _cue(whole, history, pending)
    if found is not None:
        return found
    if _MORE.fullmatch(words):
        return TurnReading("question", language="")
    if is_small_talk(text) or is_acknowledgement(text) or all(map(is_small_talk, text.split(","))):
        return TurnReading("social", language="")
    if _DOUBT.fullmatch(words) or is_frame(whole) or (form_of(text) == "statement" and not ends_as_question(text)):
        return None
    return TurnReading("question", language="")


def _cue(words: str, history: Sequence[Turn], pending: Sequence[str] | None) -> TurnReading | None:
    for cue in cues():
        match = cue.pattern.fullmatch(words)
        if match is None:
            continue
        topic = next((value for value in match.groupdict().values() if value), "")
        aspect = cue.aspect
        if cue.kind == "about_ledger":
            if aspect == "open" and _speaks_of_opening(words, history):
                continue
            if aspect in ("found", "news") and topic and not _is_pending(topic, aspect, pending):
                continue
            aspect = "found" if aspect == "news" else aspect
        return TurnReading(cue.kind, aspect, topic, cue.language)  # type: ignore[arg-type]
    return None


def _speaks_of_opening(words: str, history: Sequence[Turn]) -> bool:
    """Whether "what is still open" means opening hours: the last exchange is about them, and no question is named."""
    if re.search(r"question|frage|pregunta|domand|unanswered|pending|answer", words):
        return False
    last = " ".join(turn.content[:2_000] for turn in _before_looks(history)[-2:])
    if holds_abstention(last):
        return False
    return any(_OPENING & lemmas(word) for word in plain(last).split())


def _before_looks(history: Sequence[Turn]) -> Sequence[Turn]:
    """Return the history without the looks at the ledger at its end, whose replies speak of what is open as well."""
    end = len(history)
    while end >= 2 and history[end - 2].role == "user" and _looks(history[end - 2].content):
        end -= 2
    return history[:end]


def _looks(query: str) -> bool:
    words = unframed(plain(query[:LONGEST]))
    return any(cue.kind == "about_ledger" and cue.pattern.fullmatch(words) for cue in cues())


def _is_pending(topic: str, aspect: str, pending: Sequence[str] | None) -> bool:
    """Whether a topic is that of a pending question; unknown ledgers are trusted only where the words are clear."""
    if "question" in topic.split() or "questions" in topic.split():
        return True
    if pending is None:
        return aspect == "found"
    return bool(matching(topic, pending))


def matching(topic: str, questions: Sequence[str]) -> list[int]:
    """Return the places of the questions that share every content word with a topic, else those that share one."""
    wanted = _content(topic)
    shared = [len(wanted & _content(question)) for question in questions]
    best = max(shared, default=0)
    return [n for n, count in enumerate(shared) if count == best and best > 0]


def _content(text: str) -> set[str]:
    return {min(lemmas(word), key=len) for word in plain(text[:2_000]).split() if word not in _SMALL and len(word) > 1}


def _clarifies(query: str, history: Sequence[Turn], pending: Sequence[str] | None) -> bool:
    """Whether a fragment completes what could not be answered: "March." after "When does it run?" was left open."""
    if (pending is not None and not pending) or not history or history[-1].role != "assistant":
        return False
    words = plain(query).split()
    fragment = len(words) <= CLARIFIED and not ends_as_question(query) and words[0] not in _OPENERS
    if not fragment or len(sentences(query)) > 1:
        return False
    meant = words[:2] in (["i", "mean"], ["i", "meant"], ["ich", "meine"], ["je", "veux"])
    if not meant and form_of(query) != "fragment":
        return False
    last = history[-1].content
    asked_back = ends_as_question(last[-300:]) and not _offers(last)
    if asked_back:
        return True
    value = _VALUE.match(plain(query)) or _DATED.search(plain(query)) or (query[:1].isupper() and len(words) == 1)
    return _unanswered(last) and bool(value)


def left_open(answer: str) -> bool:
    """Whether an assistant's turn waits for the user: it asks something back, or it found no answer."""
    return (ends_as_question(answer[-300:]) and not _offers(answer)) or _unanswered(answer)


def _unanswered(answer: str) -> bool:
    return holds_abstention(answer) or denies_in_own_voice(answer)


def _offers(answer: str) -> bool:
    return (
        re.search(r"\b(?:shall|should|would you like|want me|may i|can i|soll ich)\b", answer[-300:].lower())
        is not None
    )


def _spoken(history: Sequence[Turn]) -> str:
    """Return the language of the user's newest messages; English where they do not tell."""
    said = [turn.content[:400] for turn in history[-6:] if turn.role == "user"]
    return next((found for text in reversed(said) if (found := identify(text)) in LANGUAGES), None) or "en"


def _language(query: str, told: str) -> str:
    found = identify(query)
    return found if found in LANGUAGES else told
