"""Items that a sentence coordinates: "A, B and C", "A or B?", "the A, a tall one; the B, a short one; and the C"."""

from __future__ import annotations

import re

from ._analysis import is_closed
from ._reference_words import is_a, parts_of_speech, singular
from ._text import fold

_COORDINATED = re.compile(r",?\s+(?:and|or|und|oder|y|o|et|ou|e|en|of)\s+|\s*&\s*")
_GLOSS = re.compile(r"\s*(?::\s|\s[-\u2013\u2014]\s|\s\(|;\s)")
_LEAD = frozenset(
    "have has had offer offers are is was were include includes including like as between either both want prefer "
    "following follows with recommend suggest try choose mean meant need about do does run for there list see of "
    "consider use get take provide provides supports support contains contain found find by in on from".split()
)
_DETERMINERS = frozenset(
    "the a an my our your his her its their this these der die das den dem ein eine einen einem einer le la les un une "
    "el los las una uno il lo gli i o os as um uma de het een".split()
)
_COUNTS = {word: n for n, word in enumerate("two three four five six seven eight nine ten".split(), 2)}
_AFTER_LINK = re.compile(r"[,;]?\s+(?:and|or|und|oder|y|et|ou)$", re.IGNORECASE)
_BEFORE_LINK = re.compile(r"(?:and|or|und|oder|y|et|ou)\s+", re.IGNORECASE)
_LONGEST_HEAD = 8  # words of an item between semicolons; a longer one is a clause


def item_name(item: str) -> str:
    """Return the name of an item: what follows a colon, a dash or a bracket is left out."""
    bold = re.match(r"\s*(?:\*\*|__)([^*_\n]{1,200})(?:\*\*|__)", item)
    if bold:
        return bold.group(1).strip(" :.")
    item = _AFTER_LINK.sub("", item.strip()).strip("*_`")
    head = _GLOSS.split(item, maxsplit=1)[0]
    return (head if head.strip() else item).strip(" \t.,;:!?*_`")


def items_of_sentence(sentence: str) -> list[str]:
    """Return the items that a sentence lists, articles as written; empty when it coordinates something else."""
    if sentence.count(";") > 1 and (items := _between_semicolons(sentence)):
        return items
    joints = list(_COORDINATED.finditer(sentence))
    if not joints:
        bare = [part.strip(" .!?\n") for part in sentence.rpartition(": ")[2].split(",")]
        short = len(bare) > 2 and all(0 < len(part.split()) <= 4 for part in bare)
        return bare if short else []
    left, right = sentence[: joints[-1].start()], sentence[joints[-1].end() :]
    parts = [part for part in re.split(r",\s+", left) if part.strip()]
    if not parts or not right.strip(" .!?\n"):
        return []
    whole = parts[0]
    parts[0] = _first_item(whole)
    names = [item_name(item) for item in (*parts, _last_item(right, parts[-1]))]
    named = parts[-1].split()[-1][:1].isupper()
    if _COUNTS.get(fold(names[0]).partition(" ")[0]) == len(names) - 1:
        names = names[1:]  # "two plans, Basic and Plus"
    subject = named or (parts[0] == whole and whole.split()[0].casefold() in _DETERMINERS)
    return names if all(map(_nominal, names)) and not (subject and _predicates(names[1:])) else []


def _between_semicolons(sentence: str) -> list[str]:
    pieces = [_BEFORE_LINK.sub("", piece.strip(), count=1) for piece in sentence.split(";") if piece.strip(" .!?\n")]
    heads = [re.split(r",\s", piece.rpartition(": ")[2] if n == 0 else piece)[0] for n, piece in enumerate(pieces)]
    if ": " not in pieces[0]:
        heads[0] = _first_item(heads[0])
    names = [item_name(head) for head in heads]
    short = all(len(name.split()) <= _LONGEST_HEAD for name in names)
    return names if len(names) > 2 and short and all(map(_nominal, names)) else []


def _nominal(name: str) -> bool:
    """Whether an item names something: no pronoun, no verb alone, no action such as "press the button"."""
    words = fold(name).split()
    if not words or is_a(words[0], "nominative", "interjection") or words[0] in ("yes", "no", "you"):
        return False
    known = parts_of_speech(words[0])
    acts = "VERB" in known and len(words) > 1 and words[1] in _DETERMINERS
    return set(known) != {"VERB"} and not acts


def _predicates(names: list[str]) -> bool:
    """Whether what follows a subject or a name goes on with a verb: "The seal dries out and leaks"."""
    firsts = (name.split()[0] for name in names)
    return any(w[:1].islower() and w not in _DETERMINERS and "VERB" in parts_of_speech(fold(w)) for w in firsts)


def _first_item(part: str) -> str:
    """Cut the lead ("We have", "You can choose between") off the first item; its own article stays."""
    words = part.split()
    names = len(words)
    while names > 1 and (words[names - 1][:1].isupper() or words[names - 1][:1].isdigit()):
        names -= 1
    if names < len(words):
        if fold(words[names - 1]) in _DETERMINERS:
            names -= 1
        elif names > 1 and fold(words[names - 2]) in _DETERMINERS and not is_closed(fold(words[names - 1])):
            names -= 2  # "la canoa Brisa"
        return " ".join(words[names:] or words)
    for k in range(len(words) - 1, -1, -1):
        low = fold(words[k].strip(":"))
        if low in _LEAD or words[k].endswith(":"):
            return " ".join(words[k + 1 :]) or part
        if k and low in _DETERMINERS and fold(words[k - 1]) not in ("of", "to", "for"):
            return " ".join(words[k:])
        if 1 < k < len(words) - 1 and _is_verb(low):
            return " ".join(words[k + 1 :])
    if len(words) > 2 and is_a(fold(words[0]), "nominative") and "VERB" in parts_of_speech(fold(words[1])):
        return " ".join(words[2:])
    return part


def _is_verb(low: str) -> bool:
    return low.endswith("s") and "VERB" in parts_of_speech(low) and singular(low) != low


def _last_item(part: str, sibling: str) -> str:
    words = part.strip(" .!?\n").split()
    lead = int(fold(words[0]) in _DETERMINERS and len(words) > 1)
    if sibling.split()[-1][:1].isupper():
        names = (n for n, w in enumerate(words) if not (w[:1].isupper() or w[:1].isdigit()) and n > lead)
        return " ".join(words[: next(names, len(words))])
    stop = next((n for n, w in enumerate(words) if n > lead and fold(w) in _LEAD), len(words))
    return " ".join(words[:stop])
