"""resolve_lm: names, and what is said when something is missing."""

from __future__ import annotations

import builtins
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.errors import InputError, SetupError
from turnkeeper.lms import probe, resolve_lm


def test_an_lm_is_returned_as_it_is(scripted_lm: Any) -> None:
    lm = scripted_lm("a")
    assert resolve_lm(lm) is lm


@pytest.mark.light
def test_the_model_string_names_file_and_digest(light_lm: dspy.LM) -> None:
    assert light_lm.model == "llama-cpp/smollm2-135m-q4_1@sha256:b179c952"


@pytest.mark.light
def test_a_file_by_path_gets_its_own_digest(light_lm: dspy.LM) -> None:
    lm = resolve_lm(f"gguf:{light_lm.engine.path}")
    assert lm.model == "llama-cpp/smollm2-135m-instruct.q4_1@sha256:b179c952"


@pytest.mark.light
def test_one_engine_a_file(light_lm: dspy.LM) -> None:
    assert resolve_lm(f"gguf:{light_lm.engine.path}").engine is light_lm.engine


@pytest.mark.light
def test_options_reach_lm_and_engine(light_lm: dspy.LM) -> None:
    lm = resolve_lm(
        f"gguf:{light_lm.engine.path}", temperature=0.2, max_tokens=9, cache=False, engine_options={"n_ctx": 256}
    )
    assert (lm.kwargs["temperature"], lm.kwargs["max_tokens"], lm.cache, lm.engine.n_ctx) == (0.2, 9, False, 256)


def test_a_missing_file_is_said() -> None:
    with pytest.raises(SetupError, match=r"gguf:/nowhere/x\.gguf: no such file"):
        resolve_lm("gguf:/nowhere/x.gguf")


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name.partition(".")[0] == "llama_cpp":
            raise ImportError("No module named 'llama_cpp'")
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SetupError, match=r"pip install 'turnkeeper\[embedded\]'"):
        resolve_lm("embedded")


@pytest.mark.parametrize("spec", ["gpt-4o", "openai/", "/x", "local"])
def test_a_text_that_names_no_lm_lists_the_forms(spec: str) -> None:
    with pytest.raises(InputError, match="gguf:PATH"):
        resolve_lm(spec)


def test_an_unknown_embedded_model_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="smollm2-135m"):
        resolve_lm("embedded:gpt-9")


def test_api_base_is_no_option_of_an_embedded_model() -> None:
    with pytest.raises(InputError, match="in this process"):
        resolve_lm("embedded", api_base="http://localhost:1")


@pytest.mark.parametrize(
    ("spec", "variable"),
    [("openai/gpt-4o-mini", "OPENAI_API_KEY"), ("anthropic/claude", "ANTHROPIC_API_KEY"), ("groq/x", "GROQ_API_KEY")],
)
def test_a_missing_key_names_the_variable(spec: str, variable: str) -> None:
    with pytest.raises(SetupError, match=variable):
        resolve_lm(spec)


def test_a_key_from_the_environment_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert "sk-secret" not in str(resolve_lm("openai/gpt-4o-mini").kwargs)


def test_a_local_server_needs_no_key() -> None:
    lm = resolve_lm("openai/x", api_base="http://127.0.0.1:9/v1", check=False)
    assert lm.kwargs["api_base"] == "http://127.0.0.1:9/v1"


def test_a_server_elsewhere_needs_a_key() -> None:
    with pytest.raises(SetupError, match="OPENAI_API_KEY"):
        resolve_lm("openai/x", api_base="https://llm.example.com/v1", check=False)


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_a_server_that_is_down_is_said_at_once() -> None:
    port = closed_port()
    with pytest.raises(SetupError, match=rf"nothing answers at 127\.0\.0\.1:{port}.*start the server"):
        resolve_lm("openai/x", api_base=f"http://127.0.0.1:{port}/v1")


def test_probe_says_the_same_later() -> None:
    lm = resolve_lm("openai/x", api_base=f"http://127.0.0.1:{closed_port()}/v1", check=False)
    with pytest.raises(SetupError, match="nothing answers"):
        probe(lm)


def test_a_key_is_in_no_message() -> None:
    with pytest.raises(SetupError) as caught:
        resolve_lm("openai/x", api_base=f"http://127.0.0.1:{closed_port()}/v1", api_key="sk-secret")
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["localhost:8000", "ftp://x", "http://", "http://h:port"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(SetupError, match="api_base must be an address"):
        resolve_lm("openai/x", api_base=address, api_key="k")


def test_probe_loads_the_weights_of_an_embedded_lm(scripted_lm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> None:
        raise SetupError("w.gguf: llama.cpp cannot load this file")

    lm = scripted_lm("a")
    monkeypatch.setattr(lm.engine, "load", load, raising=False)
    with pytest.raises(SetupError, match="cannot load"):
        probe(lm)


@pytest.mark.parametrize("content", [b"", b"GGU", b"\x80\x04K\x01."])
def test_a_file_that_is_no_gguf_is_said_when_it_is_named(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(content)
    with pytest.raises(SetupError, match=r"x\.gguf: not a GGUF file"):
        resolve_lm(f"gguf:{file}")


def test_a_name_too_long_for_a_file_is_said() -> None:
    with pytest.raises(SetupError, match="no such file"):
        resolve_lm("gguf:" + "x" * 5_000)


def test_probe_passes_an_lm_without_an_address(scripted_lm: Any) -> None:
    probe(scripted_lm("a"))


def test_litellm_is_not_imported_for_an_openai_server() -> None:
    code = (
        "import sys; from turnkeeper.lms import resolve_lm;"
        "resolve_lm('openai/x', api_base='http://127.0.0.1:9/v1', check=False); print('litellm' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"False\n"


def test_heavy_packages_wait_until_an_lm_is_made() -> None:
    code = "import sys; import turnkeeper.lms; print({'dspy', 'llama_cpp', 'huggingface_hub'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"set()\n"
