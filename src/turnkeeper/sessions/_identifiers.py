"""Which session ids, tenants and idempotency keys are accepted.

They come from outside, through an application, and end in logs, file names of exports and terminals: so a closed
alphabet, which UUIDs, ULIDs, e-mail addresses, base64 and `team/user:42` fit into.
"""

from __future__ import annotations

import re

from ..errors import MalformedIdError

LONGEST = 200
_FORM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._:@/+=~-]*\Z")


def checked(what: str, given: object) -> str:
    """Return an identifier as it is.

    Raises:
        MalformedIdError: It is no text, empty, too long, or has other characters; the value is quoted in part, escaped.
    """
    if isinstance(given, str) and len(given) <= LONGEST and _FORM.match(given) and ".." not in given:
        return given
    shown = ascii(given[:40]) + ("..." if len(given) > 40 else "") if isinstance(given, str) else type(given).__name__
    raise MalformedIdError(
        f"{what} {shown}: must be a text of 1 to {LONGEST} characters, ASCII letters, digits and . _ : @ / + = ~ -, "
        "beginning with a letter, a digit or _, without two dots in a row"
    )
