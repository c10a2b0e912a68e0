"""A message read for exclusions: every cue is tried in order, and what it covers is not read again."""

from __future__ import annotations

from ._negation_commands import answered_no, command, excluded, free_of, lacking, minus_word, steer_clear
from ._negation_cues import Finding, Reader, except_, gerund, instead, no, others, rules_out, without
from ._negation_dislikes import allergic, allergy, hates, never, nobody
from ._negation_foreign import FOREIGN, PAIRED
from ._negation_nothing import nothing
from ._negation_omissions import that_omits
from ._negation_operators import minus, non, upper_not
from ._negation_others import anything_but, bare_not, but, neither, nor, than
from ._negation_refusals import refuses
from ._negation_sentences import Sentence, sentence_at, sentences
from ._negation_text import Message, Word
from ._negation_verbs import negated_verb
from ._text import is_known

_TABLE: tuple[tuple[str, Reader], ...] = (
    ("with the exception of", except_), ("with the exclusion of", except_), ("with exception of", except_),
    ("except for", except_),
    ("except", except_), ("excepting", except_), ("excluding", except_), ("other than", except_),
    ("leaving out", gerund), ("leaving aside", gerund), ("setting aside", gerund),
    ("not including", except_), ("not counting", except_), ("not considering", except_), ("not mentioning", except_),
    ("save for", except_), ("but for", gerund), ("disregarding", gerund), ("ignoring", gerund), ("omitting", gerund),
    ("skipping", gerund), ("avoiding", gerund), ("refraining from", gerund), ("regardless of", gerund),
    ("ruled out", gerund), ("ruling out", gerund),
    ("besides", others), ("beside", others), ("apart from", others), ("aside from", others), ("aside of", others),
    ("in addition to", others), ("on top of", others), ("along with", others),
    ("rather than", instead), ("instead of", instead), ("as opposed to", instead), ("in place of", instead),
    ("without", without), ("w/o", without), ("sans", without), ("minus", minus_word),
    ("no", no), ("zero", no), ("not", bare_not), ("neither", neither), ("nor", nor), ("nothing", nothing),
    ("anything but", anything_but), ("everything but", anything_but), ("anyone but", anything_but),
    ("anywhere but", anything_but), ("everyone but", anything_but), ("everywhere but", anything_but),
    ("all but", anything_but), ("but not", bare_not), ("but", but),
    ("exclude", command), ("excludes", command), ("leave out", command), ("leave off", command),
    ("filter out", command),
    ("skip", command), ("omit", command), ("omits", command), ("avoid", command), ("avoids", command),
    ("remove", command), ("drop", command),
    ("hide", command), ("ignore", command), ("disregard", command), ("ditch", command), ("rule out", command),
    ("take out", command),
    ("lose", command), ("hold", command), ("cut out", command), ("cut", command), ("keep out", command),
    ("refrain from", command), ("block", command),
    ("skips", that_omits), ("leaves out", that_omits), ("leaves off", that_omits), ("rules out", that_omits),
    ("bypass", that_omits), ("bypasses", that_omits), ("steers clear of", that_omits), ("stays clear of", that_omits),
    ("refuse to", refuses), ("refuses to", refuses),
    ("steer clear of", steer_clear), ("stay away from", steer_clear), ("keep away from", steer_clear),
    ("stay clear of", steer_clear), ("sick of", steer_clear), ("tired of", steer_clear), ("fed up with", steer_clear),
    ("had enough of", steer_clear),
    ("free of", free_of), ("free from", free_of), ("devoid of", free_of),
    ("lacking", lacking), ("lack", lacking), ("lacks", lacking),
    ("hate", hates), ("hates", hates), ("dislike", hates), ("dislikes", hates), ("detest", hates), ("detests", hates),
    ("loathe", hates), ("loathes", hates), ("despise", hates), ("can't stand", hates), ("can't bear", hates),
    ("allergic", allergic), ("intolerant", allergic), ("allergy", allergy), ("allergies", allergy),
    ("intolerance", allergy), ("nobody", nobody), ("no one", nobody), ("none", nobody), ("noone", nobody),
    ("never", never), ("than", than), ("excluded", excluded), ("off the table", excluded),
    ("out of the question", excluded),
    ("no-go", excluded), ("no go", excluded), ("not an option", excluded), ("out", excluded), ("unwanted", excluded),
    ("z wyj\u0105tkiem", except_), ("\u00e0 l'exception de", except_), ("\u00e0 l'exception des", except_),
    ("\u00e0 part", except_),
    ("a excepci\u00f3n de", except_), ("con excepci\u00f3n de", except_), ("mit ausnahme von", except_),
    ("mit ausnahme der", except_),
    ("met uitzondering van", except_), ("ad eccezione di", except_), ("com exce\u00e7\u00e3o de", except_),
    ("med undantag av", except_), ("med undantag f\u00f6r", except_), ("med undtagelse af", except_),
)  # fmt: skip
_BY_WORD: dict[str, list[tuple[tuple[str, ...], Reader]]] = {}
for _cue, _reader in _TABLE:
    _words = tuple(_cue.split())
    _BY_WORD.setdefault(_words[0], []).append((_words, _reader))
