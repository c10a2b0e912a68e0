"""A reader in place of an LM: it answers every step of a turn by rules, from nothing but its prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import repeat
from typing import Any

import dspy
from dspy.lm15 import Request

from turnkeeper.signatures.types import Passage

from ..scripted import prompt_of, scripted

HIRE = Passage(doc_id="LAKE-1", title="Boat hire", text="A rowing boat costs 14 euros an hour.")
HOURS = Passage(doc_id="LAKE-2", title="Boathouse hours", text="The boathouse opens at 9:30 from May to September.")
NIGHT = Passage(doc_id="LAKE-3", title="Night trips", text="Night trips on the lake leave at 21:00 on Fridays.")
SAUNA = Passage(doc_id="LAKE-4", title="Shore sauna", text="The shore sauna seats eight guests.")
LAKE = (HIRE, HOURS, NIGHT, SAUNA)
FACTS = {"rowing boat": HIRE.text, "boathouse": HOURS.text, "night trip": NIGHT.text, "sauna": SAUNA.text}
"""What a question is about, and the sentence that answers it."""

ASK_HIRE = "How much does a rowing boat cost?"
ASK_HOURS = "When does the boathouse open?"
ASK_NIGHT = "When do the night trips leave?"
ASK_SAUNA = "How many guests does the shore sauna seat?"

_STEPS = {
    "referents": "reformulate",
    "standalone_query": "reformulate",
    "terms": "expand",
    "decisions": "carry_forward",
}
_ASKED = re.compile(r'Answer with one line of JSON: \{"(\w+)"')


class Reader:
    """Answers a question where one of its passages holds the sentence for it, and says so where none does.

    Args:
        facts: What a question is about to the sentence that answers it.
        referents: Mention to what it stands for.
        terms: What expand adds.
        rewrites: Query to its standalone form, where reformulate asks for the whole of it.
    """

    def __init__(
        self,
        facts: Mapping[str, str] | None = None,
        referents: Mapping[str, str] | None = None,
        terms: tuple[str, ...] = (),
        rewrites: Mapping[str, str] | None = None,
    ) -> None:
        self.facts = dict(FACTS if facts is None else facts)
        self.referents = dict(referents or {})
        self.terms = terms
        self.rewrites = dict(rewrites or {})
        self.asked: list[tuple[str, str]] = []
        self.trouble: dict[str, Any] = {}

    def __call__(self, request: Request) -> str:
        prompt = prompt_of(request)
        field = _ASKED.findall(prompt)[0]
        step = _STEPS.get(field, "cite")
        self.asked.append((step, prompt))
        trouble = self.trouble.get(step)
        if isinstance(trouble, Exception):
            raise trouble
        if trouble is not None:
            return str(trouble)
        return json.dumps(getattr(self, f"_{step}")(prompt.split("\n", 1)[1]))

    def steps(self) -> list[str]:
        """Return the steps that were asked so far, in order, and forget them."""
        steps = [step for step, _ in self.asked]
        self.asked.clear()
        return steps

    def prompts(self, step: str) -> list[str]:
        """Return what a step was asked."""
        return [prompt for name, prompt in self.asked if name == step]

    def _reformulate(self, prompt: str) -> Any:
        if '{"standalone_query"' in prompt:
            query = re.findall(r"^Query: (.*)$", prompt, re.M)[-1]
            return {"standalone_query": self.rewrites.get(query, query)}
        mentions = json.loads(re.findall(r"^Mentions: (.*)$", prompt, re.M)[-1])
        return {"referents": [{"mention": m, "referent": self.referents.get(m, "")} for m in mentions]}

    def _expand(self, prompt: str) -> Any:
        return {"terms": list(self.terms)}

    def _cite(self, prompt: str) -> Any:
        question = re.findall(r"^Question: (.*)$", prompt, re.M)[-1]
        fact, number = self._found(question, _numbered(prompt, "Sources"))
        return {"answer": f"{fact[:-1]} [{number}]." if fact else "NO_EVIDENCE"}

    def _carry_forward(self, prompt: str) -> Any:
        decisions = []
        passages = _numbered(prompt, "Passages")
        for number, question in re.findall(r"(\d+)\. (.*)$", prompt.split("Questions:")[-1], re.M):
            fact, source = self._found(question, passages)
            answer = f"{fact[:-1]} [{source}]." if fact else "MISSING: the passage on it"
            decisions.append({"question": int(number), "answer": answer})
        return {"decisions": decisions}

    def _found(self, question: str, passages: Mapping[int, str]) -> tuple[str, int]:
        for about, fact in self.facts.items():
            if about in question.casefold():
                return next(((fact, n) for n, text in passages.items() if fact in text), ("", 0))
        return "", 0


def _numbered(prompt: str, label: str) -> dict[int, str]:
    section = prompt.split(f"\n{label}:")[-1].split("\nQuestion")[0].split("\nHistory:")[0]
    return {int(number): text for number, text in re.findall(r"\[(\d+)\] (.*)$", section, re.M)}


def lm_of(reader: Reader, **options: Any) -> dspy.LM:
    """Return an LM that the reader answers, without a cache of its own."""
    return scripted(*repeat(reader, 2_000), cache=False, **options)


def codes(result: Any) -> list[str]:
    """Return the codes of a turn's warnings, but for the one that says that no program was compiled."""
    return [notice.code for notice in result.warnings if notice.code != "zero_shot"]
