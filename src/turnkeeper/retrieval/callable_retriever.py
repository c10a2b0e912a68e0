"""An application's own search function as a `Retriever`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..signatures.types import Passage
from ._asking import asked
from ._stripping import stripped
from ._visibility import Visibility
from .request import SearchRequest

SearchFunction = Callable[[SearchRequest], Iterable[Passage | Mapping[str, Any]] | None]
"""Takes a request and returns passages, or mappings of their fields, the best first; None is an empty answer."""


class CallableRetriever:
    """Wraps a function over the application's own index; the exporters make its engine's query from the request.

    The function sees the request without restricted terms and with the filters as they were given. What it returns is
    still held to the scope, to exclusions on metadata fields and to restricted terms; the filters are its own to apply,
    since it may not return the fields that they read.
    """

    def __init__(self, function: SearchFunction, *, enforces_scope: bool = False) -> None:
        """Wrap a function.

        Args:
            function: Searches; called from several threads at once.
            enforces_scope: Whether the function itself lets nothing outside `scope.allowed` through. Set it when
                passages come without the metadata that would show it; without them nothing is visible.
        """
        self._function = function
        self._enforces_scope = enforces_scope

    def search(self, request: SearchRequest) -> tuple[Passage, ...]:
        """Return the best passages; see `Retriever`.

        Raises:
            RetrievalError: The function raised, or returned no passages.
        """
        asked_for = stripped(request)
        visible = Visibility(request, scope=not self._enforces_scope, filters=False)
        return tuple(filter(visible, asked(self._function, asked_for)))[: request.k]
