"""The report: what its tables and figures say, and that no text of a row, a model or a file is anything but text."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from turnkeeper.compiling.experiment import read_experiment
from turnkeeper.compiling.results import Results
from turnkeeper.data.reformulate import load
from turnkeeper.errors import InputError, RowError
from turnkeeper.evaluation.curve import learned, read_results
from turnkeeper.evaluation.files import Saved
from turnkeeper.evaluation.keys import row_digest
from turnkeeper.evaluation.languages import with_languages
from turnkeeper.evaluation.markdown import markdown, text
from turnkeeper.evaluation.pareto import spent, undominated
from turnkeeper.evaluation.report import report
from turnkeeper.evaluation.scored import Scored
from turnkeeper.evaluation.summary import summarize
from turnkeeper.evaluation.svg import Mark, chart

HOSTILE = [
    "<script>alert(1)</script>", "</title><img src=x onerror=alert(1)>", '" onmouseover="alert(1)', "&lt;b&gt;",
    "| a | b |\n|---|---|\n# head", "[click](javascript:alert(1))", "![x](https://evil.example/x.png)",
    "`code` **bold** <b>html</b> https://evil.example www.evil.example",
    "\x1b[2J\x00\u202egnp", "]]>--><!--", "$x$ $y$",
]  # fmt: skip


def rows(name: str, scores: list[float], **changes: Any) -> Saved:
    made = [
        Scored(
            id=f"r{n}", kind=("thing", "noise")[n % 2], language=("en", "de")[n % 2], family=f"f{n // 2}", score=score,
            components={"form": 1.0}, prediction={"standalone_query": f"said {n}"}, lm_calls=1, prompt_tokens=90,
            completion_tokens=10, latency_ms=500.0,
        ).model_copy(update=changes)
        for n, score in enumerate(scores)
    ]  # fmt: skip
    return Saved(Path(f"{name}.jsonl"), made, {"behaviour": "reformulate"})


class Page(HTMLParser):
    """Tags and attributes of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words += data


def hostile(attack: str) -> list[Saved]:
    bad = rows("x", [0.1] * 8)
    attacked = [
        row.model_copy(update={
            "id": f"{attack}{n}", "kind": attack, "family": attack, "language": attack, "feedback": attack,
            "prediction": {"standalone_query": attack}, "violations": (attack,), "components": {attack: 0.5},
        })
        for n, row in enumerate(bad.rows)
    ]  # fmt: skip
    about = {"behaviour": "reformulate", "program": attack, "lm": attack}
    good = [row.model_copy(update={"score": 1.0, "violations": ()}) for row in attacked]
    return [Saved(Path(f"{attack.replace('/', '')}.jsonl"), each, about) for each in (attacked, good)]


@pytest.mark.parametrize("attack", HOSTILE)
def test_no_text_is_markup_in_the_page(attack: str) -> None:
    results = [
        {"key": k, "train_rows": n, "seed": 0, "lm": attack, "dev_interval": INTERVAL} for k, n in (("a", 9), ("b", 18))
    ]
    page = Page(report(hostile(attack), curve=learned(results)))
    assert page.tags <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "b", "i", "span", "br", "table", "tr", "th",
        "td", "figure", "figcaption", "svg", "g", "path", "circle", "text", "polyline", "div", "bdi",
    }  # fmt: skip
    assert not {name for name in page.names if name.startswith("on") or name in ("src", "href")}
    assert "".join(attack.split())[:20] in "".join(page.words.split()) or not attack.isprintable()


LOADS = ("src", "href", "srcset", "data", "action", "formaction", "poster", "background", "xlink:href", "style")


