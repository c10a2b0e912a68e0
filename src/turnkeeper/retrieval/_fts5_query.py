"""A request in SQL and in the query language of SQLite's FTS5."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ._conditions import AnyOf, Condition
from ._plan import Excluded, Plan, plan
from .request import SearchRequest

_AT_ONCE = 32  # phrases of one search

SCHEMA = """
CREATE TABLE IF NOT EXISTS passages (id INTEGER PRIMARY KEY, doc_id TEXT NOT NULL, data TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS passages_by_doc ON passages (doc_id);
CREATE TABLE IF NOT EXISTS facts (fact TEXT NOT NULL, passage INTEGER NOT NULL, PRIMARY KEY (fact, passage))
    WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS facts_by_passage ON facts (passage);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (title, text,
    tokenize = "porter unicode61 remove_diacritics 0 categories 'L* N* Mn Mc'");
"""


class Fts5Query(NamedTuple):
    """A query of FTS5.

    Attributes:
        match: The text part for `WHERE a_table MATCH ?` of any FTS5 table, unweighted; empty when there is nothing
            that FTS5 can search for (it has no query that only rules out).
        sql: The whole request for the tables of `Fts5Retriever`: rows of (passage, score), the best first. Two further
            parameters are the limit and the offset.
        parameters: What the question marks of `sql` stand for.
    """

    match: str
    sql: str
    parameters: tuple[str | float, ...]


def to_fts5(request: SearchRequest, excluded: Excluded | None = None) -> Fts5Query:
    """Return a request as SQL; the arguments are those of `to_tantivy`. No text of the request becomes syntax."""
    return render(plan(request), excluded or ("filter" if request.exclusion_mode == "filter" else "ignore"))


def render(asked: Plan, excluded: Excluded) -> Fts5Query:
    """Return the query of a plan."""
    legs, parameters = _legs(asked)
    tests: list[str] = []  # with a plus, or SQLite would search the words anew for every row that passes
    if asked.must:
        tests.append("+passage IN (SELECT rowid FROM words WHERE words MATCH ?)")
        parameters.append(_joined((phrase.words for phrase in asked.must), "AND"))
    if asked.must_not and excluded != "ignore":
        named = "SELECT words.rowid FROM json_each(?) AS each CROSS JOIN words WHERE words MATCH each.value"
        tests.append(f"+passage {'NOT ' * (excluded == 'filter')}IN ({named})")
        parameters.append(json.dumps(_any(asked.must_not)))
    for negation, each in (("", asked.asked.required), ("NOT ", asked.asked.forbidden)):
        for condition in each:
            test, values = _condition(condition)
            tests.append(f"+passage {negation}IN (SELECT passage FROM facts WHERE {test})")
            parameters += values
    if excluded == "only" and not asked.must_not:
        tests.append("0")
    found = " UNION ALL ".join(legs) or "SELECT 0 AS passage, 0.0 AS score LIMIT 0"
    sql = (
        f"SELECT passage, SUM(score) AS score FROM ({found})"
        f" WHERE {' AND '.join(tests) or '1'} GROUP BY passage ORDER BY 2 DESC, 1 LIMIT ? OFFSET ?"
    )
    return Fts5Query(_match(asked, excluded), sql, tuple(parameters))


def _legs(asked: Plan) -> tuple[list[str], list[str | float]]:
    """Return the subqueries that score, and their parameters.

    Phrases are searched for a few at a time, those of one weight together: FTS5 has no weights of words, the cost of
    its OR grows with rows x phrases, and the cost of adding up with the number of searches.
    """
    legs, parameters = [], list[str | float]()
    by_weight: dict[float, list[tuple[str, ...]]] = {}
    for phrase in (*asked.must, *asked.should):
        by_weight.setdefault(phrase.weight, []).append(phrase.words)
    searches = [(match, weight) for weight, phrases in by_weight.items() for match in _any(phrases)]
    if searches:
        legs.append(
            "SELECT words.rowid AS passage, -words.rank * json_extract(each.value, '$[1]') AS score"
            " FROM json_each(?) AS each CROSS JOIN words WHERE words MATCH json_extract(each.value, '$[0]')"
        )
        parameters.append(json.dumps(searches))
    for values, weight in asked.values:
        test, facts = _condition(values)
        legs.append(f"SELECT DISTINCT passage, CAST(? AS REAL) AS score FROM facts WHERE {test}")
        parameters += [weight, *facts]
    if asked.browse:
        legs.append("SELECT id AS passage, 0.0 AS score FROM passages")
    return legs, parameters


def _match(asked: Plan, excluded: Excluded) -> str:
    wanted = _joined((phrase.words for phrase in asked.must), "AND")
    wanted = wanted or _joined((phrase.words for phrase in asked.should), "OR")
    if not wanted or not asked.must_not or excluded == "ignore":
        return wanted
    return f"({wanted}) {'AND' if excluded == 'only' else 'NOT'} ({_joined(asked.must_not, 'OR')})"


def _any(phrases: Sequence[tuple[str, ...]]) -> list[str]:
    return [_joined(phrases[n : n + _AT_ONCE], "OR") for n in range(0, len(phrases), _AT_ONCE)]


def _joined(phrases: Iterable[tuple[str, ...]], operator: str) -> str:
    return f" {operator} ".join(map(_quoted, phrases))


def _quoted(words: tuple[str, ...]) -> str:
    return f'"{" ".join(words)}"'


def _condition(condition: Condition) -> tuple[str, list[str]]:
    if isinstance(condition, AnyOf):  # one parameter, however many values a scope permits
        return "fact IN (SELECT value FROM json_each(?))", [json.dumps(condition.facts)]
    low, high, with_low, with_high = condition
    return f"fact >{'=' * with_low} ? AND fact <{'=' * with_high} ?", [low, high]
