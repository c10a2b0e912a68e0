"""The step behind "shorter please" and "in German": an LM is asked for the words, code keeps what they cite."""

from __future__ import annotations

from typing import Any, Final

from ..adapters import get_adapter
from ..errors import TurnkeeperError
from ..modules._guard import Guard, Scrub
from ..modules._rewrite_rules import RewriteBehaviour
from ..modules.rewrite import Rewrite as Program
from ..signatures.rewrite import RewriteResult
from ..signatures.types import Notice, Turn
from .about import AboutTurn
from .about_answer import Rewrite, Rewriter, rewritable, statements
from .answer import body_of
from .prompted import scrubbed_turns
from .steps import AUTO, Step
from .talk import Talk
from .tallied import Tallied
from .work import Flow

NO_REWRITER: Final = Notice(code="no_rewriter", message="There is no LM that could put the answer into other words.")


def rewriting_guard(lm: Any, *, adapter: Any = None, scrub: Scrub | None = None) -> Guard[Any, RewriteResult]:
    """Return the guard that rewrites with an LM, sync and async."""
    return Guard(RewriteBehaviour(), Program(), lm=lm, adapter=adapter or get_adapter("compact"), scrub=scrub)


def rewriter_by_default(given: Any, answerer: Any, scrub: Scrub | None) -> Any:
    """Return the step that rewrites where no LM was named: on the LM that answers, and none where no LM does."""
    if given != AUTO or answerer == AUTO:
        return given
    return rewriting_guard(answerer.lm, adapter=answerer.adapter, scrub=scrub) if isinstance(answerer, Guard) else None


def rewriter_for(talk: Talk, about: AboutTurn, tallied: Tallied) -> Flow[Rewriter | None]:
    """Ask for the last answer in the wanted words, where a turn needs that; None where nothing usable came."""
    last = rewritable(about) if about.reading.kind == "about_answer" else None
    step = _step(talk, tallied) if last is not None else None
    if last is None or step is None:
        return None
    body = body_of(last.answer)
    wanted = Rewrite(about.reading.aspect, about.reading.topic, body)
    inputs: dict[str, Any] = wanted._asdict()
    if not step.own:
        shown = yield from scrubbed_turns(talk, (Turn(role="assistant", content=body),), tallied)
        if not shown:
            return None
        inputs["text"] = shown[0].content
    else:
        inputs = {
            "aspect": wanted.aspect,
            "topic": wanted.topic,
            "sentences": statements(body, about.state.registry),
            "registry": about.state.registry,
            "question": f"{last.query} {last.standalone_query}".strip(),
            "access_scope": about.scope,
            "listed": all(line.lstrip().startswith(("- ", "* ")) for line in body.splitlines() if line.strip()),
        }
    [done] = yield (step.work(**inputs),)
    result = done.value if isinstance(done.value, (RewriteResult, str)) else None
    tallied.step(done, result)
    told = result.text if isinstance(result, RewriteResult) else result
    return (lambda _: told) if told else None


def _step(talk: Talk, tallied: Tallied) -> Step | None:
    try:
        step = talk.steps.get("rewrite")
    except TurnkeeperError:  # no LM can be had: the answer is there all the same
        step = None
    if step is None:
        tallied.warn([NO_REWRITER])
    return step
