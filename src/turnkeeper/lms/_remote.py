"""What a remote LM needs before the first call: a key, and a server that answers."""

from __future__ import annotations

import ipaddress
import socket
from typing import NamedTuple
from urllib.parse import urlsplit

from .. import settings
from ..errors import SetupError

_CONNECT_SECONDS = 3.0

# Providers that refuse a call without a key, and the variables that DSPy or LiteLLM read it from.
_KEYS: dict[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azure": ("AZURE_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"),
    "xai": ("XAI_API_KEY",),
}

_LOCAL_SERVERS = {
    "ollama": "http://localhost:11434",
    "ollama_chat": "http://localhost:11434",
}


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int


def default_base(provider: str) -> str | None:
    """The address of a provider that runs on this machine, or None."""
    return _LOCAL_SERVERS.get(provider)


def address_of(api_base: str) -> Address:
    """Host and port of a base URL.

    Raises:
        SetupError: Not an http(s) URL.
    """
    try:
        url = urlsplit(api_base)
        port = url.port or {"http": 80, "https": 443}[url.scheme]
    except (ValueError, KeyError):
        port = 0
    if not port or not url.hostname:
        raise SetupError("api_base must be an address such as http://localhost:8000/v1")
    return Address(url.hostname, port)


def is_local(host: str) -> bool:
    """Whether a host is this machine or lies in a private network, by its name alone."""
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return True
    if "." not in host and ":" not in host:  # a name without a domain, as in a compose file
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False


def key_for(provider: str, model: str, api_key: str | None, api_base: str | None) -> str | None:
    """The key to pass on: the caller's, none when the environment has one, a placeholder for a local server.

    Raises:
        SetupError: The provider refuses calls without a key and there is none.
    """
    variables = _KEYS.get(provider, ())
    if api_key or not variables or any(settings.api_key_set(variable) for variable in variables):
        return api_key
    if api_base is not None and is_local(address_of(api_base).host):
        return "none"  # a local server asks for no key, but the client insists on one
    raise SetupError(f"{model} needs a key: set {' or '.join(variables)}, or pass api_key=")


def require_answer(api_base: str, model: str, seconds: float = _CONNECT_SECONDS) -> None:
    """Open and close a connection.

    Raises:
        SetupError: Nothing listens there, or it does not answer in time.
    """
    host, port = address_of(api_base)
    try:
        socket.create_connection((host, port), timeout=seconds).close()
    except OSError as problem:
        start = "run `ollama serve`" if model.startswith("ollama") else "start the server, or pass another api_base="
        raise SetupError(f"{model}: nothing answers at {host}:{port} ({problem}); {start}") from problem