@pytest.mark.parametrize(
    "attack", ["</style><style>@import 'https://evil.example/x.css';", "<img src=https://evil.example/x.png>", *HOSTILE]
)
def test_a_page_asks_nothing_of_elsewhere_and_runs_nothing(attack: str) -> None:
    text = report(hostile(attack))
    page = Page(text)
    assert not page.names & set(LOADS) - {"style"} and not page.tags & {"script", "link", "img", "iframe", "object"}
    assert set(re.findall(r'<[^>]* style="([^"]*)"', text)) <= {f"width:{n}%" for n in range(101)}
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert "url(" not in style and "@import" not in style and text.count("<style") == 1
    assert "default-src 'none'; style-src 'unsafe-inline'" in text


def test_long_lines_are_cut_and_direction_marks_are_shown() -> None:
    long, turned = "x" * 10_000, "\u202egnp.exe"
    names = [saved._replace(path=Path(f"{long[:250]}.jsonl")) for saved in hostile(turned)[:1]]
    text = report(names)
    assert "\u202e" not in text and "\ufffdgnp.exe" in text
    assert max(map(len, re.findall(r"x+", report(hostile(long)[:1])))) <= 400
    assert "<th>" + "x" * 60 + "…</th>" in text
    assert "👩\u200d👩\u200d👧" in report(hostile("👩\u200d👩\u200d👧")[:1]), "joined emoji stay joined"


def test_axes_have_round_numbers_and_series_at_one_place_stand_side_by_side() -> None:
    marks = [Mark(name, 50, 0.5, 0.31, 0.78) for name in ("one", "two", "three")]
    figure = ElementTree.fromstring(chart(marks, title="t", x_label="rows", joined=True))
    said = [element.text for element in figure.iter("text")]
    assert [f"{n / 10:g}" for n in range(3, 9)] == [text for text in said if text and text.startswith("0.")]
    assert {"0", "20", "40", "60"} <= set(said) and {"one", "two", "three"} <= set(said)
    points = [circle.get("cx") for circle in figure.iter("circle") if circle.get("fill") != "none"][:3]
    assert len(set(points)) == 3
    tiny = chart([Mark("a", 0.0011, 0.5, 0.5, 0.5)], title="t", x_label="s")
    assert "0.0005" in tiny and "0.00026" not in tiny


