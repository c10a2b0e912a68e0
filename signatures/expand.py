"""expand: what it takes and gives (design section 5)."""

from __future__ import annotations

from .types import Exclusion, Frozen, GuardedResult, MetadataFilter


class Clause(Frozen):
    """One phrase of a boolean query.

    Attributes:
        phrase: The words; never query syntax of a backend.
        field: Metadata field that must hold exactly this value, or null for title and body.
        weight: What a match adds to the score, relative to the query's own words at 1.0.
    """

    phrase: str
    field: str | None = None
    weight: float = 1.0


class BooleanQuery(Frozen):
    """A backend-neutral query; exporters turn it into the syntax of an engine.

    Attributes:
        must: Phrases without which a passage is not wanted (what the user put in quotes).
        should: The words of the query, and added terms at a lower weight.
        must_not: One clause for each excluded value; with a field it is a hard filter, on body text a demotion by
            default.
        filters: The application's metadata filters, as given.
    """

    must: tuple[Clause, ...] = ()
    should: tuple[Clause, ...] = ()
    must_not: tuple[Clause, ...] = ()
    filters: tuple[MetadataFilter, ...] = ()


class Expansion(Frozen):
    """A prediction of the behaviour, as a program makes it and as a row of `turnkeeper check` gives it.

    Attributes:
        expanded_query: The query with added terms and without what the user ruled out.
        negation_constraints: The phrases that are ruled out now, those of earlier turns included.
        expansion_terms_added: Terms that the query did not hold.
        negation_terms_preserved: What became of the exclusions; read by nobody but a person.
    """

    expanded_query: str
    negation_constraints: tuple[str, ...] = ()
    expansion_terms_added: tuple[str, ...] = ()
    negation_terms_preserved: tuple[str, ...] = ()


class ExpandResult(GuardedResult):
    """What the application gets.

    Attributes:
        boolean: The same as a backend-neutral query.
        exclusions: The state to pass in with the next turn, revoked ones included.
    """

    expanded_query: str
    negation_constraints: tuple[str, ...] = ()
    expansion_terms_added: tuple[str, ...] = ()
    negation_terms_preserved: tuple[str, ...] = ()
    boolean: BooleanQuery = BooleanQuery()
    exclusions: tuple[Exclusion, ...] = ()
