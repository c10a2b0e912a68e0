"""Words of questions: what they ask about, whether they ask for a quantity, and the parts that a question joins."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cached_property, lru_cache

from ._content import MONTHS, WEEKDAYS, Term, Vocabulary, bases, is_function_word, terms
from ._language import identify, unspaced
from ._text import fold, low_tokens

_LONGEST = 2_000  # characters of a question that are read; nobody asks more at once

_LIGHT = frozenset(
    "any anything news update updates progress information info detail details exist exists answer answers question "
    "find found else new else please know idea ideas luck case neues etwas noch sonst nouvelles novedades noticias"
    .split()
)  # fmt: skip
_WH = (
    r"(?:what|who|whom|whose|which|when|where|why|how|was|wer|wem|wen|wie|wieviele?|wo|wohin|wann|warum|welche[rsnm]?"
    r"|qui|quoi|quelles?|quels?|quand|où|comment|combien|pourquoi|qué|quién(?:es)?|cuál(?:es)?"
    r"|cuándo|cuánt[oa]s?|dónde|cómo)"
)
_PREPOSITION = r"(?:(?:in|at|on|from|to|by|for|with|of|until|since|bis|ab|seit|von|mit|zu|um|à|de|por|para|a|con) )?"
_ASKS_WHETHER = (
    r"(?:does|do|did|is|are|was|were|has|have|had|can|could|will|would|should|must|may) "
    r"(?:it|they|he|she|there|this|that|these|those|the|an?|i|we|you|my|your|our|its|their|his|her|any|all)"
)
_PART = re.compile(
    rf"(?:\b(?:and|plus|und|sowie|et|y)|&)(?: (?:also|then|auch|aussi|también))? "
    rf"(?={_PREPOSITION}{_WH}\b|{_ASKS_WHETHER}\b)"
)
# After a comma "which is", "who was" and "where" may begin a relative clause; these do not.
_AFTER_COMMA = re.compile(r", (?=(?:what|how(?: \w+)?) (?:does|do|did|is|are|was|were|can|could|will|would|should)\b)")
_NEXT_QUESTION = re.compile(rf"[?\uff1f;]\s+(?=[\u00bf\"']?(?:{_PREPOSITION}{_WH}\b))")
_MEASURE = (
    r"(?:many|much|long|far|deep|high|tall|wide|broad|thick|old|young|big|large|small|heavy|often|fast"
    r"|quickly|soon|late"
    r"|early|cold|hot|warm|strong|steep|loud|expensive|frequently|wet|large)"
)
_QUANTITY = re.compile(
    rf"\bwhen\b|\bhow {_MEASURE}\b|\b(?:what|which) (?:time|date|day|year|month|week|percentage|share|number|amount"
    r"|price|age|depth|height|width|length|weight|speed|temperature|size)\b|\b(?:since|until|till) when\b"
    r"|\bwann\b|\bwie ?(?:viele?|lange?|weit|tief|hoch|breit|dick|alt|oft|schwer|groß|gross|schnell|teuer"
    r"|warm|kalt)\b"
    r"|\bum wieviel\b|\bquand\b|\bcombien\b|\b(?:à )?quelle heure\b|\bquelle date\b"
    r"|\bcuándo\b|\bcuánt[oa]s?\b|\b(?:a )?qué hora\b"
)
_ANY_WH = re.compile(rf"\b{_WH}\b")
_PRICE = re.compile(r"\b(?:what|was)\b.{0,60}\b(?:costs?|price|fee|fare|charge|kostet|kosten)\b|\bcuesta\b|\bcoûte\b")
_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:time|date|day|year|month|week)\b|\bwann\b|\bum wieviel uhr\b"
    r"|\bquand\b|\bquelle (?:heure|date)\b|\bcuándo\b|\bqué hora\b"
)
_CURRENCY = (
    r"(?:[€$£¥₹]|euros?\b|eur\b|dollars?\b|usd\b|pounds?\b|gbp\b|cents?\b|pence\b|francs?\b|franken\b|chf\b|kron(?:or|er)\b"
    r"|kr\b|yen\b|rupees?\b|pesos?\b|złoty\b|zł\b)"
)
_SUM = re.compile(rf"{_CURRENCY}\s?\d[\d.,]*|\b\d[\d.,]*\s?{_CURRENCY}")
_MONTH = rf"(?:{'|'.join(sorted(frozenset(MONTHS) - {'may'}))}|may)"
_MOMENT = re.compile(  # a clock time or a date, which is no sum of money
    r"\b\d{1,2}[:h]\d{2}\b|\b\d{1,2}(?:[.:]\d{2})?\s?(?:a\.?m\b|p\.?m\b|uhr\b|o'clock\b)"
    r"|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}\b|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b"
)
_GRATIS = frozenset("free gratis kostenlos umsonst gratuit gratuite gratuito gratuita nothing none".split())
_TIME_WORDS = frozenset(
    "today tomorrow tonight yesterday noon midnight morning evening spring summer autumn winter christmas "
    "easter daily "
    "weekly monthly yearly hourly once twice one single none nobody heute morgen gestern mittag frühling "
    "sommer herbst "
    "winter montag dienstag mittwoch donnerstag freitag samstag sonntag aujourd'hui demain hier midi minuit "
    "printemps "
    "été automne hiver lundi mardi mercredi jeudi vendredi samedi dimanche hoy mañana ayer mediodía "
    "primavera verano otoño invierno lunes martes miércoles jueves viernes sábado domingo half quarter dozen "
    "free gratis".split()
)  # fmt: skip
_FOREIGN_MONTHS = frozenset(
    "januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre "
    "octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre".split()
)  # fmt: skip
_DATES = frozenset(MONTHS) | frozenset(WEEKDAYS) | _FOREIGN_MONTHS
_ALIKE = tuple(
    frozenset(group.split())
    for group in (
        "cost price fee fare charge pay payment expensive cheap rate tariff ticket amount much",
        "long length duration last take", "deep depth", "wide width", "high height tall", "old age", "far distance",
        "heavy weigh weight", "large big size", "fast speed quick", "hot warm cold temperature", "strong strength",
        "open opening hour", "kosten kostet preis teuer gebühr", "coûte prix coûter tarif",
        "cuesta costar precio coste tarifa", "close closing shut", "child kid", "begin start", "end finish stop",
        "own owner belong", "build builder built make construct erect", "dig excavate", "pay fund finance",
        "run lead manage",
    )
)  # fmt: skip
_SHORTEST_STEM = 4


@lru_cache(maxsize=512)
def content(text: str) -> tuple[Term, ...]:
    """Return the content terms of a question in order, each once: words, names, numbers; no negation, no "
    "light word."""
    text = text[:_LONGEST]
    language = identify(text)
    found: dict[tuple[str, str], Term] = {}
    for term in terms(text):
        light = term.kind == "word" and (is_function_word(term.key, language) or term.key in _LIGHT)
        if term.kind != "negation" and not light:
            found.setdefault((term.kind, term.key), term)
    return tuple(found.values())