@pytest.mark.parametrize("attack", HOSTILE)
def test_no_text_is_markup_in_markdown(attack: str) -> None:
    told = markdown(hostile(attack))
    html = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table").render(told)
    page = Page(html)
    assert page.tags <= {"h1", "h2", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert "https://" not in told and "www.evil" not in told
    cells = {
        line.count("|") - line.count("\\|")
        for line in told.splitlines()
        if line.startswith("| flip") or "bad to" in line
    }
    assert cells <= {5, 0}, "a row of a table has as many cells as its head"


def test_text_reads_as_it_was_written() -> None:
    shown = Page(MarkdownIt().render(text("a*b_c [d](e) <f> & `g` | h: 1.5 #2"))).words.strip()
    assert shown == "a*b_c [d](e) <f> & `g` | h: 1.5 #2"


def test_kinds_and_languages_have_tables_with_intervals() -> None:
    page = report([rows("one", [0.2, 0.9] * 8)])
    assert "<h2>Score by kind</h2>" in page and "<h2>Score by language</h2>" in page
    assert re.search(r"<td>de</td><td>8</td><td>0\.900 \[0\.900, 0\.900\]", page)
    assert "| de | 8 | 0.900 \\[0.900, 0.900\\] |" in markdown([rows("one", [0.2, 0.9] * 8)])


def test_intervals_are_by_family() -> None:
    alone = rows("alone", [0.0, 1.0] * 24).rows
    together = [row.model_copy(update={"family": f"f{n % 2}-{n // 16}"}) for n, row in enumerate(alone)]
    apart = [row.model_copy(update={"family": f"f{n}"}) for n, row in enumerate(alone)]
    wide, narrow = (summarize(some).components["score"] for some in (together, apart))
    assert (wide.families, narrow.families) == (6, 48)
    assert wide.high - wide.low > 1.8 * (narrow.high - narrow.low)


def test_rows_of_one_conversation_have_a_mean_and_no_interval() -> None:
    one, other = [rows(name, [score, 0.9] * 8) for name, score in (("one", 0.2), ("other", 0.5))]
    talk = [saved._replace(rows=[r.model_copy(update={"family": "f0"}) for r in saved.rows]) for saved in (one, other)]
    page, told = report(talk), markdown(talk)
    assert "<td>en</td><td>8</td><td>0.200<span" in page and "| en | 8 | 0.200 | 0.500 |" in told
    assert "<td>+0.150</td><td>no claim: rows of 1 conversation</td>" in page
    assert "| +0.150 | no claim: rows of 1 conversation |" in told
    for each in (page, told):
        assert "nan" not in each.lower() and "fewer than 6 conversations" in each
    assert page.count("<circle") > 4, "a point without an interval is drawn all the same"
    assert summarize(talk[0].rows).as_json()["languages"]["en"] == {
        "mean": 0.2, "low": None, "high": None, "rows": 8, "families": 1
    }  # fmt: skip


def test_a_learning_curve_takes_results_without_an_interval_and_results_of_older_versions() -> None:
    said = {"mean": 0.5, "low": None, "high": None, "rows": 40, "families": 3}
    old = {"mean": 0.5, "low": 0.4, "high": 0.6, "rows": 40}
    results = [
        {"key": k, "train_rows": n, "seed": 0, "dev_interval": each} for k, n, each in (("a", 9, said), ("b", 18, old))
    ]
    without, older = (point.score for point in learned(results))
    assert not without.known and math.isnan(without.low) and without.families == 3
    assert older.known and (older.low, older.high, older.families) == (0.4, 0.6, None)
    page = report([rows("one", [0.2, 0.9] * 8)], curve=learned(results))
    assert "nan" not in page.lower().split("learning curve")[1]


def test_what_nothing_beats_in_score_and_cost_is_on_the_front() -> None:
    assert undominated([1, 2, 3, 3], [0.5, 0.4, 0.9, 0.8]) == [True, False, True, False]
    assert undominated([1, 1], [0.5, 0.5]) == [True, True]
    assert undominated([1, math.nan], [0.1, 0.9]) == [True, False]


def test_cost_is_tokens_and_seconds_a_row() -> None:
    cheap, dear = rows("cheap", [0.5] * 8), rows("dear", [0.5] * 8, prompt_tokens=300, latency_ms=100.0)
    one, other = spent([cheap, dear], [summarize(cheap.rows), summarize(dear.rows)])
    assert (one.tokens, one.seconds, one.cheapest, one.fastest) == (100.0, 0.5, True, False)
    assert (other.tokens, other.seconds, other.cheapest, other.fastest) == (310.0, 0.1, False, True)
    page = report([cheap, dear])
    assert (
        page.count("<svg") == 2 and "Quality against cost" in page and "Quality against cost" in markdown([cheap, dear])
    )


def test_a_figure_is_well_formed_and_says_its_numbers() -> None:
    made = chart([Mark("a & b", 10, 0.5, 0.4, 0.6), Mark("c", 20, math.nan, 0, 1)], title='t "<', x_label="x")
    figure = ElementTree.fromstring(made)
    said = [element.text for element in figure.iter("title")]
    assert "a & b: 0.500 [0.400, 0.600]" in said and len(list(figure.iter("circle"))) == 3
    assert chart([], title="t", x_label="x") == ""
    ElementTree.fromstring(chart([Mark("a", 0, 1, 1, 1)], title="t", x_label="x", joined=True))


INTERVAL = {"mean": 0.5, "low": 0.4, "high": 0.6, "rows": 30}


def test_a_learning_curve_needs_two_numbers_of_rows_on_one_line() -> None:
    cells = [
        {"key": "a", "lm": "m", "optimizer": "labeled", "seed": 0, "train_rows": 50, "dev_interval": INTERVAL},
        {"key": "b", "lm": "m", "optimizer": "labeled", "seed": 0, "train_rows": 100, "test_interval": INTERVAL},
        {"key": "c", "lm": "m", "optimizer": "bootstrap", "seed": 0, "train_rows": 50, "dev_interval": INTERVAL},
        {"key": "d", "lm": "m", "optimizer": "labeled", "seed": 0, "train_rows": None, "dev_interval": INTERVAL},
    ]
    points = learned(cells)
    assert [(p.series, p.rows, p.split) for p in points] == [("m, labeled", 50, "dev"), ("m, labeled", 100, "test")]
    page = report([rows("one", [0.5] * 8)], curve=points)
    assert "Learning curve" in page and "<polyline" in page and page.count("<svg") == 3
    assert "## Learning curve" in markdown([rows("one", [0.5] * 8)], curve=points)


def test_a_torn_result_is_passed_over_and_another_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps({"key": "a"}) + '\n{"key": "b", "se')
    assert [row["key"] for row in read_results(path)] == ["a"]
    path.write_text('{"id": 1}\n')
    with pytest.raises(RowError, match="field `key`"):
        read_results(path)
    path.write_text("")
    with pytest.raises(InputError, match="holds no result"):
        read_results(path)


