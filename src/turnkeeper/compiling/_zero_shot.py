"""`zero-shot`: no proposal at all. The bare program as it was written is scored: the row that a grid compares with."""

from __future__ import annotations

from .parameters import NoOptions
from .task import CompileTask, Proposals


class ZeroShot:
    """Propose nothing; the search scores the zero-shot programs by itself."""

    options = NoOptions

    def propose(self, task: CompileTask) -> Proposals:
        yield from ()
