"""`turnkeeper chat` as a process, over an LM that streams what a script says: `chatting.py DOCS STORE [--json]`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

HOSTILE = "\x1b]0;owned\x07\x1b[38;5;201m\x1b[2J\x9b5m\u202eevil\u2066\x08\x1b[5n"
"""Title of the window, colour, clear, a C1 sequence, right-to-left, a bell, a question that the terminal answers."""
SENTENCE = "A rowing boat costs 14 euros an hour \x1b]0;owned\x07\x9b5m\u202eevil\u2066\x08"
"""What a document says and a model repeats: the same without the brackets that might be citations."""


def main(docs: str, store: str, *options: str) -> None:
    from tests.conversation.reading import Reader
    from tests.streamed import streaming
    from turnkeeper import lms
    from turnkeeper.cli import main as turnkeeper

    def reply(request: Any) -> str:
        reader = Reader(facts={"rowing boat": f"{SENTENCE}."})
        text = reader(request)
        if reader.asked[-1][0] == "cite":
            import json

            return json.dumps(
                {"answer": f"{SENTENCE} [1]." if "rowing boat" in request.messages[-1].text else "NO_EVIDENCE"}
            )
        return text

    lm = streaming(*[reply] * 400)
    pause = float(os.environ.get("CHATTING_PAUSE", "0"))
    lm.engine.between = lambda number, text: time.sleep(pause)
    lms.resolve_lm = lambda *given, **named: lm  # type: ignore[assignment]
    sys.argv = ["turnkeeper", "chat", docs, "--store", store, *options]
    turnkeeper()


if __name__ == "__main__":
    main(*sys.argv[1:])
