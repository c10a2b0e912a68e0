"""What code thinks of an answer before it is used: does the referent fit, is it anchored, and what stays doubtful.

A doubt is a notice, not a violation: the result is used, and the application is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..metrics._language import identify
from ..metrics._reference_words import is_a
from ..metrics._references import Mention, antecedent_agrees, list_items
from ..metrics._text import lemmas, tokenize
from ..signatures.types import Notice, Turn
from ._masking import names_mask
from ._substitution import Resolved
from ._topics import has_name, topic_of

if TYPE_CHECKING:
    from ._reformulate_plan import Plan

_SMALL = frozenset("the a an of and or in at on for to".split())
_PRONOUNS = frozenset("it its they them their he him his she her this that these those one ones there".split())
_PICKS = frozenset(("ordinal", "former_latter", "comparative"))  # one item of a list, which may be a plural
_COMPLETE = frozenset(("locative", "possessive", "former_latter"))
_REMARK = re.compile(
    r"(?:no|sorry|hmm?|wait|but|well)?[, ]*(?P<that>that|this)"
    r"(?:'s| (?:is|was|can|cannot|can't|could|does|doesn't|seems|sounds|looks))\b",
    re.IGNORECASE,
)
_PRO_DROP = frozenset(("es", "it", "pt", "pl"))  # languages whose verbs need no subject pronoun
_OPENER = re.compile(r"(?:and |so |but |ok |okay )?(?:what|how) about\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_SEARCHED = 2000


def fits(mention: Mention, referent: str, query: str) -> bool:
    """Whether a referent may take a mention's place: it names something that may be shown, agrees, and is new."""
    words = [t for t in tokenize(referent) if t.low not in _SMALL]
    if not words or names_mask(referent) or all(t.low in _PRONOUNS for t in words):
        return False
    if not _agrees(mention, referent) or (
        mention.kind == "locative" and all(is_a(t.low, "time_deixis") for t in words)
    ):
        return False  # "there" is no weekday
    # "Why did PB replace it?" is not about PB.
    others = {lemma for t in tokenize(query[: mention.start] + " " + query[mention.end :]) for lemma in lemmas(t.low)}
    return not all(lemmas(t.low) & others for t in words)


def _agrees(mention: Mention, referent: str) -> bool:
    if mention.kind in _PICKS or antecedent_agrees(mention, referent) or _acts_as_one(mention, referent):
        return True
    # "Compare this": a bare demonstrative takes up what was said, be it one thing or several.
    return mention.kind == "demonstrative" and not mention.head and mention.number == "sg"


def _acts_as_one(mention: Mention, referent: str) -> bool:
    """Whether "they" or "their" may stand for one named thing: a firm, a team, a museum acts as its people."""
    if mention.text.lower() not in {"they", "their"} or not has_name(referent):
        return False
    return antecedent_agrees(mention._replace(number="sg", animacy="thing"), referent)


def anchored(query: str, resolved: Sequence[Resolved], history: Sequence[Turn]) -> list[Resolved]:
    """Give a nameless referent of an assistant's message the name it was said of: "the seal" of "the Brava router".

    Nothing is added when the query or a referent has a name already, or when the exchange has none.
    """
    kept = list(resolved)
    if not kept or has_name(query) or any(has_name(r.referent) for r in kept):
        return kept
    last = kept[-1]
    index = turn_of(last.referent, history)
    if index is None or history[index].role != "assistant" or last.mention.kind in _COMPLETE:
        return kept
    topic = topic_of(history, index)
    if topic is None or _content(last.referent) <= _content(topic):
        return kept  # "the router" of "the Brava router"
    return [*kept[:-1], Resolved(last.mention, f"{last.referent} of {topic}")]


def _content(text: str) -> set[str]:
    return {token.low for token in tokenize(text)} - _SMALL


