"""Which language a short text is in: script first, then function words, then a statistical identifier."""

from __future__ import annotations

import re
import threading
from collections import Counter
from functools import lru_cache
from typing import Any

from ._function_words import ENGLISH, OTHERS
from ._text import fold

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("latin", re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")),
    ("kana", re.compile(r"[\u3040-\u30ff]")),
    ("han", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("hangul", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("cyrillic", re.compile(r"[\u0400-\u052f]")),
    ("greek", re.compile(r"[\u0370-\u03ff]")),
    ("arabic", re.compile(r"[\u0600-\u06ff\u0750-\u077f]")),
    ("hebrew", re.compile(r"[\u0590-\u05ff]")),
    ("thai", re.compile(r"[\u0e00-\u0e7f]")),
    ("lao", re.compile(r"[\u0e80-\u0eff]")),
    ("khmer", re.compile(r"[\u1780-\u17ff]")),
    ("myanmar", re.compile(r"[\u1000-\u109f]")),
    ("devanagari", re.compile(r"[\u0900-\u097f]")),
)
#: Scripts that put no space between words.
UNSPACED = frozenset({"kana", "han", "thai", "lao", "khmer", "myanmar"})
_LETTERS = re.compile(r"[^\W\d_]+")
_SAMPLE = 2000  # characters that decide; a longer text does not become clearer
_MARKS = (
    ("es", re.compile(r"[¿¡ñ]")),
    ("de", re.compile(r"ß")),
    ("pl", re.compile(r"[ąęłśźż]")),
    ("pt", re.compile(r"[ãõ]")),
    ("tr", re.compile(r"[ğış]")),
    ("uk", re.compile(r"[іїєґ]")),
    ("ru", re.compile(r"[ыэё]")),
)
_CONFIDENT = 0.95
_lock = threading.Lock()
_identifier: list[Any] = []


def scripts(text: str) -> Counter[str]:
    """Count the letters of a text (its first 2,000 characters) by script."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return Counter({"latin": n}) if (n := sum(map(str.isalpha, sample))) else Counter()
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS}
    return Counter({name: n for name, n in counts.items() if n})


def unspaced(text: str) -> bool:
    """Whether a text holds letters of a script without spaces between words."""
    return not text.isascii() and any(name in UNSPACED for name in scripts(text))


def _hits(words: list[str]) -> Counter[str]:
    found: Counter[str] = Counter({"en": sum(w in ENGLISH for w in words)})
    for language, known in OTHERS.items():
        found[language] = sum(w in known for w in words)
    return found


@lru_cache(maxsize=1024)
def identify(text: str) -> str | None:
    """Name the language of a text by script and function words, or return None when they do not decide.

    Returns:
        An ISO 639-1 code where the evidence names one language, the script's name where only the script is known.
    """
    counts = scripts(text)
    if not counts:
        return None
    if counts["kana"]:
        return "ja"
    script = max(counts, key=lambda name: counts[name])
    if script not in ("latin", "cyrillic"):
        return {"han": "zh", "hangul": "ko", "thai": "th", "greek": "el", "hebrew": "he"}.get(script, script)
    sample = fold(text[:_SAMPLE])
    found = _hits(_LETTERS.findall(sample))
    for language, mark in _MARKS:
        found[language] += bool(mark.search(sample))
    (first, most), (_, runner_up) = found.most_common(2)
    if most > runner_up and (most >= 2 or not sample.isascii() or first == "en"):
        return first
    return "cyrillic" if script == "cyrillic" else None


def tied(text: str) -> list[str]:
    """Return the languages whose function words fit a text best and equally well; none when English ones occur."""
    found = _hits(_LETTERS.findall(fold(text[:_SAMPLE])))
    most = max(found.values())
    return [language for language, n in found.items() if n == most] if most and not found["en"] else []


def _statistical(text: str) -> str | None:
    """Ask py3langid, loaded on first use (about a second); None below 95 % or for a text under 30 characters."""
    if len(text) < 30:  # shorter texts are told apart no better than by chance
        return None
    with _lock:
        if not _identifier:
            from py3langid.langid import MODEL_FILE, LanguageIdentifier

            _identifier.append(LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True))
        language, probability = _identifier[0].classify(text[:_SAMPLE])
    return str(language) if probability >= _CONFIDENT else None


def same_language(query: str, result: str) -> bool:
    """Whether a rewrite stays in the query's language; True whenever the evidence is thin.

    Names keep their script, so a result counts as another language only when the query's script is (nearly) gone or the
    function words of another language have taken the place of the query's own.
    """
    asked, got = scripts(query), scripts(result)
    if not asked or not got:
        return True
    script = max(asked, key=lambda name: asked[name])
    if asked["kana"] and not got["kana"] and got["han"]:
        return False
    if not asked["kana"] and got["kana"] and asked["han"]:
        return False
    if script != "latin" and not got[script]:
        return False
    if script == "latin" and got["latin"] * 5 < sum(got.values()):
        return False
    if script not in ("latin", "cyrillic"):
        return True
    mine, theirs = identify(query), identify(result)
    if mine == theirs or mine is None:
        return True
    hits = _hits(_LETTERS.findall(fold(result[:_SAMPLE])))
    if theirs is not None:
        return hits[mine] * 2 > hits[theirs] or hits[theirs] < 2
    words = set(_LETTERS.findall(fold(result[:_SAMPLE])))
    if hits[mine] or len(words) < 5 or 2 * len(words & set(_LETTERS.findall(fold(query[:_SAMPLE])))) > len(words):
        return True
    statistical = _statistical(result)
    return statistical in (None, mine) or _statistical(query) == statistical
