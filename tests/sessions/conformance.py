"""What every session store must do: `CLAUSES`, one function a clause, each to be given a fresh store."""

from __future__ import annotations

from . import conformance_commits, conformance_reviews, conformance_rules, conformance_sessions
from ._clauses import CLAUSES, Clause

__all__ = [
    "CLAUSES",
    "Clause",
    "conformance_commits",
    "conformance_reviews",
    "conformance_rules",
    "conformance_sessions",
]