def doubts_of_referent(
    mention: Mention, referent: str, history: Sequence[Turn], *, by_rule: bool, guessed: bool = False
) -> list[Notice]:
    """Return what the application should know of one resolved mention; `guessed` when no answer of the model fitted."""
    notices = []
    if guessed:
        message = f"No answer fitted `{mention.text}`; it was taken for `{referent}`, the likeliest phrase by rule."
        notices.append(Notice(code="guessed_reference", message=message))
    other = ambiguous(mention, referent, history)
    if other:
        message = f"`{mention.text}` was taken for `{referent}`; it may as well mean `{other}`."
        notices.append(Notice(code="ambiguous_reference", message=message))
    if not by_rule and not guessed and mention.kind == "demonstrative" and not mention.head:
        message = f"`{mention.text}` may stand for a whole statement; it was taken for `{referent}`."
        notices.append(Notice(code="uncertain_reference", message=message))
    return notices


def doubts_of_rewrite(decided: Plan, query: str, text: str, history: Sequence[Turn]) -> tuple[Notice, ...]:
    """Return what the application should know of a rewritten or unchanged query."""
    settled = {"no_history", "small_talk", "acknowledgement", "which_of"}
    if decided.reason in settled:
        return ()
    if text == " ".join(query.split()):
        if decided.reason == "complete" and has_name(query):
            return ()
        message = "The query was left as it is although it names nothing of its own; it may depend on the conversation."
        return (Notice(code="unresolved_context", message=message),)
    known = {n for t in (query, *(turn.content[:20_000] for turn in history[-_SEARCHED:])) for n in _NUMBER.findall(t)}
    new = [n for n in _NUMBER.findall(text) if n not in known]
    if new:
        message = f"`{new[0]}` was worked out from the conversation."
        return (Notice(code="computed_value", message=message),)
    return ()


def ambiguous(mention: Mention, referent: str, history: Sequence[Turn]) -> str | None:
    """Return another candidate that fits a mention as well as its referent does, or None.

    Two candidates fit equally well when one message names them side by side ("A and B", "A or B", a list), both agree
    with the mention, and the mention says nothing that picks one (a head noun, an ordinal, a comparative).
    """
    if mention.number == "pl" or mention.kind not in {"pronoun", "possessive", "demonstrative"} or mention.head:
        return None
    wanted = {token.low for token in tokenize(referent)} - _SMALL
    for turn in reversed(history[-4:]):
        items = list_items(turn.content)
        inside = [item for item in items if wanted <= {token.low for token in tokenize(item)}]
        if len(items) > 1 and inside:
            return next((i for i in items if i not in inside and antecedent_agrees(mention, i)), None)
        if wanted <= {token.low for token in tokenize(turn.content)}:
            return None
    return None


def doubts_of_result(query: str, text: str, resolved: Sequence[Resolved]) -> list[Notice]:
    """Return what the application should know of a query with its referents put in."""
    notices = []
    remark = _REMARK.match(text.strip())
    if remark:
        message = f"`{remark.group('that')}` speaks of the last answer as a whole and was left as it is."
        notices.append(Notice(code="uncertain_reference", message=message))
    language = identify(query)
    if language in _PRO_DROP and all(r.mention.kind not in {"pronoun", "possessive"} for r in resolved):
        message = "The verb may have a subject that only the conversation names; it was not looked for."
        notices.append(Notice(code="unresolved_context", message=message))
    return notices


def opener_left(query: str, text: str) -> str | None:
    """Return the elliptical opener that a rewrite has taken over from the query ("What about the Orla 1?"), or None."""
    found, left = _OPENER.match(query.strip()), _OPENER.match(text.strip())
    return left.group() if found and left else None


def turn_of(referent: str, history: Sequence[Turn]) -> int | None:
    """Return the index of the newest message that holds all words of a referent, or None."""
    wanted = {t.low.removesuffix("'s") for t in tokenize(referent)} - _SMALL
    for index in range(len(history) - 1, max(-1, len(history) - 1 - _SEARCHED), -1):
        if wanted <= {t.low.removesuffix("'s") for t in tokenize(history[index].content[:20_000])}:
            return index
    return None
