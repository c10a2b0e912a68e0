"""Evaluating programs: runner, statistics, comparison, gate, report."""

from .runner import Budget, Evaluation, Journal, evaluate
from .scored import Scored

__all__ = ["Budget", "Evaluation", "Journal", "Scored", "evaluate"]
