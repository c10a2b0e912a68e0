"""rewrite: the program that puts the sentences of an answer into other words; `_rewrite_rules` guards it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dspy

from ..signatures.rewrite_forms import RewriteSentences

_HOLE = {"max_tokens": 120, "stop": '"'}
_DEMOS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "Translate into German.",
        ("The mill on Dorn Lane is not open on Mondays.", "A guided tour costs 7 euros and lasts 40 minutes."),
        ("Die Mühle in der Dorn Lane ist montags nicht geöffnet.", "Eine Führung kostet 7 Euro und dauert 40 Minuten."),
    ),
    (
        "Say it in fewer words.",
        ("In order to hire a kayak, every visitor has to show a passport that is valid at the desk of Ilsa Brandt.",),
        ("To hire a kayak, visitors show a valid passport at Ilsa Brandt's desk.",),
    ),
    (
        "Say it in simple, everyday words.",
        ("The remuneration is disbursed on the 15th.", "Gratuities are not permitted."),
        ("The pay is paid out on the 15th.", "Tips are not allowed."),
    ),
    (
        "Translate into French.",
        ("Bring a towel, as Kettler Baths lends none.",),
        ("Apportez une serviette, car Kettler Baths n'en prête pas.",),
    ),
)


class Rewrite(dspy.Module):
    """Ask once for all sentences, one place for each, so that none can be dropped or joined."""

    def __init__(self) -> None:
        super().__init__()
        self.sentences = dspy.Predict(RewriteSentences)
        self.sentences.demos = [
            {"task": task, "sentences": numbered(before), "correction_feedback": "", "rewritten": list(after)}
            for task, before, after in _DEMOS
        ]

    def forward(self, *, task: str, sentences: Sequence[str], correction_feedback: str = "") -> dspy.Prediction:
        """Return a prediction whose `rewritten` is what the LM gave for the sentences."""
        return self.sentences(**_asked(task, sentences, correction_feedback))

    async def aforward(self, *, task: str, sentences: Sequence[str], correction_feedback: str = "") -> dspy.Prediction:
        """As `forward`, without blocking."""
        return await self.sentences.acall(**_asked(task, sentences, correction_feedback))


def numbered(sentences: Sequence[str]) -> str:
    """Return sentences as lines with their numbers."""
    return "\n".join(f"{number}. {' '.join(text.split())}" for number, text in enumerate(sentences, start=1))


def _asked(task: str, sentences: Sequence[str], feedback: str) -> dict[str, Any]:
    inputs: dict[str, Any] = {"task": task, "sentences": numbered(sentences), "correction_feedback": feedback}
    # Only an adapter that says so knows what a skeleton is; others would hand it to the LM as an option.
    if not getattr(dspy.settings.adapter, "takes_skeleton", False):
        return inputs
    skeleton: list[dict[str, Any]] = []
    lead = '{"rewritten": ["'
    for _ in sentences:
        skeleton += [{"text": lead}, {"hole": _HOLE}]
        lead = '", "'
    return {**inputs, "config": {"skeleton": [*skeleton, {"text": '"]}'}]}}
