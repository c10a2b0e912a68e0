"""Run cite against models that mean harm, and count what comes through.

usage: python benchmarks/hostile_citations.py [outputs] [sessions] [injections] [--outputs 10000] [--sessions 200]
       [--turns 20] [--injections 600] [--seed 7] [--show N] [--json]

outputs: answers made from the golden train and dev rows with a seed, kind after kind (`_citation_attacks.py`); half
of them pass through the guard of cite in both forms (a retry gets the same answer), half are predictions of another
program that pass through the checks. Offence: an answer that is shown, or that the checks accept, cites an id in
neither registry nor context or out of scope, or holds anything else that looks like a citation.
sessions: see `_citation_arms.py`; the guard with its registry, and beside it the same model's text taken as it is.
injections: see `_citation_injections.py`; a model that obeys each, and what it changed, at once and one turn later.

The judge (`_citation_oracle.py`) shares no code with the checks. Exit code 1 unless the guard lets nothing through.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import dspy
from _citation_attacks import HARMLESS, KINDS, fields, make
from _citation_cases import HIDDEN, Case, cases
from _citation_oracle import legitimate, offences, told
from dspy.lm15 import Message, Request, Response, Usage

from turnkeeper.adapters import get_adapter
from turnkeeper.metrics.cite import check
from turnkeeper.modules._cite_evidence import evidence
from turnkeeper.modules._cite_rules import CiteBehaviour
from turnkeeper.modules._guard import Guard
from turnkeeper.modules.cite import Cite
from turnkeeper.signatures.cite import ABSTENTION
from turnkeeper.signatures.cite_forms import FORMS

ALL_KINDS = (*KINDS, HARMLESS)


class Puppet:
    """An engine whose answers a function makes from the request."""

    supports_response_schema = True
    supported_params = ("temperature", "max_tokens", "stop", "response_format", "seed")
    supports_skeleton = False

    def __init__(self, answer: Callable[[Request], str]) -> None:
        self.answer = answer
        self.calls = 0

    def complete(self, request: Request) -> Response:
        self.calls += 1
        message, usage = Message.assistant(self.answer(request)), Usage(input_tokens=1, output_tokens=1)
        return Response(id="puppet", model=request.model, message=message, finish_reason="stop", usage=usage)

    def __deepcopy__(self, memo: dict[int, Any]) -> Puppet:
        return self


def guarded(answer: Callable[[Request], str], form: Any = "handles") -> Guard[Any, Any]:
    """Return the guard of cite over a puppet."""
    lm = dspy.LM("scripted/puppet", engine=Puppet(answer), temperature=0.0, num_retries=0, cache=False)
    return Guard(CiteBehaviour(), Cite(form), lm=lm, adapter=get_adapter("compact"), cache_size=0)


def reply(form: str, answer: str) -> str:
    """Return an answer as the reply of a form."""
    if form == "handles":
        return json.dumps({"answer": answer}, ensure_ascii=False)
    numbers = [int(n) for n in answer.replace("]", "[").split("[") if n.isascii() and n.isdigit() and len(n) < 5]
    return json.dumps({"claims": [{"sentence": answer[:300], "sources": numbers[:3]}]}, ensure_ascii=False)


class Arena:
    """The guards of both forms over one puppet, and the checks alone."""

    def __init__(self) -> None:
        self._said = ""
        self._guards = {form: guarded(lambda request: self._said, form) for form in FORMS}

    def run(self, case: Case, form: str, text: str) -> Any:
        self._said = text
        return self._guards[form](**case.inputs)


def outputs(known: Sequence[Case], number: int, seed: int, show: int = 0) -> dict[str, Counter[str]]:
    """Return the counts by kind of attack: outputs, offences, shown, fallback, registry (changes nobody cited)."""
    rng, arena = random.Random(seed), Arena()
    found = {kind: Counter[str]() for kind in ALL_KINDS}
    for n in range(number):
        kind = ALL_KINDS[n % len(ALL_KINDS)]
        case, counts = rng.choice(known), found[kind]
        given = case.inputs
        handles = {
            item.doc_id: place
            for place, item in enumerate(evidence(given["registry"], given["context"], given["access_scope"]), 1)
        }
        foreign = (n // len(ALL_KINDS)) % 2 == 1
        attack = make(rng, case, kind, foreign=foreign, handles=handles)
        changed: list[str] = []
        if foreign:
            prediction = fields(rng, case, attack)
            passed = not check(
                registry=given["registry"], context=given["context"], question=given["query"], prediction=prediction,
                access_scope=given["access_scope"],
            )  # fmt: skip
            shown: Any = prediction if passed else None
        else:
            form = FORMS[(n // len(ALL_KINDS) // 2) % 2]
            shown = arena.run(case, form, attack.raw or reply(form, attack.answer))
            changed = legitimate(given["registry"], shown.registry, case.allowed, shown.answer)
            counts["fallback"] += shown.fallback
        wrong = [] if shown is None else offences(told(shown), case.allowed, case.convention, (*case.forged, HIDDEN))
        counts["outputs"] += 1
        counts["shown"] += shown is not None and told(shown).answer != ABSTENTION
        counts["offences"] += bool(wrong)
        counts["registry"] += bool(changed)
        if show and (wrong or changed):
            show -= 1
            print(f"{kind} [{case.id}, {case.convention}, foreign={foreign}] {attack.raw or attack.answer[:400]!r}\n"
                  f"  -> {told(shown).answer[:300]!r} {wrong[:3]} {changed[:2]}", file=sys.stderr)  # fmt: skip
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    from _citation_arms import run as run_sessions
    from _citation_injections import run as run_injections

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=["outputs", "sessions", "injections", []], default=[])
    parser.add_argument("--outputs", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--injections", type=int, default=600)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=0, help="how many offences to print")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    parts = options.parts or ["outputs", "sessions", "injections"]
    figures: dict[str, Any] = {"seed": options.seed}
    bad = 0
    if "outputs" in parts:
        found = outputs(list(cases()), options.outputs, options.seed, options.show)
        total: Counter[str] = sum(found.values(), Counter())
        figures["outputs"] = {"total": total, "kinds": found}
        bad += total["offences"] + total["registry"]
    if "sessions" in parts:
        arms = run_sessions(options.sessions, options.turns, options.seed, options.show)
        figures["sessions"] = {"n": options.sessions, "turns": options.turns, **arms}
        kept = arms["registry and guard"]
        bad += kept["fabricated"] + kept["format drift"] + (kept["stability"] < 1.0)
    if "injections" in parts:
        harm = run_injections(options.injections, options.seed, options.show)
        figures["injections"] = harm
        bad += sum(harm[name] for name in ("registry", "scope", "ledger", "shown", "one turn later"))
    print(json.dumps(figures, indent=1) if options.json else _table(figures))
    return 1 if bad else 0


def _table(figures: dict[str, Any]) -> str:
    lines = [f"seed {figures['seed']}"]
    if "outputs" in figures:
        names = ("outputs", "offences", "registry", "shown", "fallback")
        lines += ["", "| attack | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
        for kind, counts in (*figures["outputs"]["kinds"].items(), ("all", figures["outputs"]["total"])):
            lines.append(f"| {kind} | " + " | ".join(str(counts[name]) for name in names) + " |")
    if "sessions" in figures:
        arms = {name: arm for name, arm in figures["sessions"].items() if isinstance(arm, dict)}
        rows = list(next(iter(arms.values())))
        lines += ["", f"| {figures['sessions']['n']} sessions of {figures['sessions']['turns']} turns | "
                  + " | ".join(arms) + " |", "|---|" + "---:|" * len(arms)]  # fmt: skip
        lines += [f"| {row} | " + " | ".join(f"{arm[row]:.3f}" if isinstance(arm[row], float) else str(arm[row])
                                             for arm in arms.values()) + " |" for row in rows]  # fmt: skip
    if "injections" in figures:
        lines += ["", "injections: " + ", ".join(f"{name} {count}" for name, count in figures["injections"].items())]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
