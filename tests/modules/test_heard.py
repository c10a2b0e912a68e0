"""A provider's LM that is heard: over a server of the OpenAI API that streams, breaks off, or does not stream."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from turnkeeper.lms import resolve_lm
from turnkeeper.loading import load
from turnkeeper.modules._heard import LISTENER
from turnkeeper.signatures.types import CitationRegistry, Passage

KILN = Passage(doc_id="KILN-1", title="Kiln", text="The kiln reaches 1240 degrees. It cools for nine hours.")
ANSWER = json.dumps({"answer": "The kiln reaches 1240 degrees [1]. It cools for nine hours [1]."})
TOLD = "The kiln reaches 1240 degrees [Source: KILN-1]. It cools for nine hours [Source: KILN-1]."


class Server(ThreadingHTTPServer):
    """`breaks` is how many streamed answers break off; `asked` tells of each call whether it asked for a stream."""

    breaks = 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[bool] = []


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        streams = bool(body.get("stream"))
        self.server.asked.append(streams)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if not streams:
            message = {"role": "assistant", "content": ANSWER}
            self._write(json.dumps(_completion({"message": message, "finish_reason": "stop", "index": 0})))
            self._write("")
            return
        breaks = self.server.breaks > 0
        self.server.breaks -= breaks
        for at in range(0, len(ANSWER) * 3 // 4 if breaks else len(ANSWER), 6):
            choice = {"index": 0, "delta": {"content": ANSWER[at : at + 6]}, "finish_reason": None}
            self._write(f"data: {json.dumps(_completion(choice))}\n\n")
        if breaks:  # without the chunk that ends the answer
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._write(f"data: {json.dumps(_completion({'index': 0, 'delta': {}, 'finish_reason': 'stop'}))}\n\n")
        self._write("data: [DONE]\n\n")
        self._write("")

    def _write(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _completion(choice: dict[str, Any]) -> dict[str, Any]:
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    kind = "chat.completion.chunk" if "delta" in choice else "chat.completion"
    return {"id": "c", "object": kind, "created": 1, "model": "kiln", "choices": [choice], "usage": usage}


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.shutdown()


class Listener:
    def __init__(self) -> None:
        self.told: list[str] = []

    def draft(self, text: str) -> None:
        if text:
            self.told.append(text)

    def retract(self, codes: Any) -> None:
        self.told.append(f"void: {', '.join(codes)}")


def _asked(server: Server, asynchronous: bool, *, heard: bool = True) -> tuple[Any, list[str]]:
    lm = resolve_lm("openai/kiln", api_base=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", num_retries=1)
    guard = load("cite", lm, program="zero-shot", form="handles")
    inputs = {
        "query": "How hot is the kiln?", "history": [], "registry": CitationRegistry(), "context": [KILN], "turn": 1,
    }  # fmt: skip
    listener = Listener()

    async def ask() -> Any:
        LISTENER.set(listener if heard else None)
        return await guard.acall(**inputs)

    if asynchronous:
        return asyncio.run(ask()), listener.told
    token = LISTENER.set(listener if heard else None)
    try:
        return guard(**inputs), listener.told
    finally:
        LISTENER.reset(token)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_what_a_provider_streams_is_heard(server: Server, asynchronous: bool) -> None:
    result, told = _asked(server, asynchronous)
    assert result.ok and result.answer.startswith(TOLD) and result.lm_attempts == 1 and result.usage.calls == 1
    assert "".join(told) == TOLD and len(told) == 2 and server.asked == [True]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_nobody_listens_and_nothing_is_streamed(server: Server, asynchronous: bool) -> None:
    result, told = _asked(server, asynchronous, heard=False)
    assert result.ok and told == [] and server.asked == [False]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_reply_that_breaks_off_is_void_and_asked_for_again_unheard(server: Server, asynchronous: bool) -> None:
    server.breaks = 1
    result, told = _asked(server, asynchronous)
    assert result.ok and result.answer.startswith(TOLD) and not result.fallback
    assert told == ["The kiln reaches 1240 degrees [Source: KILN-1].", "void: lm_error"]
    assert server.asked == [True, False] and result.lm_attempts == 2
