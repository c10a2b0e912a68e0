"""The rules of rewrite for the guard: a rewritten answer stands as a whole, with the same sources, or not at all."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..metrics._language import identify
from ..metrics._marker_types import written
from ..metrics._rewritten import added, changed
from ..metrics.cite import check as check_answer
from ..signatures.rewrite import MAX_REWRITTEN, MAX_SENTENCES, Cited, RewriteResult
from ..signatures.types import AccessScope, CitationRegistry, Turn, Violation
from ._guarded import Outcome, RiskLevel, Scrub
from ._inputs import scrubbed
from ._masking import mask_restricted

TASKS = {
    "shorter": "Say it in fewer words.",
    "simpler": "Say it in simple, everyday words.",
    "rephrase": "Say it in other words.",
    "language": "Translate into {language}.",
}
"""What is asked for each aspect of a turn about the answer; other aspects are made by code."""
_NEW_WORDS = {"shorter": 0.0, "simpler": 0.5, "rephrase": 0.5}
"""Share of the words of a sentence that may be new."""
_LANGUAGES = {
    "en": ("English", "english englisch anglais ingles inglese"),
    "de": ("German", "german deutsch allemand aleman tedesco"),
    "fr": ("French", "french franzosisch francais frances francese"),
    "es": ("Spanish", "spanish spanisch espagnol espanol spagnolo castellano"),
    "it": ("Italian", "italian italienisch italien italiano"),
    "pt": ("Portuguese", "portuguese portugiesisch portugais portugues portoghese"),
    "nl": ("Dutch", "dutch niederlandisch neerlandais"),
    "pl": ("Polish", "polish polnisch polonais"),
    "tr": ("Turkish", "turkish turkisch"),
    "ru": ("Russian", "russian russisch"),
    "sv": ("Swedish", "swedish schwedisch"),
}
_BY_WORDS = frozenset(
    ("unsupported_claim", "misattributed", "stale_prior_turn_citation")
)  # of a translation no word stands in its source


@dataclass(frozen=True)
class RewriteTask:
    """An answer and what is wanted of it.

    Attributes:
        aspect: One of `TASKS`.
        topic: The language that the user named, folded.
        sentences: The answer's sentences without markers, scrubbed.
        cited: What each of them cites.
        registry: The session's; a source's stored text is what a sentence is held against.
        question: What the answer answers.
        scope: What this user may see.
        listed: Whether the answer is a list.
    """

    aspect: str
    topic: str
    sentences: tuple[str, ...]
    cited: tuple[tuple[str, ...], ...]
    registry: CitationRegistry
    question: str
    scope: AccessScope | None
    listed: bool

    @property
    def language(self) -> str | None:
        """Code of the language that the result has to be in, None where nobody can tell."""
        if self.aspect != "language":
            return identify(" ".join(self.sentences))
        return next((code for code, (_, names) in _LANGUAGES.items() if self.topic in names.split()), None)

    @property
    def task(self) -> str:
        """What the model is asked to do."""
        named = _LANGUAGES[self.language][0] if self.language in _LANGUAGES else self.topic.title()
        return TASKS[self.aspect].format(language=named)

    def text_of(self, sentences: Sequence[str]) -> str:
        """Return sentences as an answer, each with its markers in the session's convention."""
        told = [self._marked(text, ids) for text, ids in zip(sentences, self.cited, strict=True)]
        return "\n".join(f"- {line}" for line in told) if self.listed else " ".join(told)

    def _marked(self, text: str, ids: Sequence[str]) -> str:
        plain = " ".join(text.split())
        stop = plain[-1] if plain[-1:] in ".!?" else "."
        markers = " ".join(written(doc_id, self.registry.convention) for doc_id in ids)
        return f"{plain.rstrip('.!? ')} {markers}{stop}" if markers else plain


