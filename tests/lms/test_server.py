"""A real OpenAI-compatible server on loopback."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from dspy.utils.exceptions import LMError

from turnkeeper.errors import SetupError
from turnkeeper.lms import probe, resolve_lm

from .conftest import Server

pytestmark = [pytest.mark.server, pytest.mark.light]


def test_eight_calls_at_once(start_server: Callable[[], Server]) -> None:
    lm = resolve_lm("openai/light", api_base=start_server().api_base, max_tokens=8, cache=False)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: lm(f"Say {number}."), range(8)))
    assert len(answers) == 8 and all(answer[0] for answer in answers)


def test_a_server_that_dies_is_an_lm_error_in_bounded_time(start_server: Callable[[], Server]) -> None:
    server = start_server()
    lm = resolve_lm("openai/light", api_base=server.api_base, max_tokens=900, cache=False, num_retries=1, timeout=20)
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(lm, f"Tell a long story about the number {number}.") for number in range(2)]
        time.sleep(1)
        server.process.kill()
        begin = time.monotonic()
        for call in calls:
            with pytest.raises(LMError):
                call.result(timeout=60)
    assert time.monotonic() - begin < 30
    with pytest.raises(SetupError, match="nothing answers"):
        probe(lm)
