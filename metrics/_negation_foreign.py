"""Cues of other languages: prepositions and determiners that rule out what follows them."""

from __future__ import annotations

#: Cue -> the languages in which it is one; none listed: in any text, since the word means nothing else in English.
FOREIGN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("ohne au\u00dfer ausser ausgenommen kein keine keinen keiner keinem weder noch".split(), ()),
    **dict.fromkeys(("nicht",), ("de",)),
    **dict.fromkeys("sauf hormis except\u00e9".split(), ()),
    **dict.fromkeys(("sans", "pas"), ("fr",)),
    **dict.fromkeys("excepto".split(), ()),
    **dict.fromkeys(("sin", "salvo"), ("es",)),
    **dict.fromkeys("senza tranne eccetto niente".split(), ()),
    **dict.fromkeys("exceto".split(), ()),
    **dict.fromkeys(("sem", "n\u00e3o"), ("pt",)),
    **dict.fromkeys("zonder behalve uitgezonderd geen".split(), ()),
    **dict.fromkeys("utan utom f\u00f6rutom inga inget".split(), ()),
    **dict.fromkeys(("uden", "undtagen", "ingen"), ()),
    **dict.fromkeys(("bez", "opr\u00f3cz"), ()),
    **dict.fromkeys(
        "\u0431\u0435\u0437 \u043a\u0440\u043e\u043c\u0435 \u043a\u0440\u0456\u043c".casefold().split(), ()
    ),
}
#: Those that come in pairs or lists ("weder A noch B").
PAIRED = frozenset(("weder", "noch"))
