"""CompactAdapter: a prompt format for small models.

The instruction as system text, `Label: value` lines, empty inputs left out, the answer as one line of JSON.
"""

from __future__ import annotations

from typing import Any

import dspy
from dspy.adapters.base import Adapter

from ._calls import controls_of, plan, request_of
from ._render import field_line, json_line, label_of
from ._reply import parse_reply
from ._schema import shape_of

_NO_INPUT = "(no input)"


class CompactAdapter(Adapter):
    """Formats and parses for small models; works with any LM.

    On an engine with `supports_skeleton` a single text answer is prefilled up to its opening quote, which costs less
    than a grammar. A program may pass its own `skeleton` and `banned_words` through the `config` of a predictor; on
    other LMs they are left out. A reply that cannot be parsed is an error, never a second call.
    """

    takes_skeleton = True
    """What a program asks before it passes a skeleton: other adapters would hand it to the LM as an option."""

    def __init__(self, callbacks: list[Any] | None = None) -> None:
        super().__init__(callbacks=callbacks)

    def format(
        self, signature: type[dspy.Signature], demos: list[dict[str, Any]], inputs: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Messages: system, one pair a demo in the given order, the inputs.

        Raises:
            ValueError: A demo lacks a field or has None in it; the message names demo and field.
        """
        return [
            {"role": "system", "content": self.format_system_message(signature)},
            *self.format_demos(signature, demos),
            {"role": "user", "content": self.format_user_message_content(signature, inputs)},
        ]

    def format_system_message(self, signature: type[dspy.Signature]) -> str:
        """The instruction and the shape of the answer."""
        shape = ", ".join(f'"{name}": {_placeholder(name, field)}' for name, field in signature.output_fields.items())
        return f"{signature.instructions.strip()}\nAnswer with one line of JSON: {{{shape}}}"

    def format_demos(self, signature: type[dspy.Signature], demos: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """A user and an assistant message for each demo."""
        messages = []
        for number, demo in enumerate(demos, start=1):
            missing = [name for name in signature.fields if name not in demo or demo[name] is None]
            if missing:
                raise ValueError(f"demo {number} has no `{missing[0]}`: give every field a value ('' or [] for none)")
            user = self.format_user_message_content(signature, demo)
            messages.append({"role": "user", "content": user})
            messages.append({"role": "assistant", "content": self.format_assistant_message_content(signature, demo)})
        return messages

    def format_user_message_content(
        self,
        signature: type[dspy.Signature],
        inputs: dict[str, Any],
        prefix: str = "",
        suffix: str = "",
        main_request: bool = False,
    ) -> str:
        """`Label: value` lines of the inputs that are not empty, in the signature's order."""
        lines = [field_line(label_of(name, field), inputs.get(name)) for name, field in signature.input_fields.items()]
        return "\n".join([line for line in (prefix, *lines, suffix) if line]) or _NO_INPUT

    def format_assistant_message_content(
        self, signature: type[dspy.Signature], outputs: dict[str, Any], missing_field_message: str | None = None
    ) -> str:
        """One line of JSON with the outputs in the signature's order."""
        return json_line({name: outputs.get(name, missing_field_message) for name in signature.output_fields})

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """Read the JSON of a reply; for a single text field, at last, its first line.

        Raises:
            AdapterParseError: No JSON object, a missing field, or a value of another type.
        """
        return parse_reply(signature, completion)

    def __call__(
        self,
        lm: dspy.BaseLM,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """Format, call once, parse. `lm_kwargs` is not changed."""
        options, extensions = plan(lm, lm_kwargs, signature)
        if not extensions:
            return list(super().__call__(lm, options, signature, demos, inputs))
        request = request_of(lm, options, self.format(signature, demos, inputs), extensions)
        response = lm(request, **controls_of(lm, options))
        return list(self._call_postprocess(signature, signature, [response.text or ""], lm, options))

    async def acall(
        self,
        lm: dspy.BaseLM,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """The same, awaited."""
        options, extensions = plan(lm, lm_kwargs, signature)
        if not extensions:
            return list(await super().acall(lm, options, signature, demos, inputs))
        request = request_of(lm, options, self.format(signature, demos, inputs), extensions)
        response = await lm.acall(request, **controls_of(lm, options))
        return list(self._call_postprocess(signature, signature, [response.text or ""], lm, options))


def _placeholder(name: str, field: Any) -> str:
    described = str((field.json_schema_extra or {}).get("desc") or "")
    text = name.replace("_", " ") if described in {"", f"${{{name}}}"} else " ".join(described.split())
    return shape_of(field.annotation, text)
