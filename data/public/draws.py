"""Fixed rows of a set whose ids are not listed: a rule draws the same from a file, whatever the order of its rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from ._rows import PublicTurn

__all__ = ["DRAWS", "Draw"]


class Draw(NamedTuple):
    """A rule that draws turns.

    Attributes:
        seed: Stands before each id.
        rows: How many are drawn.
    """

    seed: int
    rows: int

    def of(self, turns: Iterable[PublicTurn]) -> list[PublicTurn]:
        """Return the turns whose SHA-256 of "<seed>:<id>" is smallest, in their order; all where there are fewer.

        Only turns with something said before and a rewrite are drawn: no other can be measured.
        """
        fit = [turn for turn in turns if turn.history and turn.rewrite]
        drawn = {turn.id for turn in sorted(fit, key=self._rank)[: self.rows]}
        return [turn for turn in fit if turn.id in drawn]

    def _rank(self, turn: PublicTurn) -> str:
        return hashlib.sha256(f"{self.seed}:{turn.id}".encode()).hexdigest()


DRAWS = {"qrecc": Draw(seed=7, rows=150)}
"""Set -> rule. QReCC: 150 turns of the file that is given, train or test.

They are of no unread half: some conversations are those of TREC CAsT, and of QuAC, which CANARD rewrites too.
"""
