"""A scripted engine behind an OpenAI-compatible server on loopback, for tests that run whole processes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from turnkeeper.data.reformulate import GoldenRow

from .reading import ReadingEngine


class Served(NamedTuple):
    """What a process is told to find the LM, and the engine that answers it."""

    engine: ReadingEngine
    options: tuple[str, ...]


@contextmanager
def serving(rows: Sequence[GoldenRow], **options: Any) -> Iterator[Served]:
    """Serve while the block runs; `engine.before` runs before each answer, in the thread of its request."""
    engine = ReadingEngine(rows, **options)
    with listening(engine) as base:
        yield Served(engine, ("--lm", "openai/reading", "--api-base", base))


@contextmanager
def listening(engine: Any) -> Iterator[str]:
    """Serve an engine that has a `reply(system, said)`; gives the address for `api_base`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            system = "\n".join(m["content"] for m in asked["messages"] if m["role"] == "system")
            said = [(m["role"], m["content"]) for m in asked["messages"] if m["role"] != "system"]
            self._send(completion(asked["model"], engine.reply(system, said)))

        def _send(self, body: dict[str, Any]) -> None:
            raw = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            """Keep quiet."""

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:  # the process that asked was killed
                return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def completion(model: str, text: str) -> dict[str, Any]:
    """The body of a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55}
    return {
        "id": "c", "object": "chat.completion", "created": 0, "model": model, "choices": [choice], "usage": usage
    }  # fmt: skip
