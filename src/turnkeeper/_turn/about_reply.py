"""The reply to a turn that asks the documents nothing, whatever it is about."""

from __future__ import annotations

from .about import AboutTurn, Reply
from .about_answer import Rewriter, answer_reply
from .about_ledger import ledger_reply
from .about_sources import sources_reply
from .wording import small_talk


def reply(about: AboutTurn, rewriter: Rewriter | None = None) -> Reply:
    """Reply to small talk, or from ledger, registry and history; pure but for the rewriter.

    Raises:
        ValueError: The turn is a question, or clarifies one.
    """
    kind = about.reading.kind
    if kind == "about_ledger":
        return ledger_reply(about)
    if kind == "about_sources":
        return sources_reply(about)
    if kind == "about_answer":
        return answer_reply(about, rewriter)
    if kind == "social":
        return Reply(small_talk(about.query, about.language))
    raise ValueError(f"a turn of the kind {kind!r} asks the documents something")
