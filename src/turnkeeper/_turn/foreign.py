"""What an answerer of the application gave: a result of cite or a text with markers; its answer is held to the checks.

Registry, sources and what is new or reused are composed here, whatever a result says of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

from ..metrics._abstention import is_abstention
from ..metrics.cite import check, cited_ids
from ..modules._cite_best_effort import Standard, salvage
from ..modules._cite_evidence import Evidence, evidence
from ..modules._cite_registry import after_turn
from ..modules._cite_render import Rendered, composed
from ..modules._guarded import RiskLevel, Seen
from ..signatures.cite import ABSTENTION, CiteResult
from ..signatures.types import CitationRegistry, Notice, Violation
from .answer import SECTION
from .asked import Asked
from .finding import Found

PROGRAM = "answerer"


def as_result(
    value: object, registry: CitationRegistry, found: Found, question: str, asked: Asked, turn: int, risk: RiskLevel
) -> CiteResult | None:
    """Return a result as ours, or None for what is none.

    A text without a Sources section gets one. Of a text that fails the checks, what passes is shown, as of a model's;
    with `risk` "high", nothing.
    """
    given = (
        value
        if isinstance(value, CiteResult)
        else CiteResult(answer=value if isinstance(value, str) else "", program=PROGRAM)
    )
    text = given.answer if given.answer.strip() or not given.abstained else ABSTENTION
    if not text.strip():
        return None
    offered = evidence(registry, found.passages, asked.scope)
    notes = {source.doc_id: source.relevance for source in given.sources}
    told = _told(text, registry, found, question, offered, notes)
    violations = tuple(_violations(told, registry, found, question, asked))
    warnings: tuple[Notice, ...] = ()
    if violations:
        listed = ", ".join(dict.fromkeys(violation.code for violation in violations))
        warnings = (
            Notice(code="citation_unverified", message=f"The given answer did not pass the checks ({listed})."),
        )
        standard = Standard(registry, found.passages, question, asked.scope, offered)
        seen = [Seen(SimpleNamespace(answer=told.answer, abstained=False, sources=()), violations)]
        left = None if risk == "high" else salvage(standard, seen)
        told = left.rendered if left is not None else Rendered(ABSTENTION, (), (), (), ())
    convention = registry.convention or "source_tag"
    cited = (*told.new, *told.reused)
    after = after_turn(registry, cited, offered, found.passages, convention, turn, found.source_ids)
    return CiteResult(
        answer=told.answer,
        sources=told.sources,
        new_citations=told.new,
        reused_citations=told.reused,
        citation_consistency_check=given.citation_consistency_check,
        registry=after,
        abstained=given.abstained or is_abstention(told.answer),
        ok=given.ok and not violations,
        fallback=given.fallback or bool(violations),
        violations=(*given.violations, *violations),
        warnings=(*given.warnings, *warnings),
        lm_attempts=given.lm_attempts,
        program=given.program,
        usage=given.usage,
    )


def _told(
    value: str,
    registry: CitationRegistry,
    found: Found,
    question: str,
    offered: tuple[Evidence, ...],
    notes: Mapping[str, str],
) -> Rendered:
    """Return a text with what it cites of the evidence; code writes the section where the answerer wrote none."""
    text = value.strip()
    ids = cited_ids(registry=registry, context=found.passages or (), question=question, prediction={"answer": text})
    known = {item.doc_id: item for item in offered}
    chosen = [(known[doc_id], notes.get(doc_id, "")) for doc_id in ids if doc_id in known]
    if not chosen:
        return Rendered(text, (), (), (), ())
    told = composed(text, chosen)
    return told._replace(answer=text) if SECTION.strip() in text else told


def _violations(
    told: Rendered, registry: CitationRegistry, found: Found, question: str, asked: Asked
) -> list[Violation]:
    return check(
        registry=registry,
        context=found.passages or (),
        question=question,
        prediction={"answer": told.answer},
        access_scope=asked.scope,
    )
