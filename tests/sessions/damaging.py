"""A session file cut short, or with one bit flipped, at places spread over it; and what is read of it then."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from turnkeeper.errors import CorruptStoreError, TurnkeeperError
from turnkeeper.sessions import SqlStore

from .building import SESSION, TENANT, new, talk


class Outcome(NamedTuple):
    """What reading a damaged file gave: an error's class and message, or whether all was as it had been committed."""

    place: str
    error: type[TurnkeeperError] | None
    message: str
    whole: bool

    @property
    def silent(self) -> bool:
        """Whether something else than what was committed was given out as right."""
        return self.error is None and not self.whole


def written(path: Path, turns: int = 30) -> None:
    """Make a file with two sessions, all of it in the main file."""
    with SqlStore(path) as store:
        talk(store, turns)
        talk(store, 3, new("harbour-8"))
        store.withdraw(SESSION, "D-2", TENANT)
    assert not path.with_name(f"{path.name}-wal").exists()


def damaged(path: Path, folder: Path, *, flips: int, cuts: int) -> Iterator[Outcome]:
    """Read copies of a file, each damaged at another place."""
    chance, whole = random.Random(5), path.read_bytes()
    with SqlStore(path) as store:
        expected = store.export(SESSION, TENANT)
    for number in range(flips + cuts):
        copy = folder / f"copy-{number}.db"
        if number < flips:
            at = chance.randrange(len(whole) * 8)
            data = bytearray(whole)
            data[at // 8] ^= 1 << at % 8
            copy.write_bytes(data)
            place = f"bit {at}"
        else:
            size = chance.randrange(1, len(whole))
            shutil.copy(path, copy)
            with open(copy, "r+b") as file:
                file.truncate(size)
            place = f"cut to {size}"
        error, message, same = None, "", False
        try:
            with SqlStore(copy, create=False) as store:
                same = store.load(SESSION, TENANT, recent=100) == expected.state
                same = store.export(SESSION, TENANT) == expected and same
        except TurnkeeperError as problem:
            error, message = type(problem), str(problem)
        yield Outcome(place, error, message, same)
        for left in folder.glob(f"{copy.name}*"):
            left.unlink()


def typed(outcome: Outcome) -> bool:
    """Whether damage was found and named as such, or did no harm."""
    return outcome.whole or (outcome.error is not None and issubclass(outcome.error, CorruptStoreError))