for _entries in _BY_WORD.values():
    _entries.sort(key=lambda entry: -len(entry[0]))

_AUXILIARIES = frozenset(
    "is are was were am do does did can could will would shall should must may might has have had".split()
)
_VERBAL_NO = frozenset(("es", "it", "pt", "pl"))
"""Languages in which "no" negates the verb, or is no negation."""
_MOST = 200  # findings of one message


def findings(m: Message) -> list[Finding]:
    """Return what a message rules out, in order; linear in its length."""
    found: list[Finding] = []
    found_in = sentences(m)
    i = 0
    while i < len(m.words) and len(found) < _MOST:
        finding = None if _closed(m, i) else _at(m, i, sentence_at(found_in, m, i))
        if finding is None:
            i += 1
        else:
            sentence = sentence_at(found_in, m, i)
            found.append(finding._replace(phrases=(), vague=False, shown=False) if sentence.soft else finding)
            i = max(i + 1, finding.end)
    return [f for f in found if f.phrases or f.vague or f.shown]


def _closed(m: Message, i: int) -> bool:
    """Whether no cue can begin at a word: within quotes, pasted or reported words, idioms, or a title."""
    word = m.words[i]
    if word.dead:
        return True
    if word.quote:
        return (i > 0 and m.words[i - 1].quote == word.quote) or minus_sign(m, i) is False
    return _in_title(m, i)


def minus_sign(m: Message, i: int) -> bool:
    """Whether a sign stands right before a word."""
    gap = m.words[i].gap.rstrip('"\u201c')
    return gap[-1:] in ("-", "\u2212", "!")


def _in_title(m: Message, i: int) -> bool:
    """A cue with a capital between capitals in a message that is not written so throughout is part of a title."""
    word = m.words[i]
    if not word.text[:1].isupper() or (word.text.isupper() and len(word.text) > 1):
        return False
    after = list(m.words[i + 1 : i + 4])
    capitals = bool(after) and after[0].text[:1].isupper() and not after[0].gap.strip()
    if not m.opens(i):
        before = m.words[i - 1]
        return (capitals or before.text[:1].isupper()) and not word.gap.strip()
    joined = any(w.low in ("and", "or") for w in after) or not _like_title(after)
    return (
        word.low in ("no", "not", "never", "nothing", "neither", "but")
        and capitals
        and not joined
        and sum(w.text[:1].isupper() for w in after) > 1
    )


def _like_title(after: list[Word]) -> bool:
    """Whether capitals stand around a small word ("No Country for Old Men"), or there are three of them."""
    return (all(w.text[:1].isupper() for w in after) and len(after) > 2) or (
        len(after) > 1 and not after[1].text[:1].isupper() and not after[1].gap.strip()
    )


def _at(m: Message, i: int, s: Sentence) -> Finding | None:
    low = m.low(i)
    if m.words[i].quote:
        return minus(m, i, s)
    if m.words[i].text == "NOT" and (found := upper_not(m, i)):
        return found
    if low.startswith("non"):
        return non(m, i, s)
    if low in FOREIGN and _is_foreign_cue(m, i):
        return _foreign(m, i, s)
    if low.endswith("n't") and (after := m.low(i + 1)):
        if after in ("stand", "bear") and low == "can't":
            return rules_out(m, i, i + 2, "list") if not s.fact else None
        return negated_verb(m, i, i + 1, s)
    if low == "not" and i > s.start and m.low(i - 1) in _AUXILIARIES:
        return negated_verb(m, i - 1, i + 1, s)
    if low == "no" and (found := answered_no(m, i, s)):
        return found
    if low == "no" and m.language in _VERBAL_NO:
        return None
    for words, reader in _BY_WORD.get(low, ()):
        if len(words) == 1 or all(m.low(i + k) == w for k, w in enumerate(words)):
            return reader(m, i, i + len(words), s)
    return minus(m, i, s)


def _is_foreign_cue(m: Message, i: int) -> bool:
    """A word that English has too is a cue only in its own language, or among words that English does not know."""
    languages = FOREIGN[m.low(i)]
    if not languages or m.language in languages:
        return True
    before = m.low(i - 1) if i else ""
    return m.language == "other" and bool(before) and not is_known(before) and m.low(i) != "no"


def _foreign(m: Message, i: int, s: Sentence) -> Finding | None:
    low = m.low(i)
    if low in ("nicht", "pas", "sans", "n\u00e3o"):
        parted = (
            m.opens(i)
            or "," in m.gap(i)
            or m.low(i - 1) in ("aber", "und", "mais", "et", "aus", "nur", "mas", "blo\u00df")
        )
        if low != "sans" and not parted and m.low(i + 1) not in ("de", "d", "aus", "von"):
            return None
    if s.wh and low in ("sans", "pas", "nicht", "kein", "keine", "keinen"):
        return None
    return rules_out(m, i, i + 1, "or" if low not in PAIRED else "list")
