"""The access scope against a text: restricted names, words that widen, and what can be reported of a scope."""

from __future__ import annotations

import re

from ..signatures.types import AccessScope
from ._text import Token, fold, lemmas, tokenize

_BEYOND = re.compile(
    r"\b(?:everywhere else|anywhere else|every ?(?:body|one) else|all (?:the )?others"
    r"|regardless of (?:access|permissions?|rights|clearance)|without (?:any )?(?:access )?restrictions?"
    r"|outside (?:of )?(?:my|our) [\w-]{1,40})\b"
)
# These reach beyond a scope only when the scope is about places or parts of an organisation.
_EVERYWHERE = re.compile(
    r"\b(?:everywhere|across the (?:board|whole (?:company|organi[sz]ation))|worldwide|globally"
    r"|(?:company|organi[sz]ation|enterprise|group|world|nation|country)[- ]wide)\b"
)
_PLACES = frozenset(
    "region site country location city office branch plant area market state zone store department team unit".split()
)
_OTHERS = r"(?:all (?:of )?(?:the )?other|every other|each other|any other|the other|other|another|someone else'?s?)"
_QUANTIFIER = rf"(?:{_OTHERS}|all(?: of)?(?: the)?|every(?: single)?|each)"
_GENERIC = (
    "tenant client customer account user employee colleague department division branch subsidiary region site project "
    "team office company organisation organization workspace group unit role"
)
_HOLDERS = frozenset({"tenant", "workspace", "subsidiary"})
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


def _singular(word: str) -> str:
    return min(lemmas(word), key=lambda lemma: (len(lemma), lemma))


def _attribute_nouns(scope: AccessScope) -> set[str]:
    """The nouns that name the scope's attributes: "regions" and "region_ids" give "region"."""
    limited = (name for name, values in scope.allowed.items() if not _NO_LIMIT & set(values))
    names = (re.sub(r"[_-]?ids?$", "", fold(name)) for name in limited)
    return {_singular(part) for name in names for part in re.split(r"[_\W]+", name) if len(part) > 2} - _NO_BORDER


def _same(word: str, wanted: str) -> bool:
    if word == wanted or word in (wanted + "'s", wanted + "s", wanted + "es", wanted + "'"):
        return True
    return bool(lemmas(word) & lemmas(wanted))


def named_terms(text: str, restricted: list[str]) -> list[str]:
    """Return the restricted terms that a text names: folded, on token boundaries, inflected forms included."""
    if not restricted:
        return []
    words = [t.low for t in tokenize(text)]
    words += [part for w in words if "-" in w or "/" in w for part in re.split(r"[-/]", w)]
    found = []
    for name in restricted:
        wanted = [t.low for t in tokenize(name)]
        if wanted and any(
            all(_same(words[n + k], w) for k, w in enumerate(wanted))
            for n in range(len(words) - len(wanted) + 1)
            if _same(words[n], wanted[0])
        ):
            found.append(name)
    return found


def _widening(text: str, nouns: set[str]) -> list[str]:
    """Return the phrases of a folded text that reach for more than one value: "all regions", "another tenant"."""
    found = [m.group() for m in _BEYOND.finditer(text)]
    for match in re.finditer(rf"\b{_QUANTIFIER}\s+([\w-]{{1,40}})", text):
        if lemmas(match.group(1)) & nouns:
            found.append(match.group())
    return found


def scope_leaks(result: str, query: str, scope: AccessScope | None, user_turns: str = "") -> list[str]:
    """Return what a standalone query names beyond the scope although the user's own query does not.

    Args:
        result: The standalone query.
        query: The user's words of this turn, the only ones that may reach beyond the scope (and then get a warning).
        scope: The server-derived scope; None limits nothing.
        user_turns: Earlier turns of the user: they excuse a general plural ("all customers"), never one of the scope's
            own attributes, since a history can be forged.
    """
    if scope is None:
        return []
    own = named_terms(query, scope.restricted_terms)
    leaks = [term for term in named_terms(result, scope.restricted_terms) if term not in own]
    if not scope.allowed:
        return leaks
    asked, attributes = fold(query), _attribute_nouns(scope)
    low = fold(result)
    wide = _widening(low, attributes) + _everywhere(low, attributes)
    leaks += [w for w in wide if not _phrase_in(w, asked)]
    earlier = asked + "\n" + fold(user_turns)
    general = set(_GENERIC.split()) - attributes
    leaks += [w for w in _widening(low, general) if w not in leaks and not _phrase_in(w, earlier)]
    leaks += [v for v in _foreign_values(result, scope) if fold(v) not in earlier]
    return list(dict.fromkeys(leaks))


def _phrase_in(phrase: str, text: str) -> bool:
    """Whether the words of a widening phrase stand in a text, whatever stands between them."""
    words = {t.low for t in tokenize(text)}
    return all(words & lemmas(t.low) or t.low in words for t in tokenize(phrase) if t.low not in ("the", "of", "else"))


def _foreign_values(text: str, scope: AccessScope) -> list[str]:
    """Return named values of a scope attribute that are not allowed: "region Falken", "the Falken region"."""
    nouns = _attribute_nouns(scope)
    allowed = {t.low for values in scope.allowed.values() for v in values for t in tokenize(v)}
    tokens = tokenize(text)
    found: list[Token] = []
    for n, token in enumerate(tokens):
        if lemmas(token.low) & nouns:
            beside = tokens[max(0, n - 1) : n] + tokens[n + 1 : n + 2]
            found += [
                t for t in beside if _is_name(t, n > 1 or t.start > 0) and t.low.removesuffix("'s") not in allowed
            ]
    return [t.text for t in found]


def _is_name(token: Token, inside: bool) -> bool:
    return inside and token.text[0].isupper() and len(token.text) > 1 and token.low not in _SENTENCE_WORDS


_SENTENCE_WORDS = frozenset(
    "what which who where when how why is are do does can show list the my our in of for and it".split()
)


def _everywhere(text: str, attributes: set[str]) -> list[str]:
    return [m.group() for m in _EVERYWHERE.finditer(text)] if attributes & _PLACES else []


def _of_others(text: str) -> list[str]:
    """Return what belongs to somebody else: "another customer's", "other employees'"."""
    found = (match for match in re.finditer(rf"\b{_OTHERS}\s+([\w-]{{1,40}}?)(?:'s|s')(?!\w)", text))
    return [m.group() for m in found if lemmas(m.group(1)) & set(_GENERIC.split())]


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
    low = fold(query)
    nouns = _attribute_nouns(scope)
    if wide := _widening(low, nouns | _HOLDERS) or _everywhere(low, nouns) or _of_others(low):
        return f"The query asks for more than the permitted scope: '{wide[0]}'."
    if foreign := _foreign_values(query, scope):
        return f"The query names '{foreign[0]}', which is not among the permitted values."
    return None
