"""The guard around every behaviour: predict, check, predict again with the violations named, fall back.

Written once, without I/O: `Guard._steps` is a generator that yields the inputs of the next prediction and receives a
prediction or the exception it raised; `__call__` and `acall` drive it. So both ways behave alike by construction.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Hashable, Mapping, Sequence
from threading import Lock
from typing import Any, Generic

import dspy
from dspy.utils.exceptions import AdapterParseError, ContextWindowExceededError
from dspy.utils.usage_tracker import track_usage

from ..errors import InputError
from ..events import emit
from ..signatures.types import Notice, Violation
from ._discreet_field import BESIDE, DiscreetField
from ._guarded import Behaviour, Outcome, ResultT, RiskLevel, Scrub, Seen, TaskT, correction_feedback
from ._heard import Heard, ask, asking, broke_off, heard_by
from ._prompt_size import static_bytes, window_of
from ._tally import Tally

__all__ = ["Behaviour", "Guard", "Outcome", "RiskLevel", "Scrub", "Seen", "correction_feedback"]

_Steps = Generator[dict[str, Any], Any, ResultT]
MOST_CUTS = 16
"""Times that a prompt is cut before a turn is given up: a bound, should a behaviour never say that nothing is left."""


class Guard(Generic[TaskT, ResultT]):
    """A behaviour that is ready to run: thread-safe, sync and async, with its own LM and adapter.

    No exception of the LM leaves it: a failed turn gives the behaviour's fallback with `ok=False`, `fallback=True`
    and a warning.

    Args:
        behaviour: The rules of the behaviour.
        program: The bare DSPy program; it is never changed here.
        lm: The DSPy LM of this program; no global configuration is read or written.
        adapter: The DSPy adapter the program was compiled with.
        program_id: The artifact id, for results and events.
        risk_level: "high" asks a person where "normal" guesses.
        scrub: Hook of the application, applied to every history text before any prompt.
        notices: Notices that every result carries (a zero-shot program says so).
        cache_size: Results of identical turns kept; 0 turns the cache off. Fallbacks are never kept.
    """

    def __init__(
        self,
        behaviour: Behaviour[TaskT, ResultT],
        program: dspy.Module,
        *,
        lm: Any,
        adapter: Any,
        program_id: str = "zero-shot",
        risk_level: RiskLevel = "normal",
        scrub: Scrub | None = None,
        notices: tuple[Notice, ...] = (),
        cache_size: int = 256,
    ) -> None:
        if risk_level not in ("normal", "high"):
            raise InputError(f"risk_level must be 'normal' or 'high', not {risk_level!r}")
        if scrub is not None and not callable(scrub):
            raise InputError(f"scrub must be a function of a text, not {type(scrub).__name__}")
        self.behaviour = behaviour
        self.program = program
        self.lm = lm
        self.adapter = adapter
        self.program_id = program_id
        self.risk_level = risk_level
        self.scrub = scrub
        self.notices = notices
        self._cache: OrderedDict[Hashable, ResultT] = OrderedDict()
        self._cache_size = cache_size
        self._lock = Lock()

    def __call__(self, **inputs: Any) -> ResultT:
        """Run one turn. Raises `InputError` only on malformed input of the application."""
        tally = Tally()
        steps = self._steps(inputs, tally)
        try:
            request = next(steps)
            while True:
                with self._context(tally.heard), track_usage() as tracker:
                    try:
                        received: Any = ask(self.program, request, self.lm, tally.heard)
                    except Exception as error:  # whatever the LM or its adapter did, the application gets the fallback
                        received = error
                tally.add(tracker)
                request = steps.send(received)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]

    async def acall(self, **inputs: Any) -> ResultT:
        """Run one turn without blocking the event loop; otherwise as `__call__`."""
        tally = Tally()
        steps = self._steps(inputs, tally)
        try:
            request = next(steps)
            while True:
                with self._context(tally.heard), track_usage() as tracker:
                    try:
                        received: Any = await self.program.acall(**request)
                    except Exception as error:  # as in __call__
                        received = error
                tally.add(tracker)
                request = steps.send(received)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]

    def _context(self, heard: Heard | None) -> Any:
        # No history and no trace: both keep every prompt in memory for the life of the process.
        return dspy.context(**asking(self.lm, heard), adapter=self.adapter, disable_history=True, trace=None)

    def _steps(self, inputs: Mapping[str, Any], tally: Tally) -> _Steps[ResultT]:
        behaviour = self.behaviour
        task = behaviour.prepare(inputs, scrub=self.scrub, risk_level=self.risk_level)
        key = behaviour.key(task)
        with self._lock:
            known = self._cache.get(key)
            if known is not None:
                self._cache.move_to_end(key)
        if known is not None:
            return self._finish(
                task, known.model_copy(update={"usage": tally.usage(), "lm_attempts": 0}), tally, cached=True
            )
        settled = behaviour.settled(task)
        if settled is not None:
            return self._finish(task, self._result(settled, tally), tally)
        result, raw = yield from self._attempts(task, tally)
        if result.ok and self._cache_size > 0:
            with self._lock:
                self._cache[key] = result
                while len(self._cache) > self._cache_size:
                    self._cache.popitem(last=False)
        return self._finish(task, result, tally, raw=raw)

    def _attempts(self, task: TaskT, tally: Tally) -> Generator[dict[str, Any], Any, tuple[ResultT, str | None]]:
        behaviour = self.behaviour
        feedback = ""
        violations: list[Violation] = []
        seen: list[Seen] = []
        raw: str | None = None
        retries_left = behaviour.retries
        task, cuts = self._fitted(task)
        tally.heard = heard_by(behaviour, task)
        while True:
            received = yield {**behaviour.program_inputs(task), "correction_feedback": feedback}
            if isinstance(received, ContextWindowExceededError) and cuts < MOST_CUTS:
                shorter = behaviour.shrink(task)
                if shorter is not None:
                    tally.attempts += 1
                    task, cuts = shorter, cuts + 1
                    continue
            if isinstance(received, Exception) and broke_off(self.lm, tally.heard):
                tally.attempts += 1
                tally.unheard()  # a call that nobody hears has its retries
                continue
            if isinstance(received, AdapterParseError):
                tally.attempts += 1
                raw = str(getattr(received, "lm_response", "") or "")
                violations = [Violation(code="unparsable", message="Answer with the requested JSON object only.")]
            elif isinstance(received, Exception):
                tally.attempts += 1
                return self._failed(task, violations, tally, seen, cause=received), raw
            else:
                tally.attempts += 1 if getattr(received, "lm_calls", 1) else 0
                raw = getattr(received, "raw", None)
                violations = behaviour.check(task, received)
                if not violations:
                    return self._result(behaviour.accept(task, received), tally), raw
                seen.append(Seen(received, tuple(violations)))
            if retries_left == 0 or (not isinstance(received, Exception) and not getattr(received, "lm_calls", 1)):
                return self._failed(task, violations, tally, seen), raw
            retries_left -= 1
            feedback = correction_feedback(violations)
            tally.retract(violations)
            # A behaviour that asks about several things may ask again about those that failed alone.
            repair = getattr(behaviour, "repair", None)
            if repair is not None and not isinstance(received, Exception):
                task = repair(task, received)

    def _fitted(self, task: TaskT) -> tuple[TaskT, int]:
        """Return the task cut until it may fit the LM's window, and how often it was cut.

        Four bytes count as a token, which few texts stay below: only what surely does not fit is cut without asking,
        since the LM counts better; one that cuts its prompts in silence would lose the instruction first.
        """
        size, window, cuts = getattr(self.behaviour, "prompt_bytes", None), window_of(self.lm), 0
        if size is None or window is None:
            return task, cuts
        room = 4 * window - static_bytes(self.program)
        while cuts < MOST_CUTS and size(task) > room:
            shorter = self.behaviour.shrink(task)
            if shorter is None:
                break
            task, cuts = shorter, cuts + 1
        return task, cuts

    def _failed(
        self,
        task: TaskT,
        violations: Sequence[Violation],
        tally: Tally,
        seen: Sequence[Seen] = (),
        cause: Exception | None = None,
    ) -> ResultT:
        tally.retract(violations)
        best_effort = getattr(self.behaviour, "best_effort", None)
        outcome = best_effort(task, seen) if best_effort is not None and seen else None
        if outcome is None:
            outcome = self.behaviour.fall_back(task, violations)
        notices = outcome.warnings
        if cause is not None:
            # The class alone: messages of providers may quote keys, prompts or addresses.
            notices = (Notice(code="lm_error", message=f"The LM call failed: {type(cause).__name__}."), *notices)
        return self._result(outcome._replace(warnings=notices), tally, violations=violations, fallback=True)

    def _result(
        self, outcome: Outcome, tally: Tally, *, violations: Sequence[Violation] = (), fallback: bool = False
    ) -> ResultT:
        return self.behaviour.result_type(
            **outcome.fields,
            ok=not fallback,
            violations=tuple(violations),
            warnings=(*self.notices, *outcome.warnings),
            lm_attempts=tally.attempts,
            fallback=fallback,
            program=self.program_id,
            usage=tally.usage(),
        )

    def _finish(
        self, task: TaskT, result: ResultT, tally: Tally, *, raw: str | None = None, cached: bool = False
    ) -> ResultT:
        texts = {
            **self.behaviour.describe(task),
            "raw_output": raw,
            "violations": list(result.violations),
            "warnings": list(result.warnings),
        }
        emit(
            self.behaviour.name,
            **{n: None if text is None else DiscreetField(self.behaviour, task, text) for n, text in texts.items()},
            result=DiscreetField(self.behaviour, task, result, BESIDE),
            attempts=result.lm_attempts,
            fallback=result.fallback,
            cached=cached,
            program=result.program,
            **result.usage.model_dump(),
        )
        return result
