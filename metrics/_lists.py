"""Items of an enumerated list in a message, and the pick of one by ordinal, number, letter or place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ._reference_words import parts_of_speech
from ._text import fold, tokenize

MOST_TEXT = 20_000  # characters from the end that are searched for the newest list
_MARK = re.compile(r"(?:(?<=\s)|^)\(?(\d{1,2}|[A-Za-z])[.)]\s+", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]{0,8}[-*\u2022\u2013+][ \t]+(?=\S)([^\n]{1,500})$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_LONGEST_SENTENCE = 500
_COORDINATED = re.compile(r",?\s+(?:and|or|und|oder|y|o|et|ou|e|en|of)\s+|\s*&\s*")
_GLOSS = re.compile(r"\s*(?::\s|\s[-\u2013\u2014]\s|\s\(|;\s)")
_LEAD = frozenset(
    "have has had offer offers are is were was include includes including like as between either both want prefer "
    "following follows with recommend suggest try choose mean meant need about do does run for the there list see of "
    "consider use get take provide provides supports support contains contain found find by in on from".split()
)
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
    "A or B?"). An item is given by its name: what follows a colon, a dash or a bracket is left out.
    """
    text = text[-MOST_TEXT:]
    marked = _numbered(text)
    bullets = list(_BULLET.finditer(text))
    best = max(
        (marked, (bullets[-1].start() if len(bullets) > 1 else -1, [m.group(1) for m in _last_run(text, bullets)])),
        key=lambda found: found[0],
    )
    if best[0] >= 0 and len(best[1]) > 1:
        return [_name(item) for item in best[1]]
    for sentence in reversed(_SENTENCE_END.split(text)):
        items = _in_sentence(sentence) if len(sentence) <= _LONGEST_SENTENCE else []
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
    return last[-1].start(), [item.split("\n")[0] for item in items]


def _name(item: str) -> str:
    bold = re.match(r"\s*(?:\*\*|__)([^*_\n]{1,200})(?:\*\*|__)", item)
    if bold:
        return bold.group(1).strip(" :.")
    item = item.strip().strip("*_`")
    head = _GLOSS.split(item, maxsplit=1)[0]
    return (head if head.strip() else item).strip(" \t.,;:!?")


def _in_sentence(sentence: str) -> list[str]:
    joints = list(_COORDINATED.finditer(sentence))
    if not joints:
        bare = [part.strip(" .!?\n") for part in sentence.split(",")]
        short = len(bare) > 2 and all(0 < len(part.split()) <= 4 for part in bare)
        return bare if short else []
    left, right = sentence[: joints[-1].start()], sentence[joints[-1].end() :]
    parts = [part for part in re.split(r",\s+", left) if part.strip()]
    if not parts or not right.strip(" .!?\n"):
        return []
    parts[0] = _first_item(parts[0])
    items = [*parts, _last_item(right, parts[-1])]
    names = [re.sub(r"^(?:the|The)\s+", "", _name(item)) for item in items]
    if not all(names) or any(set(parts_of_speech(fold(name.split()[0]))) == {"VERB"} for name in names):
        return []  # two actions are no list
    return names


def _first_item(part: str) -> str:
    words = part.split()
    names = len(words)
    while names > 0 and (words[names - 1][:1].isupper() or words[names - 1][:1].isdigit()) and names > 1:
        names -= 1
    if names < len(words):
        lead = names
        while lead > 0 and fold(words[lead - 1]) == "the":
            lead -= 1
        return " ".join(words[lead if names - lead else names :])
    for k in range(len(words) - 1, -1, -1):
        if fold(words[k].strip(":")) in _LEAD or words[k].endswith(":"):
            return " ".join(words[k + 1 :]) or part
    return part


def _last_item(part: str, sibling: str) -> str:
    words = part.strip(" .!?\n").split()
    if sibling.split()[-1][:1].isupper():
        names = next((n for n, w in enumerate(words) if not (w[:1].isupper() or w[:1].isdigit()) and n), len(words))
        return " ".join(words[:names])
    stop = next((n for n, w in enumerate(words) if n and fold(w) in _LEAD), len(words))
    return " ".join(words[:stop])


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
        rank = int(word) if word.isdigit() and len(word) < 3 else _NUMBERS.get(word, 0)
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
