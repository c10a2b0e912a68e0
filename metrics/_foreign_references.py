"""References outside English: few forms, each clear, and only where nothing before them could explain them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import cast

from ._content import is_function_word
from ._language import identify, tied
from ._mentions import Kind, Mention
from ._reference_words import lexicon
from ._text import Token, tokenize

_UNSPACED = frozenset(("zh", "ja"))
_MOST_BEFORE = 3  # words of four letters or more; beyond, one of them may well be the antecedent
_MOST_CLITICS = 50
_IDIOMS = {"y": (("il", "a"), ("", "a-t-il"), ("", "avait-il"), ("n", "a"), ("il", "avait"), ("il", "aura"))}
_COMPOUND = frozenset(("其", "吉", "利", "维"))
_QUOTED = re.compile(r"[\"“«„「『][^\"”»“」』\n]{1,200}[\"”»“」』]")


#: Attached and preposed object pronouns, which look like articles: only beside a verb that shows what they are.
_CLITICS: dict[str, re.Pattern[str]] = {
    "es": re.compile(
        r"\b(l[oa]s?) (?:pued[oae]\w*|podr\w+|podemos|deb[oae]\w*|tengo|tiene\w*|quier[oae]\w*|hay que|necesit\w+"
        r"|ha[sn]?|he|v[oa]y|va[sn]?|vamos)\b|\b\w{3,}[aei]r(l[oae]s?)\b|\b(?:hacer|dar|ver|usar)(l[oae]s?)\b"
    ),
    "it": re.compile(
        r"\b(l[oaei]|li) (?:poss\w+|può|puoi|potr\w+|dev[oe]\w*|dobbiamo|vogli\w+|vuo[il])\b|\b\w{3,}[aei]r(l[oaei])\b"
        r"|\bfar(l[oaei])\b"
    ),
    "pt": re.compile(r"\b\w+[áêéí]-(l[oa]s?)\b"),
    "fr": re.compile(
        r"\b(?:peux|peut|pouvons|pouvez|peuvent|pourrais|pourrait|faut|dois|doit|devons|devez|veux|veut|vais|va"
        r"|allons|allez)(?: aussi| encore| bien| toujours| donc)? (l[ae]s? |l')(?:\w{2,}(?:er|ir|re)\b)"
        r"|-(?:t-)?(elles?|ils)\b"
    ),
    "de": re.compile(
        r"\b(das)(?=\s*[?.!]|\s*$| (?:wieder|auch|noch|denn|nicht|eigentlich|genau|so|dann|heute|jetzt|überhaupt|schon"
        r"|machen|ändern|kosten|testen)\b)|^(d(?:ie|er|as)) (?=(?:hat|ist|wird|kann|war|hatte|muss|soll|sind|haben"
        r"|geht|kostet|gilt|läuft|passt)\b)"
    ),
}
_ARTICLES = frozenset(
    "el la los las lo un una unos unas mi mis tu tus nuestro nuestra este esta estos estas il lo i gli le uno mio mia "
    "tuo tua o os as um uma uns umas meu minha seu sua les des du mon ma mes ton ta tes notre votre ce cet cette ces "
    "der die das den dem des ein eine einen einem einer mein meine meinen meiner dein deine unser unsere unseren kein "
    "keine de het een mijn jouw onze ons deze dit en ett".split()
)
#: Openers of an elliptical question that are not a single first word.
_OPENERS: dict[str, re.Pattern[str]] = {
    "zh": re.compile(r"(?!.*[什怎哪谁几吗])(?!.*多少).{1,14}(呢)[\s?\uff1f]*"),
    "ja": re.compile(r".{1,14}(は)[\s?\uff1f]+"),
    "ko": re.compile(r".{1,14}([은는]요)[\s?\uff1f]*"),
    "th": re.compile(r"(แล้ว).{1,30}ล่ะ[\s?]*"),
    "arabic": re.compile(r"(و?ماذا عن) .{1,40}"),
}
_LONGEST_OPENED = 7  # words of an elliptical question, its opener included


def guess_language(text: str) -> str:
    """Return the language whose rules apply: by script and function words, English when these do not decide.

    Where function words fit several languages alike, one of whose forms occurs in the text is taken.
    """
    sample = text[:400]
    return identify(sample) or next((code for code in tied(sample) if _occurs(sample, code)), "en")


def _occurs(text: str, code: str) -> bool:
    tokens, forms = tokenize(text), _forms(code)
    return any(t.low in forms for t in tokens) or any(t.low in _opening(code) for t in tokens[:1])


def is_bare(rest: str, language: str) -> bool:
    """Whether so little follows an opener that the question is not told: two words of content at most."""
    if language in _OPENERS:
        return True
    return sum(not is_function_word(t.low, language) for t in tokenize(rest)) <= 2


def _opening(language: str) -> frozenset[str]:
    return lexicon("references_other").get(f"{language} opener", frozenset())


@lru_cache(maxsize=64)
def _forms(language: str) -> dict[str, Kind]:
    table = lexicon("references_other")
    kinds = ("pronoun", "locative", "demonstrative", "possessive")
    return {
        form: cast(Kind, kind)
        for kind in kinds
        for name in (f"{language} {kind}", f"{language} weak {kind}")
        for form in table.get(name, ())
    }


@lru_cache(maxsize=64)
def _weak(language: str) -> frozenset[str]:
    table = lexicon("references_other")
    return frozenset().union(*(forms for name, forms in table.items() if name.startswith(f"{language} weak ")))


def find_foreign(text: str, language: str) -> list[Mention]:
    """Return the references of a text in another language than English, in order; none for an unknown language."""
    forms = _forms(language)
    quoted = [m.span() for m in _QUOTED.finditer(text)]
    opener = _OPENERS[language].fullmatch(text.strip()[:60]) if language in _OPENERS and len(text) < 60 else None
    found = [Mention(opener.group(1), *_shifted(text, opener.span(1)), "ellipsis")] if opener else []
    if forms:
        found += _unspaced(text, forms) if language in _UNSPACED else _spaced(text, language, forms)
    if language in _CLITICS:
        found += _clitics(text, language)
    found.sort(key=lambda m: m.start)
    found = [m for n, m in enumerate(found) if not n or m.start >= found[n - 1].end]
    return [m for m in found if not any(a <= m.start < b for a, b in quoted[:50])]


def _shifted(text: str, span: tuple[int, int]) -> tuple[int, int]:
    blanks = len(text) - len(text.lstrip())
    return span[0] + blanks, span[1] + blanks


def _clitics(text: str, language: str) -> Iterator[Mention]:
    """Yield the object pronouns before which nothing in the text could be meant."""
    low = text.lower()
    if len(low) != len(text):
        return
    for hit in islice(_CLITICS[language].finditer(low), _MOST_CLITICS):
        start, end = next(hit.span(n) for n in range(1, len(hit.groups()) + 1) if hit.group(n))
        if not _explained(text[max(0, start - 200) : start]):
            yield Mention(text[start:end].rstrip(), start, start + len(text[start:end].rstrip()), "pronoun")


def _explained(before: str) -> bool:
    """Whether an article with its noun, or a name, stands before a weak form and may be its antecedent."""
    tokens = tokenize(before)
    named = any(t.text[:1].isupper() for t in tokens[1:])
    return named or any(t.low.rpartition("'")[0] in ("l", "d", "un") or t.low in _ARTICLES for t in tokens[:-1])


def _unspaced(text: str, forms: dict[str, Kind]) -> Iterator[Mention]:
    pattern = re.compile("|".join(sorted(map(re.escape, forms), key=len, reverse=True)))
    for hit in pattern.finditer(text):
        if hit.start() <= _MOST_BEFORE * 4 and text[max(0, hit.start() - 1) : hit.start()] not in _COMPOUND:
            yield Mention(hit.group(), hit.start(), hit.end(), forms[hit.group()])


def _spaced(text: str, language: str, forms: dict[str, Kind]) -> Iterator[Mention]:
    tokens = tokenize(text)
    if tokens and 1 < len(tokens) <= _LONGEST_OPENED and tokens[0].low in _opening(language):
        yield Mention(tokens[0].text, tokens[0].start, tokens[0].end, "ellipsis")
    before = 0
    for i, token in enumerate(tokens):
        low = token.low.rpartition("'")[2] if language == "fr" else token.low
        explained = low in _weak(language) and _explained(text[: token.end])
        if low in forms and not explained and not _idiom(tokens, i) and not _relative(text, tokens, i, language):
            yield Mention(token.text[-len(low) :], token.end - len(low), token.end, forms[low])
        named = i > 0 and token.text[:1].isupper()
        before += _MOST_BEFORE + 1 if named else len(token.low) > 3
        if before > _MOST_BEFORE:
            return


def _idiom(tokens: list[Token], i: int) -> bool:
    left, right = tokens[i - 1].low if i else "", tokens[i + 1].low if i + 1 < len(tokens) else ""
    return any(a in ("", left) and b == right for a, b in _IDIOMS.get(tokens[i].low, ()))


def _relative(text: str, tokens: list[Token], i: int, language: str) -> bool:
    """Whether a German form is a relative pronoun, or a polite "Sie" in a text without capitals."""
    if language == "de" and (tokens[i].low == "sie" or tokens[i].low.startswith("ihr")):
        return not tokens[i].text.islower() or not any(t.text[:1].isupper() for t in tokens)
    return language == "de" and i > 0 and "," in text[tokens[i - 1].end : tokens[i].start]