class RewriteBehaviour:
    """The rules of rewrite for the guard."""

    name = "rewrite"
    retries = 1
    result_type = RewriteResult

    def prepare(self, inputs: Mapping[str, Any], *, scrub: Scrub | None, risk_level: RiskLevel) -> RewriteTask:
        """Return what is to be rewritten; raise `InputError` for an aspect that is none."""
        if inputs["aspect"] not in TASKS:
            raise InputError(f"rewrite: field `aspect` must be one of {', '.join(TASKS)}, not {inputs['aspect']!r}")
        said: Sequence[Cited] = inputs["sentences"]
        turns = scrubbed(self.name, tuple(Turn(role="assistant", content=one.text) for one in said), scrub)
        return RewriteTask(
            aspect=inputs["aspect"],
            topic=inputs["topic"],
            sentences=tuple(mask_restricted(turn.content, inputs["access_scope"]) for turn in turns),
            cited=tuple(one.ids for one in said),
            registry=inputs["registry"],
            question=inputs["question"],
            scope=inputs["access_scope"],
            listed=inputs["listed"],
        )

    def key(self, task: RewriteTask) -> Hashable:
        scope = task.scope.model_dump_json() if task.scope is not None else ""
        return (task.aspect, task.topic, task.sentences, task.cited, task.registry.model_dump_json(), scope)

    def settled(self, task: RewriteTask) -> Outcome | None:
        """Return the answer as it was where it is too long for one call, or in the wanted language already."""
        if len(task.sentences) > MAX_SENTENCES or not task.sentences:
            return Outcome({"text": ""})
        spoken = identify(" ".join(task.sentences))
        if task.aspect == "language" and spoken is not None and spoken == task.language:
            return Outcome({"text": task.text_of(task.sentences)})
        return None

    def program_inputs(self, task: RewriteTask) -> dict[str, Any]:
        return {"task": task.task, "sentences": task.sentences}

    def shrink(self, task: RewriteTask) -> RewriteTask | None:
        return None

    def check(self, task: RewriteTask, prediction: Any) -> list[Violation]:
        """Hold each sentence against the one it was, and the whole against the checks of cite and its sources."""
        made = _listed(prediction)
        if made is None or len(made) != len(task.sentences):
            message = f"Give exactly {len(task.sentences)} sentences, one for each."
            return [Violation(code="unparsable", message=message)]
        translates = task.aspect == "language"
        found = [
            violation
            for before, after in zip(task.sentences, made, strict=True)
            for violation in changed(before, after, language=task.language, translates=translates)
        ]
        if task.aspect == "shorter" and _words(made) >= _words(task.sentences):
            found.append(Violation(code="too_long", message="This is not shorter; use fewer words."))
        if not translates:
            found += _strange(task, made)
        return found or self._of_sources(task, made, translates)

    def accept(self, task: RewriteTask, prediction: Any) -> Outcome:
        return Outcome({"text": task.text_of(_listed(prediction) or task.sentences)})

    def fall_back(self, task: RewriteTask, violations: Sequence[Violation]) -> Outcome:
        """Give nothing: the caller shows the answer as it was, and says so."""
        return Outcome({"text": ""})

    def describe(self, task: RewriteTask) -> dict[str, Any]:
        return {"original": task.task, "window": list(task.sentences)}

    def discreet(self, task: RewriteTask, text: str) -> str:
        return mask_restricted(text, task.scope)

    def _of_sources(self, task: RewriteTask, made: Sequence[str], translates: bool) -> list[Violation]:
        """Return what the checks of cite say of the result and did not say of the answer: it was held to more text."""
        known = {violation.code for violation in self._checked(task, task.sentences)}
        known |= _BY_WORDS if translates else frozenset()
        return [violation for violation in self._checked(task, made) if violation.code not in known]

    def _checked(self, task: RewriteTask, sentences: Sequence[str]) -> list[Violation]:
        text = task.text_of(sentences)
        titles = {entry.doc_id: entry.title for entry in task.registry.entries}
        listed = [f"- {doc_id}: {titles.get(doc_id, '')}" for doc_id in dict.fromkeys(i for c in task.cited for i in c)]
        answer = "\n\nSources:\n".join([text, "\n".join(listed)]) if listed else text
        return check_answer(
            registry=task.registry,
            context=(),
            question=task.question,
            prediction={"answer": answer},
            access_scope=task.scope,
        )


def _listed(prediction: Any) -> list[str] | None:
    made = getattr(prediction, "rewritten", None)
    if not isinstance(made, (list, tuple)) or not all(isinstance(one, str) for one in made):
        return None
    return [one.strip()[:MAX_REWRITTEN] for one in made]


def _strange(task: RewriteTask, made: Sequence[str]) -> list[Violation]:
    """Return what is said with too many words that neither the answer nor its sources have: fewer words need none."""
    texts = {entry.doc_id: f"{entry.title}\n{entry.snippet}" for entry in task.registry.entries}
    found = []
    for before, after, ids in zip(task.sentences, made, task.cited, strict=True):
        known = [before, task.question, *(texts[doc_id] for doc_id in ids if doc_id in texts)]
        strange, words = added(after, known, task.language)
        if len(strange) > words * _NEW_WORDS[task.aspect]:
            message = f"Say nothing new; leave out: {', '.join(strange[:5])}."
            found.append(Violation(code="unsupported_claim", message=message))
    return found


def _words(sentences: Sequence[str]) -> int:
    return len(json.dumps(list(sentences), ensure_ascii=False).split())
