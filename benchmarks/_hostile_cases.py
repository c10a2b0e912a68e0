"""What an attack may use: the turns of the golden train and dev rows, and what their authors say is ruled out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from _hostile_oracle import plain, same

from turnkeeper.data import expand
from turnkeeper.data.expand import GoldenRow

RESTRICTED = ("Quellmoor", "Project Tansy")
"""Names that no golden row holds; each turn is run under a scope that restricts them."""
_WORD = re.compile(r"\w[\w'\u2019-]*")


class Case(NamedTuple):
    """A turn, and what its author says of it.

    Attributes:
        inputs: What the guard takes.
        phrases: What is ruled out.
        names: The same with the aliases of the domain context.
        terms: Good terms to add.
        given: All text that anybody gave, as one.
        said: Phrases of one or two words of the query, of the other messages, of the domain context.
    """

    id: str
    language: str
    inputs: dict[str, Any]
    phrases: tuple[str, ...]
    names: tuple[str, ...]
    terms: tuple[str, ...]
    given: str
    said: tuple[str, ...]


def cases() -> Iterator[Case]:
    """Yield the golden train and dev rows as cases."""
    for split in ("train", "dev"):
        for row in expand.load(split):
            yield _case(row)


def _case(row: GoldenRow) -> Case:
    context = row.domain_context
    aliases = context.aliases if context else {}
    ruled_out = row.gold.negation_constraints
    others = [name for key, v in aliases.items() if any(same(key, p) for p in ruled_out) for name in v]
    known = [w for table in ((context.glossary, aliases) if context else ()) for k, v in table.items() for w in (k, *v)]
    entities = context.entities if context else []
    texts = [row.query, row.standalone_query or "", *(turn.content for turn in row.history), *known, *entities]
    return Case(
        id=row.id,
        language=row.language,
        inputs={
            "history": list(row.history),
            "query": row.query,
            "standalone_query": row.standalone_query,
            "domain_context": context,
            "exclusions": None if row.exclusions is None else list(row.exclusions),
            "access_scope": {"allowed": {}, "restricted_terms": list(RESTRICTED)},
        },
        phrases=ruled_out,
        names=(*ruled_out, *others),
        terms=row.gold.expansion_terms_added,
        given="\n".join(texts),
        said=tuple(dict.fromkeys(phrase for text in texts for phrase in _phrases(text))),
    )


def _phrases(text: str) -> Iterator[str]:
    words = _WORD.findall(text)
    for n, word in enumerate(words):
        yield word
        if n + 1 < len(words):
            yield f"{word} {words[n + 1]}"
        if n + 2 < len(words):
            yield " ".join(words[n : n + 3])


def invented_phrases(case: Case) -> list[str]:
    """Return phrases that somebody wrote and the user did not rule out."""
    return [p for p in case.said if plain(p) and not any(plain(p) == plain(r) for r in case.phrases)]
