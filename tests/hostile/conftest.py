"""Fixtures of the hostile tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from turnkeeper import events


@pytest.fixture
def seen() -> Iterator[list[Any]]:
    caught: list[Any] = []
    events.set_sink(caught.append)
    yield caught
    events.set_sink(None)
