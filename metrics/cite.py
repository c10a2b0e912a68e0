"""cite: the checks that need no gold (design section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..signatures.types import AccessScope, CitationRegistry, Passage, Violation
from ._abstention import is_abstention
from ._cite_claims import abstention_violations, support_violations, uncited, uncited_violations
from ._cite_ids import id_violations, registry_violations
from ._cite_listing import listing_violations
from ._cite_reading import few, read
from ._cite_reuse import passed_over
from ._cite_strangers import stranger_violations

if TYPE_CHECKING:
    from .cite_metric import Components, metric, score_components

__all__ = ["Components", "check", "cited_ids", "metric", "missed_reuse", "score_components"]


def __getattr__(name: str) -> Any:
    # The metric stands on the check, and whoever checks at run time needs no golden rows.
    if name in {"Components", "metric", "score_components"}:
        from . import cite_metric

        return getattr(cite_metric, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def check(
    *,
    registry: CitationRegistry,
    context: Sequence[Passage] | None,
    question: str,
    prediction: Any,
    access_scope: AccessScope | None = None,
) -> list[Violation]:
    """Check an answer and its citations against what may be cited; pure, deterministic, linear in the input.

    Args:
        registry: The session's registry before this turn; a convention of None is learnt from the answer.
        context: This turn's passages under the ids that the prompt shows; None when retrieval failed.
        question: The user's question; its own numbers, names and brackets need no source.
        prediction: A `CitedAnswer`, or any mapping or object with its fields; unknown fields are ignored. `sources`,
            `new_citations` and `reused_citations` are checked when they are there.
        access_scope: What this user may see: outside it a registered id stays known and its text is no evidence, and a
            passage does not count as given.

    Returns:
        The broken rules, empty when there is none. What a model wrote never raises: an unusable prediction is one
        `unparsable` violation that names the field.

    Example:
        >>> from turnkeeper.signatures.types import CitationRegistry, Passage
        >>> context = [Passage(doc_id="FER-2", title="Tarn ferry", text="A crossing costs 12 crowns.")]
        >>> said = {"answer": "A crossing costs 12 crowns [Source: FER-3].\\n\\nSources:\\n- FER-3: Tarn ferry"}
        >>> registry, question = CitationRegistry(convention="source_tag"), "What does the ferry cost?"
        >>> [v.code for v in check(registry=registry, context=context, question=question, prediction=said)]
        ['fabricated_id', 'renamed_id']
    """
    reading = read(prediction, registry, context, question, access_scope)
    if isinstance(reading, Violation):
        return [reading]
    needed = bool(reading.markers or uncited(reading, question)) and not is_abstention(reading.text.text)
    return few(
        [
            *registry_violations(registry),
            *id_violations(reading, question),
            *abstention_violations(reading),
            *uncited_violations(reading, question),
            *listing_violations(reading, needed=needed),
            *support_violations(reading, question),
            *stranger_violations(reading, question),
        ]
    )


def cited_ids(
    *,
    registry: CitationRegistry,
    context: Sequence[Passage] | None,
    question: str,
    prediction: Any,
    access_scope: AccessScope | None = None,
) -> list[str]:
    """Return the ids that an answer cites, in the order of their first citation.

    Registered and retrieved ids in their own spelling, unknown but well-formed ones, every number of a range, and known
    ids in brackets of another style. Empty for a prediction that cannot be read.
    """
    reading = read(prediction, registry, context, question, access_scope)
    return [] if isinstance(reading, Violation) else list(reading.cited)


def missed_reuse(
    *,
    registry: CitationRegistry,
    context: Sequence[Passage] | None,
    question: str,
    prediction: Any,
    access_scope: AccessScope | None = None,
) -> list[str]:
    """Return registered ids that bear out a claim which cites no registered source; a soft measure, and no fault.

    Empty for a prediction that cannot be read.
    """
    reading = read(prediction, registry, context, question, access_scope)
    return [] if isinstance(reading, Violation) else passed_over(reading, question)[0]
