"""Markers: known ids first, groups split, foreign and broken ones seen, look-alikes left alone."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._markers import find_markers, learnt

NUMBERS = frozenset({"1", "2", "3", "10"})
TAGS = frozenset(
    {"KILN-4", "HB-2", "A-1", "A-12", "B", "spec[2]", "Ena's Menu 2031.pdf", "§12.3(b)", "9 RC § 4g", "M\u00fcller"}
)


def _ids(text: str, known: frozenset[str], convention: str, documents: tuple[str, ...] = ()) -> list[str]:
    found = find_markers(text, known, convention, documents)  # type: ignore[arg-type]
    return [doc_id for marker in found for doc_id in marker.ids]


def _codes(text: str, known: frozenset[str], convention: str) -> set[str]:
    return {code for marker in find_markers(text, known, convention) for code in marker.codes}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Oil it [1].", ["1"]),
        ("Oil it [1][2].", ["1", "2"]),
        ("Oil it [1, 2].", ["1", "2"]),
        ("Oil it [1\uff0c2].", ["1", "2"]),
        ("Oil it [2; 10].", ["2", "10"]),
        ("Oil it.[3] Then wait.", ["3"]),
        ("Glue [10], sand [1].", ["10", "1"]),
        ("Unknown, yet a number [8].", ["8"]),
        ("Zero [0].", ["0"]),
    ],
)
def test_numbers_that_are_right(text: str, ids: list[str]) -> None:
    assert _ids(text, NUMBERS, "numeric") == ids
    assert _codes(text, NUMBERS, "numeric") == set()


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Fire it [Source: KILN-4].", ["KILN-4"]),
        ("Fire it [Source: KILN-4; HB-2].", ["KILN-4", "HB-2"]),
        ("Fire it [Source: KILN-4, HB-2].", ["KILN-4", "HB-2"]),
        ("Soup [Source: Ena's Menu 2031.pdf].", ["Ena's Menu 2031.pdf"]),
        ("Ropes [Source: §12.3(b)].", ["§12.3(b)"]),
        ("Plans [Source: 9 RC § 4g].", ["9 RC § 4g"]),
        ("Plans [Source: 9 RC § 4g-91].", ["9 RC § 4g-91"]),
        ("Size [Source: spec[2]].", ["spec[2]"]),
        ("Prefix [Source: A-12].", ["A-12"]),
        ("Unknown [Source: A-77].", ["A-77"]),
        ("Unknown [Source: Tan, P. 2031.pdf].", ["Tan, P. 2031.pdf"]),
        ("Unknown in a group [Source: A-1; Z-9].", ["A-1", "Z-9"]),
    ],
)
def test_tags_that_are_right(text: str, ids: list[str]) -> None:
    assert _ids(text, TAGS, "source_tag") == ids
    assert _codes(text, TAGS, "source_tag") == set()


def test_composed_and_decomposed_ids_are_one() -> None:
    assert _ids("So he says [Source: Mu\u0308ller].", TAGS, "source_tag") == ["M\u00fcller"]
    assert _ids("So he says [Source: M\u00fcller].", frozenset({"Mu\u0308ller"}), "source_tag") == ["M\u00fcller"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Nodes [1-3].", ["1", "2", "3"]),
        ("Nodes [1\u20133, 10].", ["1", "2", "3", "10"]),
        ("Nodes [1 to 3].", ["1", "2", "3"]),
        ("Holes [2-4].", ["2", "3", "4"]),
        ("Page [2, p. 4].", ["2"]),
        ("Line [2:14].", ["2"]),
        ("Joined [1 and 2].", ["1", "2"]),
        ("Blanks [ 1 ].", ["1"]),
        ("Doubled [[1]].", ["1"]),
        ("Closed otherwise [1).", ["1"]),
        ("Blank between [1 2].", ["1", "2"]),
        ("Not closed [1. The rest.\nNext line.", []),
        ("Suffix [6c].", []),
        ("Minus [-1].", []),
    ],
)
def test_right_style_broken(text: str, ids: list[str]) -> None:
    assert _ids(text, NUMBERS, "numeric") == ids
    assert _codes(text, NUMBERS, "numeric") == {"malformed_marker"}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("[Source: A-1, p. 3]", ["A-1"]),
        ("[Source: A-1 p. 3]", ["A-1"]),
        ("[Source: Z-9, p. 3]", ["Z-9"]),
        ("[source: A-1]", ["A-1"]),
        ("[Source:A-1]", ["A-1"]),
        ("[Source A-1]", ["A-1"]),
        ("[Sources: A-1, B]", ["A-1", "B"]),
        ("[Source: A-1; Source: B]", ["A-1", "B"]),
        ("[Source: A-1\u2013A-3]", ["A-1", "A-2", "A-3"]),
        ("[Source:\nA-1]", ["A-1"]),
        ("[Source: A-1 and much more.\nNext", []),
    ],
)
def test_a_tag_that_is_broken(text: str, ids: list[str]) -> None:
    assert _ids("So it is " + text + ".", TAGS, "source_tag") == ids
    assert _codes("So it is " + text + ".", TAGS, "source_tag") == {"malformed_marker"}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("At night [\u0662].", ["2"]),
        ("At night [\uff12].", ["2"]),
        ("At night \u30102\u3011.", ["2"]),
        ("At night \uff3b2\uff3d.", ["2"]),
        ("At night (2).", ["2"]),
        ("At night [Source: 2].", ["2"]),
        ("At night [^2].", []),
        ("At night\u00b2.", []),
        ("At night <sup>2</sup>.", []),
        ("At night \ue200cite\ue202turn0search2\ue201.", []),
        ("At night :contentReference[oaicite:2]{index=2}.", []),
    ],
)
def test_other_styles_in_a_session_of_numbers(text: str, ids: list[str]) -> None:
    assert _ids(text, NUMBERS, "numeric") == ids
    assert _codes(text, NUMBERS, "numeric") == {"convention_drift"}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("(Source: HB-2)", ["HB-2"]),
        ("\u3010Source: HB-2\u3011", ["HB-2"]),
        ("{Source: HB-2}", ["HB-2"]),
        ("[HB-2]", ["HB-2"]),
        ("(HB-2)", ["HB-2"]),
        ("[Ref: HB-2]", ["HB-2"]),
        ("[2]", []),
        ("[^2]", []),
        ("[Source: HB-2](https://x.example)", []),
    ],
)
def test_other_styles_in_a_session_of_tags(text: str, ids: list[str]) -> None:
    assert _ids(f"Bikes may stay {text}.", TAGS, "source_tag") == ids
    assert _codes(f"Bikes may stay {text}.", TAGS, "source_tag") == {"convention_drift"}


def test_a_dagger_drifts_and_is_broken() -> None:
    assert _ids("Boil it \u30102\u2020Udon\u3011.", NUMBERS, "numeric") == ["2"]
    assert _codes("Boil it \u30102\u2020Udon\u3011.", NUMBERS, "numeric") == {"convention_drift", "malformed_marker"}


@pytest.mark.parametrize(
    "text",
    [
        "Call `f[1]` or ``g[2] ` h``.",
        "```python\nx = [1]\n```",
        "~~~\nx = [1]\n\ny = [2]",
        "- a\n\n  ```\n  x = [1]\n  ```",
        "Text\n\n    x = [1]",
        "See [2](https://x.example/a) and ![1](b.png).",
        "See https://x.example/a?b[1]=2 there.",
        "Held in Re Tarn [1998] KLR 7.",
        "Sold in Brand v Oster [2004].",
        "Said he [sic] and [they] went [...].",
        "- [x] done\n- [ ] open",
        "A room of 10 m\u00b2 at 3 x\u00b2.",
        "(1) open it, (2) shut it",
        "Use crossref 2 here.",
    ],
)
def test_look_alikes(text: str) -> None:
    assert find_markers(text, NUMBERS, "numeric") == []


def test_quoted_brackets_are_the_documents_when_it_holds_them() -> None:
    sign = 'The sign reads "\u30103\u3011" [1].'
    assert _ids(sign, NUMBERS, "numeric", ("Sign: \u30103\u3011",)) == ["1"]
    assert _ids(sign, NUMBERS, "numeric") == ["3", "1"]
    assert _ids('He "pays at once [2]" [1].', NUMBERS, "numeric", ("who pays at once [2]",)) == ["1"]
    assert _ids("He pays at once [2].", NUMBERS, "numeric", ("who pays at once [2]",)) == ["2"]


@pytest.mark.parametrize(
    ("text", "ids", "codes"),
    [
        ("a [s1] [ID:0] [doc_alpha]", ["s1", "ID:0", "doc_alpha"], set()),
        ("a [6c]", ["6c"], set()),
        ("a [s1, doc_alpha]", ["s1", "doc_alpha"], set()),
        ("a [ID:0-3]", ["ID:0-3"], set()),
        ("a [two words] [sic] [t]he", [], set()),
        ("a [Source: s1]", ["s1"], {"convention_drift"}),
    ],
)
def test_bare_ids(text: str, ids: list[str], codes: set[str]) -> None:
    known = frozenset({"s1", "ID:0", "doc_alpha"})
    assert (_ids(text, known, "bare_id"), _codes(text, known, "bare_id")) == (ids, codes)


@pytest.mark.parametrize(
    ("text", "ids", "codes"),
    [
        ("a [^3] b.[^29]", ["^3", "^29"], set()),
        ("a [^4]", ["^4"], set()),
        ("a [29].", [], {"convention_drift"}),
        ("a [^3-5].", ["^3", "^4", "^5"], {"malformed_marker"}),
        ("a (^3).", ["^3"], {"convention_drift"}),
    ],
)
def test_footnotes(text: str, ids: list[str], codes: set[str]) -> None:
    known = frozenset({"^3", "^29"})
    assert (_ids(text, known, "footnote"), _codes(text, known, "footnote")) == (ids, codes)


@pytest.mark.parametrize(
    ("text", "ids", "codes"),
    [
        ("a [https://a.example/x].", ["https://a.example/x"], set()),
        ("a [https://a.example/x](https://a.example/x).", ["https://a.example/x"], set()),
        ("a [https://a.example/q?y[0]=1].", ["https://a.example/q?y[0]=1"], set()),
        ("a [https://b.example].", ["https://b.example"], set()),
        ("a [Guide](https://a.example/x).", [], set()),
        ("a <https://a.example/x>.", ["https://a.example/x"], {"convention_drift"}),
        ("a [1].", [], {"convention_drift"}),
    ],
)
def test_addresses(text: str, ids: list[str], codes: set[str]) -> None:
    known = frozenset({"https://a.example/x", "https://a.example/q?y[0]=1"})
    assert (_ids(text, known, "url"), _codes(text, known, "url")) == (ids, codes)


@pytest.mark.parametrize(
    ("text", "convention"),
    [
        ("So [1", "numeric"),
        ("So [1, 2, 3, 4, 5", "numeric"),
        ("So [", "numeric"),
        ("So [Sour", "source_tag"),
        ("So [Source: KI", "source_tag"),
        ("So (Source: KI", "source_tag"),
        ("So [^", "footnote"),
        ("So [doc_al", "bare_id"),
        ("So [htt", "url"),
    ],
)
def test_cut_off_at_the_end(text: str, convention: str) -> None:
    assert _ids(text, NUMBERS, convention) == []
    assert _codes(text, NUMBERS, convention) == {"partial_marker"}


def test_sections_hold_no_markers() -> None:
    text = "Oil it [1].\n\nSources:\n- 1: Guide [2]\n\nMore [3]."
    assert _ids(text, NUMBERS, "numeric") == ["1", "3"]


@pytest.mark.parametrize(
    ("text", "known", "convention"),
    [
        ("a [Source: X-1]", {"X-1"}, "source_tag"),
        ("a [1]", {"1"}, "numeric"),
        ("a [X-1]", {"X-1"}, "bare_id"),
        ("a [^1]", {"^1"}, "footnote"),
        ("a [https://a.example]", {"https://a.example"}, "url"),
        ("nothing [sic]", {"X-1"}, "source_tag"),
    ],
)
def test_the_convention_of_the_first_citation(text: str, known: set[str], convention: str) -> None:
    assert learnt(text, frozenset(known)) == convention
