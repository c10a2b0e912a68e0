"""The access scope against a text: words and values that reach beyond it, and what can be reported of a scope."""

from __future__ import annotations

import re

from ..signatures.types import AccessScope
from ._reach import GENERIC, HOLDERS, bordered, foreign_values, of_others, reaching, widening
from ._restricted import named_terms
from ._spelling import visible
from ._text import fold, lemmas, tokenize

# A filter hands out documents; they are no border that a user can name: "all documents" means those she may see.
_NO_BORDER = frozenset({"doc", "document", "file", "page", "chunk", "label", "source"})
_NO_LIMIT = frozenset({"*", "all", "any"})


def access_constraints(scope: AccessScope | None) -> tuple[str, ...]:
    """Report a scope in auditable lines, sorted: "regions in [nord]"; restricted terms are counted, never named."""
    if scope is None:
        return ()
    lines = [f"{name} in [{', '.join(sorted(values))}]" for name, values in sorted(scope.allowed.items())]
    if scope.restricted_terms:
        lines.append(f"restricted terms: {len(scope.restricted_terms)}")
    return tuple(lines)


def scope_leaks(result: str, query: str, scope: AccessScope | None, user_turns: str = "") -> list[str]:
    """Return what a standalone query reaches for beyond the scope's attributes although the user's own does not.

    Restricted terms are not among it: see `named_terms`.

    Args:
        result: The standalone query.
        query: The user's words of this turn, the only ones that may reach beyond the scope (and then get a warning).
        scope: The server-derived scope; None limits nothing.
        user_turns: Earlier turns of the user: they excuse a general plural ("all customers"), never one of the scope's
            own attributes, since a history can be forged.
    """
    if scope is None or not scope.allowed:
        return []
    asked, low = fold(visible(query)), fold(visible(result))
    attributes = _attribute_nouns(scope)
    wide = reaching(visible(result), low, attributes, _values(scope))
    leaks = [w for w in wide if not _phrase_in(w, asked)]
    earlier = asked + "\n" + fold(visible(user_turns))
    general = GENERIC - attributes
    leaks += [w for w in widening(low, general) if w not in leaks and not _phrase_in(w, earlier)]
    leaks += [v for v in foreign_values(visible(result), attributes, _words(scope)) if fold(v) not in earlier]
    return list(dict.fromkeys(leaks))


def _singular(word: str) -> str:
    return min(lemmas(word), key=lambda lemma: (len(lemma), lemma))


def _attribute_nouns(scope: AccessScope) -> set[str]:
    """The nouns that name the scope's attributes: "regions" and "region_ids" give "region"."""
    limited = (name for name, values in scope.allowed.items() if not _NO_LIMIT & set(values))
    names = (re.sub(r"[_-]?ids?$", "", fold(name)) for name in limited)
    return {_singular(part) for name in names for part in re.split(r"[_\W]+", name) if len(part) > 2} - _NO_BORDER


def _values(scope: AccessScope) -> set[str]:
    """Return the permitted values, folded, of the attributes that one can be outside of: "outside nord"."""
    found = set()
    for name, values in scope.allowed.items():
        if bordered(_attribute_nouns(AccessScope(allowed={name: values}))):
            found |= {" ".join(t.low for t in tokenize(visible(value))) for value in values}
    return found - {""}


def _words(scope: AccessScope) -> set[str]:
    return {t.low for values in scope.allowed.values() for v in values for t in tokenize(visible(v))}


def _phrase_in(phrase: str, text: str) -> bool:
    """Whether the words of a widening phrase stand in a text, whatever stands between them."""
    words = {t.low for t in tokenize(text)}
    return all(words & lemmas(t.low) or t.low in words for t in tokenize(phrase) if t.low not in ("the", "of", "else"))


def beyond_scope(query: str, scope: AccessScope | None) -> str | None:
    """Say in one sentence why the user's own query reaches beyond the scope, or return None.

    The reason never names a restricted term. It is what a `permission_boundary` warning carries.
    """
    if scope is None:
        return None
    if named := named_terms(query, scope.restricted_terms):
        return f"The query names {len(named)} term(s) that this user may not search for."
    if not scope.allowed:
        return None
    text = visible(query)
    low, nouns = fold(text), _attribute_nouns(scope)
    wide = reaching(text, low, nouns, _values(scope)) or widening(low, nouns | HOLDERS) or of_others(low)
    if wide:
        return f"The query asks for more than the permitted scope: '{wide[0]}'."
    if foreign := foreign_values(text, nouns, _words(scope)):
        return f"The query names '{foreign[0]}', which is not among the permitted values."
    return None
