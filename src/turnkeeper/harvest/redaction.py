"""What may not leave the log with a row: secrets are masked, then the application's redactor sees every text."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from ..errors import InputError
from ..events import BY_TERM, mask_secrets, redacted_terms
from ..signatures.carry_forward import Status
from ..signatures.reformulate import Action
from ..signatures.types import Convention, Exclusion, MetadataFilter, OpenQuestion, Turn

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
    """Return a value with every text masked and redacted, the terms of `glossary` and `aliases` too.

    Names of fields stay, and so do codes and ids that only code writes, unless they stand in the application's
    `metadata`.

    Raises:
        InputError: The redactor failed: a text that it has not seen goes nowhere.
    """
    return _cleaned(value, lambda text: _told(text, redactor, place), codes=True)


def _cleaned(value: Any, told: Redactor, *, codes: bool) -> Any:
    if isinstance(value, str):
        return told(value)
    if isinstance(value, dict):
        cleaned: dict[str, Any] = {}
        for name, held in value.items():
            if codes and isinstance(held, str) and name in _CODES and _CODES[name].fullmatch(held):
                cleaned[name] = held
            elif name in BY_TERM and isinstance(held, dict):
                cleaned[name] = redacted_terms(held, lambda each: _cleaned(each, told, codes=False))
            else:
                cleaned[name] = _cleaned(held, told, codes=codes and name != "metadata")
        return cleaned
    if isinstance(value, (list, tuple)):
        return [_cleaned(held, told, codes=codes) for held in value]
    return value


def _values(*kinds: Any) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(value) for kind in kinds for value in get_args(kind)))


_CODES = {
    "role": _values(Turn.model_fields["role"].annotation),
    "action": _values(Action),
    "status": _values(
        Status, Exclusion.model_fields["status"].annotation, OpenQuestion.model_fields["status"].annotation
    ),
    "convention": _values(Convention),
    "op": _values(MetadataFilter.model_fields["op"].annotation),
    "question_id": re.compile(r"q\d{1,9}(?:-\d{1,9})?", re.ASCII),
}
"""Field -> what code writes there; anything else in it is a text."""


def _told(text: str, redactor: Redactor | None, place: str) -> str:
    masked = mask_secrets(text)
    return masked if redactor is None else _asked(redactor, masked, place)


def _asked(redactor: Redactor, text: str, place: str) -> str:
    try:
        found = redactor(text)
    except Exception as error:  # the class alone: its message may quote the text that must not be shown
        raise InputError(f"{place}: the redactor raised {type(error).__name__}; nothing was written") from None
    if not isinstance(found, str):
        raise InputError(f"{place}: the redactor gave {type(found).__name__}, not a text; nothing was written")
    return mask_secrets(found)