def negates(text: str) -> bool:
    """Whether a question holds a negation."""
    return any(term.kind == "negation" for term in terms(text[:_LONGEST]))


def asks_for_what(question: str) -> bool:
    """Whether a question asks for something beyond yes and no: it has a question word."""
    return _ANY_WH.search(fold(question[:_LONGEST])) is not None


@lru_cache(maxsize=512)
def asks_quantity(question: str) -> bool:
    """Whether a question wants a date or a number: when, how many, how much, how + measure, what ... cost."""
    low = fold(question[:_LONGEST])
    return _QUANTITY.search(low) is not None or _PRICE.search(low) is not None


@lru_cache(maxsize=512)
def asks_price(question: str) -> bool:
    """Whether a question wants a sum of money, which a year is not."""
    low = fold(question[:_LONGEST])
    return _PRICE.search(low) is not None or re.search(r"\bhow much\b|\bcombien\b|\bcuánto\b", low) is not None


@lru_cache(maxsize=512)
def asks_when(question: str) -> bool:
    """Whether a question wants a time or a date, which a sum of money is not."""
    return _WHEN.search(fold(question[:_LONGEST])) is not None


@lru_cache(maxsize=512)
def parts(question: str) -> tuple[str, ...]:
    """Return the parts of a question that are joined by "and" + question word, or stand side by side.

    So are "and is it ...?", "and does the ...?", and ", what does it ...?".
    """
    low = fold(question[:_LONGEST])
    cuts = sorted({m.end() for border in (_PART, _NEXT_QUESTION, _AFTER_COMMA) for m in border.finditer(low)})
    found = [low[a:b] for a, b in zip([0, *cuts], [*cuts, len(low)], strict=True)]
    return tuple(part for part in found if part.strip())


