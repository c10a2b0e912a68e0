"""A request in the query language of tantivy."""

from __future__ import annotations

from ._conditions import AnyOf, Condition
from ._plan import Excluded, Phrase, Plan, plan
from .request import SearchRequest

FACTS = "facts"
"""The field that holds `facts_of(passage)`, unanalysed; phrases go to the default fields of the parser."""


def to_tantivy(request: SearchRequest, excluded: Excluded | None = None) -> str:
    """Return a query for `Index.parse_query(..., ["title", "text"])` of an index as `TantivyRetriever` makes it.

    Every word is quoted and holds letters and digits only, every fact is hexadecimal: no text can be syntax. Restricted
    terms are not searched for, but whether a passage names one is not for a query to say; see `Visibility`.

    Args:
        request: What is searched for.
        excluded: What becomes of passages that name something excluded. The language cannot rank them lower, so
            `exclusion_mode="demote"` takes no notice of them here; the retriever runs both halves, and merges.
    """
    return render(plan(request), excluded or ("filter" if request.exclusion_mode == "filter" else "ignore"))


def render(asked: Plan, excluded: Excluded) -> str:
    """Return the query of a plan; an empty one finds nothing."""
    if asked.is_empty:
        return ""
    wanted = [_phrase(phrase) for phrase in asked.should]
    wanted += [f"({_condition(values)})^{weight:f}" for values, weight in asked.values]
    parts = [f"+{_phrase(phrase)}" for phrase in asked.must]
    if asked.browse:
        parts.append("+(*)^0")
    if wanted:
        parts.append(("" if parts else "+") + f"({' '.join(wanted)})")
    if asked.must_not and excluded == "filter":
        parts += [f"-{_quoted(phrase)}" for phrase in asked.must_not]
    if excluded == "only":
        parts.append(f"+({' '.join(_quoted(phrase) for phrase in asked.must_not) or FACTS + ':IN []'})^0")
    parts += [f"+({_condition(condition)})^0" for condition in asked.asked.required]
    parts += [f"-({_condition(condition)})" for condition in asked.asked.forbidden]
    return " ".join(parts)


def _phrase(phrase: Phrase) -> str:
    return f"{_quoted(phrase.words)}^{phrase.weight:f}"


def _quoted(words: tuple[str, ...]) -> str:
    return f'"{" ".join(words)}"'


def _condition(condition: Condition) -> str:
    if isinstance(condition, AnyOf):
        return f"{FACTS}:IN [{' '.join(condition.facts)}]"
    low, high, with_low, with_high = condition
    return f"{FACTS}:{'[' if with_low else '{'}{low} TO {high}{']' if with_high else '}'}"
