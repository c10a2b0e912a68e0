"""Chat templates, rendered so that no text of a user, a document or a model can become a control token.

The template is rendered with placeholders; its own parts are then tokenized with control tokens, the data without.
`<|im_end|>` inside a message is nine ordinary characters and a few ordinary tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import SetupError
from ._model import NativeModel

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


class ChatMessage(NamedTuple):
    """A message for a template."""

    role: str
    content: str


class Prompt(NamedTuple):
    """A tokenized prompt: `tokens[:static]` is the same for every request of this kind."""

    tokens: list[int]
    static: int


class ChatTemplate:
    """Renders messages with the template of the GGUF file, or with ChatML for the Qwen2 family.

    Qwen2's own template is ChatML plus a default system message, which no request of ours leaves out.
    """

    def __init__(self, model: NativeModel) -> None:
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        own = model.metadata("tokenizer.chat_template")
        source = CHATML if own is None or model.metadata("general.architecture") == "qwen2" else own
        self._model = model
        try:
            self._formatter: Any = Jinja2ChatFormatter(source, eos_token=model.end_text, bos_token=model.begin_text)
        except Exception as problem:  # any error of the template engine
            raise SetupError(f"{model.path}: its chat template cannot be read: {problem}") from problem

    def render(self, messages: Sequence[ChatMessage]) -> Prompt:
        """Tokenize a conversation up to where the answer begins.

        The static part ends where the text of the last message begins.

        Raises:
            SetupError: The template refuses these roles or does not print each message exactly once.
        """
        try:
            parts = self._parts(messages)
        except SetupError:
            parts = self._parts(messages := _without_system(messages))  # some templates know no system role
        tokens: list[int] = []
        static = 0
        for index, part in enumerate(parts):
            tokens += self._model.tokens(part, special=True)
            if index == 0:
                tokens = self._with_leading(tokens)
            if index < len(messages):
                static = len(tokens)
                tokens += self._model.tokens(messages[index].content, special=False)
        return Prompt(tokens, static)

    def _parts(self, messages: Sequence[ChatMessage]) -> list[str]:
        """What the template prints around the messages: one part more than there are messages."""
        marks = [f"\u27e6message {index}\u27e7" for index in range(len(messages))]
        rows = [{"role": message.role, "content": mark} for message, mark in zip(messages, marks)]  # noqa: B905
        try:
            rest: str = self._formatter(messages=rows, enable_thinking=False).prompt
        except Exception as problem:  # any error of the template engine
            raise SetupError(f"{self._model.path}: its chat template cannot be used: {problem}") from problem
        parts = []
        for mark in marks:
            before, found, rest = rest.partition(mark)
            if not found or mark in rest:
                raise SetupError(f"{self._model.path}: its chat template does not print every message once")
            parts.append(before)
        return [*parts, rest]

    def _with_leading(self, tokens: list[int]) -> list[int]:
        leading = self._model.leading_token
        return tokens if leading is None or tokens[:1] == [leading] else [leading, *tokens]


def _without_system(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The same conversation with the system text in front of the first user message."""
    if len(messages) < 2 or messages[0].role != "system":
        return list(messages)
    first = ChatMessage(messages[1].role, f"{messages[0].content}\n\n{messages[1].content}")
    return [first, *messages[2:]]
