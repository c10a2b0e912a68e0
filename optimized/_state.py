"""What a program's state may hold: demos, instructions and the words of fields, and nothing that DSPy would act on.

DSPy's own `load_state` sets any attribute that a state names, `config` with the address of a server among them. An
artifact is data from elsewhere, so here only what is known is let in, and everything else is refused by its name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import InputError

MAX_PREDICTORS = 32
MAX_DEMOS = 64
MAX_DEMO_CHARS = 50_000
"""Characters of one demo, written as JSON."""
MAX_TEXT_CHARS = 50_000
"""Characters of an instruction, and of the description and the prefix of a field."""

_PARTS = ("demos", "lm", "signature", "traces", "train")


def require_plain(state: Any, place: str) -> dict[str, Any]:
    """Return a state that holds only what a state may hold, whatever the signatures are.

    Args:
        state: Predictor name -> what DSPy's `dump_state` gives for it; `metadata` beside them is passed over.
        place: Where it stands, for messages.

    Raises:
        InputError: Something else, or more of it than the bounds above; the message names predictor and part.
    """
    if not isinstance(state, dict):
        raise InputError(f"{place}: must be an object, predictor name -> state, not {_kind(state)}")
    if len(state) > MAX_PREDICTORS:
        raise InputError(f"{place}: {len(state)} predictors, at most {MAX_PREDICTORS} are read")
    for name, predictor in state.items():
        if name != "metadata":
            _require_predictor(predictor, f"{place}: predictor `{name}`")
    return state


def require_fit(predictor: Mapping[str, Any], signature: Any, place: str) -> None:
    """Check a predictor's state against the signature of the program that it goes into.

    Args:
        predictor: One value of what `require_plain` returned.
        signature: The `dspy.Signature` class.
        place: Where it stands, for messages.

    Raises:
        InputError: No signature, another number of fields, or a demo that does not hold exactly the signature's
            fields, each of the type that the signature says.
    """
    if "signature" not in predictor:
        raise InputError(f"{place}: `signature` is missing")
    fields = signature.fields
    count = len(predictor["signature"]["fields"])
    if count != len(fields):
        raise InputError(f"{place}: `signature` has {count} fields, the program has {len(fields)}")
    for number, demo in enumerate(predictor["demos"]):
        for name in (*fields, *demo):
            if (name in fields) != (name in demo):
                problem = "is missing" if name in fields else "is no field of the signature"
                raise InputError(f"{place}: demo {number}: field `{name}` {problem}")
        for name, info in fields.items():
            try:
                _adapter(info.annotation).validate_python(demo[name])
            except ValidationError as error:
                message = error.errors(include_url=False, include_context=False, include_input=False)[0]["msg"]
                raise InputError(f"{place}: demo {number}: field `{name}`: {message}") from None


def ordered_demos(predictor: Mapping[str, Any], signature: Any) -> list[dict[str, Any]]:
    """Return the demos of a state that fits, their objects with the fields in the order of their types.

    A file keeps keys sorted; a prompt that shows them so is another prompt than the one that was compiled.
    """
    return [
        {name: _ordered(value, signature.fields[name].annotation) for name, value in demo.items()}
        for demo in predictor["demos"]
    ]


def _ordered(value: Any, annotation: Any) -> Any:
    if not _holds_objects(value):
        return deepcopy(value)
    kind = _adapter(annotation)
    return kind.dump_python(kind.validate_python(value), mode="json", exclude_unset=True)


def _holds_objects(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_holds_objects, value)))


@lru_cache(maxsize=128)
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def _require_predictor(predictor: Any, place: str) -> None:
    if not isinstance(predictor, dict):
        raise InputError(f"{place}: must be an object, not {_kind(predictor)}")
    if predictor.get("lm") is not None:
        raise InputError(f"{place}: carries an LM, which may hold keys and addresses; `lm` must be null")
    for part in predictor:
        if part not in _PARTS:
            raise InputError(f"{place}: `{part}` is no part of a program; there are: {', '.join(_PARTS)}")
    for part in ("traces", "train"):
        if predictor.get(part, []) != []:
            raise InputError(f"{place}: `{part}` must be an empty list")
    demos = predictor.get("demos")
    if not isinstance(demos, list) or len(demos) > MAX_DEMOS:
        raise InputError(f"{place}: `demos` must be a list of at most {MAX_DEMOS}")
    for number, demo in enumerate(demos):
        if not isinstance(demo, dict):
            raise InputError(f"{place}: demo {number} must be an object, not {_kind(demo)}")
        _require_json(demo, f"{place}: demo {number}")
    if "signature" in predictor:
        _require_signature(predictor["signature"], f"{place}: `signature`")


def _require_json(demo: dict[str, Any], place: str) -> None:
    try:
        text = json.dumps(demo, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:  # ValueError covers lone surrogates, NaN and cycles
        raise InputError(f"{place}: cannot be written as JSON ({type(error).__name__})") from None
    if len(text) > MAX_DEMO_CHARS:
        raise InputError(f"{place}: {len(text)} characters, at most {MAX_DEMO_CHARS} are read")


def _require_signature(signature: Any, place: str) -> None:
    if not isinstance(signature, dict) or signature.keys() != {"instructions", "fields"}:
        raise InputError(f"{place}: must be an object of `instructions` and `fields`")
    _require_text(signature["instructions"], f"{place}: `instructions`")
    fields = signature["fields"]
    if not isinstance(fields, list):
        raise InputError(f"{place}: `fields` must be a list, not {_kind(fields)}")
    for number, field in enumerate(fields):
        if not isinstance(field, dict) or field.keys() != {"prefix", "description"}:
            raise InputError(f"{place}: field {number} must be an object of `prefix` and `description`")
        for name, text in field.items():
            _require_text(text, f"{place}: field {number}: `{name}`")


def _require_text(text: Any, place: str) -> None:
    if not isinstance(text, str) or len(text) > MAX_TEXT_CHARS:
        raise InputError(f"{place}: must be a text of at most {MAX_TEXT_CHARS} characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{place}: holds half of a surrogate pair, which is no text") from None


def _kind(value: Any) -> str:
    return "null" if value is None else type(value).__name__
