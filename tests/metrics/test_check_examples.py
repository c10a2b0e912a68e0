"""The example in the docstring of each behaviour's `check` runs and gives what it says."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from turnkeeper.behaviours import names


@pytest.mark.parametrize("behaviour", names())
def test_the_example_of_a_check_gives_what_it_says(behaviour: str) -> None:
    module = import_module(f"turnkeeper.metrics.{behaviour}")
    (example,) = doctest.DocTestFinder(recurse=False).find(module.check, globs=vars(module).copy())
    said: list[str] = []
    done = doctest.DocTestRunner().run(example, out=said.append)
    assert done.failed == 0 and done.attempted >= 3, "".join(said)