def test_a_line_torn_before_a_resume_is_passed_over_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    place = {"optimizer": "labeled", "seed": 0}
    Results(path).add({"key": "a", **place, "train_rows": 50})
    with path.open("ab") as file:
        file.write(b'{"key": "b", "de')
    Results(path).add({"key": "c", **place, "train_rows": 100})
    skipped: list[int] = []
    assert [row["key"] for row in read_results(path, skipped.append)] == ["a", "c"] and skipped == [1]


def test_a_cell_that_was_computed_anew_stands_for_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    place = dict.fromkeys(("behaviour", "lm", "optimizer", "adapter", "form"), "x") | {"demos": None, "seed": 0}
    again = (("a", 50), ("b", 100), ("c", 50))  # another budget or golden set: another key, the same place
    for key, train in again:
        Results(path).add({"key": key, **place, "train_rows": train, "dev_interval": INTERVAL})
    found = read_results(path)
    assert {row["key"] for row in found} == {"b", "c"} and len(learned(found)) == 2
    Results(path).add({"key": "d", **place, "train_rows": 50, "behaviour": "y"})
    Results(path).add({"key": "e", **place, "train_rows": 50, "seed": 1})
    assert {row["key"] for row in read_results(path)} == {"b", "c", "d", "e"}


def test_what_tells_results_apart_is_every_axis_of_a_grid(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text("[grid]\nseed = [0]\n")
    [cell] = read_experiment(tmp_path / "grid.toml", tmp_path).cells
    path = tmp_path / "results.jsonl"
    for name in cell.axes:
        path.unlink(missing_ok=True)
        Results(path).add({"key": "a", **cell.axes})
        Results(path).add({"key": "b", **cell.axes, name: "another"})
        assert len(read_results(path)) == 2, name


def test_rows_of_an_older_file_get_the_language_of_their_golden_row() -> None:
    golden = next(row for row in load("dev") if row.language != "en")
    old = Scored(id=golden.id, kind="k", family="f", row_digest=row_digest(golden), score=1.0)
    changed = old.model_copy(update={"row_digest": "0" * 16})
    saved = Saved(Path("x.jsonl"), [old, changed], {"behaviour": "reformulate", "split": "dev"})
    assert [row.language for row in with_languages(saved).rows] == [golden.language, ""]


def test_figures_as_png(tmp_path: Path) -> None:
    plots = pytest.importorskip("matplotlib") and __import__("turnkeeper._plots", fromlist=["save_report"])
    attack = "$\\frac{$ <b> \x1b"
    points = learned(
        [
            {"key": k, "train_rows": n, "seed": 0, "lm": attack, "dev_interval": INTERVAL}
            for k, n in (("a", 9), ("b", 18))
        ]
    )
    plots.save_report(tmp_path / "r.png", hostile(attack), points)
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG") and len(list(tmp_path.iterdir())) == 1
