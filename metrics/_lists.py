"""Items of an enumerated list in a message, and the pick of one by ordinal, number, letter or place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ._sentence_lists import item_name, items_of_sentence
from ._text import tokenize

MOST_TEXT = 20_000  # characters from the end that are searched for the newest list
_MARK = re.compile(r"(?:(?<=\s)|^)(?:\*\*|__)?\(?(\d{1,2}|[A-Za-z])[.)]\s+", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]{0,8}[-*\u2022\u2013+][ \t]+(?=\S)([^\n]{1,500})$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_LONGEST_SENTENCE = 500
_NEXT_SENTENCE = re.compile(r"(?<=[^\W_][^\W_][^\W_)])[.!?]\s+(?=[A-Z])")
_NUMBERS = {
    **{w: n for n, w in enumerate("one two three four five six seven eight nine ten".split(), 1)},
    **{w: n for n, w in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)},
    **{w: n for n, w in enumerate("1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th".split(), 1)},
    **{w: n for n, w in enumerate("primero segundo tercero cuarto quinto".split(), 1)},
    **{w: n for n, w in enumerate("primera segunda tercera cuarta quinta".split(), 1)},
    **{w: n for n, w in enumerate("premier deuxième troisième quatrième cinquième".split(), 1)},
    **{w: n for n, w in enumerate("erste zweite dritte vierte fünfte".split(), 1)},
}
_NO_NUMBER = frozenset(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"))


def list_items(text: str) -> list[str]:
    """Return the items of the newest enumerated list of a message, in order; empty when there is none.

    Numbered and lettered lists ("1. A 2. B", in lines or in one line), bullets, and lists in a sentence ("A, B and C",
    "A or B?"). An item is given by its name, its article as written: what follows a colon, a dash or a bracket is left
    out, as is the apposition after a comma where semicolons part the items.
    """
    text = text[-MOST_TEXT:]
    marked = _numbered(text)
    bullets = list(_BULLET.finditer(text))
    best = max(
        (marked, (bullets[-1].start() if len(bullets) > 1 else -1, [m.group(1) for m in _last_run(text, bullets)])),
        key=lambda found: found[0],
    )
    if best[0] >= 0 and len(best[1]) > 1:
        return [item_name(item) for item in best[1]]
    for sentence in reversed(_SENTENCE_END.split(text)):
        items = items_of_sentence(sentence) if len(sentence) <= _LONGEST_SENTENCE else []
        if len(items) > 1:
            return items
    return []


def _last_run(text: str, bullets: list[re.Match[str]]) -> list[re.Match[str]]:
    run: list[re.Match[str]] = []
    for bullet in bullets:
        if (run and "\n\n\n" in text[run[-1].end() : bullet.start()]) or (run and bullet.start() - run[-1].end() > 600):
            run = []
        run.append(bullet)
    return run


def _numbered(text: str) -> tuple[int, list[str]]:
    """Return the place and the items of the last list whose marks count up from 1 or a."""
    marks = list(_MARK.finditer(text))
    runs: list[list[re.Match[str]]] = []
    for mark in marks:
        label = mark.group(1).lower()
        rank = int(label) if label.isdigit() else ord(label) - 96
        if rank == 1:
            runs.append([mark])
        elif runs and rank == len(runs[-1]) + 1 and label.isdigit() == runs[-1][0].group(1).isdigit():
            runs[-1].append(mark)
    last = next((run for run in reversed(runs) if len(run) > 1), None)
    if last is None:
        return -1, []
    ends = [mark.start() for mark in last[1:]] + [len(text)]
    items = [text[mark.end() : end].strip() for mark, end in zip(last, ends, strict=True)]
    return last[-1].start(), [_NEXT_SENTENCE.split(item.split("\n")[0], maxsplit=1)[0] for item in items]


def pick_ordinal(mention_text: str, items: Sequence[str]) -> str | None:
    """Return the item that a mention picks: "the second one", "number two", "2", "B", "the middle singer", "the last".

    Returns:
        The item, or None when the mention names no place in the list or the list is too short.
    """
    words = [token.low for token in tokenize(mention_text)]
    if not words or not items:
        return None
    plain = [w for w in words if w not in ("the", "one", "please", "number", "option", "choice", "item", "a", "no")]
    if "former" in words or "latter" in words:
        return (items[0] if "former" in words else items[1]) if len(items) == 2 else None
    if "middle" in words:
        return items[len(items) // 2] if len(items) % 2 else None
    last = {"last", "final", "último", "última", "dernier", "dernière", "letzte"} & set(words)
    offset = 0
    if last:
        ranked = [_NUMBERS[w] for w in words if w in _NUMBERS and w not in _NO_NUMBER]
        offset = ranked[0] if ranked and "to" in words else 1
        return items[-offset] if offset <= len(items) else None
    if sum(w in _NUMBERS for w in plain) > 1:
        return None  # "the first two"
    counted = words[-1:] if words[0] in ("number", "option", "choice", "item", "no") else plain
    for word in counted:
        rank = int(word) if word.isdecimal() and len(word) < 3 else _NUMBERS.get(word, 0)
        if rank and (word not in _NO_NUMBER or counted is not plain or len(words) == 1):
            return items[rank - 1] if rank <= len(items) else None
    if len(plain) <= 1:
        label = words[-1]
        exact = [item for item in items if label in [t.low for t in tokenize(item)]]
        if len(exact) == 1 and len(label) > 1:
            return exact[0]
        if len(label) == 1 and label.isalpha() and ord(label) - 97 < len(items):
            return items[ord(label) - 97]
    return None