def distinctive(question: str) -> list[tuple[str, tuple[Term, ...]]]:
    """Return each part with the content terms that no other part has, or with all of its own where none is."""
    read = [(part, content(part)) for part in parts(question)]
    count: dict[str, int] = {}
    for _, words in read:
        for term in words:
            count[term.key] = count.get(term.key, 0) + 1
    return [(part, tuple(t for t in words if count[t.key] == 1) or words) for part, words in read if words]


class Text:
    """Texts that are searched for the words of many questions, read once."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = [text for text in texts if text.strip()]
        self.vocabulary = Vocabulary(self.texts)

    @cached_property
    def low(self) -> frozenset[str]:
        """Their folded words."""
        return frozenset(token for text in self.texts for token in low_tokens(text))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Their numbers and dates."""
        return frozenset(term.key for text in self.texts for term in terms(text) if _counts(term))

    @cached_property
    def _prices(self) -> frozenset[str]:
        """Their numbers without clock times, dates and years."""
        left = (_MOMENT.sub(" ", text.casefold()) for text in self.texts)
        found = (term for text in left for term in terms(text) if _counts(term) and term.key not in _DATES)
        return frozenset(term.key for term in found if not _is_year(term.key))

    @cached_property
    def _moments(self) -> frozenset[str]:
        """Their numbers and dates without sums of money."""
        left = (_SUM.sub(" ", text.casefold()) for text in self.texts)
        return frozenset(term.key for text in left for term in terms(text) if _counts(term))

    @cached_property
    def _bases(self) -> frozenset[str]:
        return frozenset(key for token in self.low for key in bases(token, True))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(key[:n] for key in self.low for n in range(_SHORTEST_STEM, min(len(key), 12) + 1))

    @cached_property
    def _joined(self) -> str:
        return "\n".join(self.texts).casefold()

    def has(self, term: Term, language: str | None) -> bool:
        """Whether the texts hold a term, in any inflection."""
        english = language in (None, "en")
        return self.vocabulary.has(term, english=english) or (not english and self.vocabulary.has(term, english=True))

    def touches(self, term: Term, language: str | None) -> bool:
        """Whether the texts hold a term, a word of its family, or one that answers it ("deep": "depth")."""
        if self.has(term, language):
            return True
        if term.kind != "word":
            return False
        if unspaced(term.key):
            return any(term.key[n : n + 2] in self._joined for n in range(max(1, len(term.key) - 1)))
        if len(term.key) >= _SHORTEST_STEM and (term.key in self._stems or _has_stem(term.key, self.low)):
            return True
        own = bases(term.key, True)
        return any(not group.isdisjoint(own) and not group.isdisjoint(self._bases) for group in _ALIKE)

    @cached_property
    def amounts(self) -> frozenset[str]:
        """Their numbers and dates, and words that stand for one ("tomorrow", "free")."""
        return self.numbers | (self.low & (_TIME_WORDS | _GRATIS))

    def quantity(self, asked: Collection[str], question: str, *, loose: bool = False) -> bool:
        """Whether the texts hold a date or a number that a question may ask for, and does not hold itself.

        Args:
            asked: Keys of the question's own terms.
            question: What asks: a time is no price, and a price no time.
            loose: Whether words such as "tomorrow", "none" or "free" count.
        """
        if asks_price(question):
            return bool(self._prices.difference(asked)) or (loose and not _GRATIS.isdisjoint(self.low))
        found = self._moments if asks_when(question) else self.numbers
        return bool(found.difference(asked)) or (loose and not _TIME_WORDS.isdisjoint(self.low))


def _has_stem(word: str, others: Collection[str]) -> bool:
    """Whether the beginning of a word is a word of the texts: "payment" and "pay", "opening" and "open"."""
    return any(word[:n] in others for n in range(_SHORTEST_STEM, len(word)))


def _counts(term: Term) -> bool:
    return term.kind == "number" or (term.kind == "word" and term.key in _DATES) or any(c.isdigit() for c in term.key)


def _is_year(key: str) -> bool:
    return len(key) == 4 and key.isdigit() and 1400 <= int(key) <= 2200
