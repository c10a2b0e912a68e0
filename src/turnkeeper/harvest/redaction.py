"""What may not leave the log with a row: secrets are masked, then the application's redactor sees every text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..events import mask_secrets

Redactor = Callable[[str], str]


def load_redactor(spec: str) -> Redactor:
    """Return the redactor that "package.module:function" names; the working folder is searched too.

    Raises:
        InputError: There is no such module, or no such function in it.
    """
    module, _, name = spec.partition(":")
    if not module or not name:
        raise InputError(f"--redactor {spec!r}: expected MODULE:FUNCTION")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found = getattr(import_module(module), name, None)
    except ImportError as error:
        raise InputError(f"--redactor {spec!r}: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove(here)
    if not callable(found):
        raise InputError(f"--redactor {spec!r}: {module} has no function {name!r}")
    redactor: Redactor = found
    return redactor


def redacted(value: Any, redactor: Redactor | None, place: str) -> Any:
    """Return a value with every text masked and redacted; names of fields, roles and codes stay.

    Raises:
        InputError: The redactor failed: a text that it has not seen goes nowhere.
    """
    if isinstance(value, str):
        text = mask_secrets(value)
        return text if redactor is None else _asked(redactor, text, place)
    if isinstance(value, dict):
        return {
            name: held if name in _CODES and isinstance(held, str) else redacted(held, redactor, place)
            for name, held in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [redacted(held, redactor, place) for held in value]
    return value


_CODES = frozenset("role action status convention op question_id".split())


def _asked(redactor: Redactor, text: str, place: str) -> str:
    try:
        found = redactor(text)
    except Exception as error:  # the class alone: its message may quote the text that must not be shown
        raise InputError(f"{place}: the redactor raised {type(error).__name__}; nothing was written") from None
    if not isinstance(found, str):
        raise InputError(f"{place}: the redactor gave {type(found).__name__}, not a text; nothing was written")
    return mask_secrets(found)
