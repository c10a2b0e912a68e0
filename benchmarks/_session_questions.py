"""Six sessions of twelve turns: families of the golden train and dev sets, and further questions over their documents.

Each further question comes with what the retriever finds for it, by the titles of the documents.
"""

from __future__ import annotations

from typing import NamedTuple

from turnkeeper.data import cite
from turnkeeper.signatures.types import Passage

TURNS = 12
MORE: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "train-022": (),
    "dev-017": (
        ("How big is flat 12 by the way?", ("Advertisement", "Flat 12, Aldgate Row")),
        ("And the rent of the bigger one again?", ()),
        ("When is the yard closed?", ("Mail of a Neighbour",)),
        ("Is there a lift in the house?", ("House Rules, Aldgate Row",)),
    ),
    "train-039": (
        ("What weight may cross the bridge, by the old minutes?", ("Minutes of 9 April 2013",)),
        ("Price of the steel bridge they turned down?", ("Wenna Courier, 13 May 2031", "Minutes of 14 April 2031")),
        ("And what did the stalls pay after 2013?", ("Minutes of 9 April 2013", "Minutes of 14 April 2031")),
        ("When do they start on the bridge, once more?", ()),
        ("Who is the mayor?", ("Wenna Courier, 13 May 2031",)),
    ),
    "dev-021": (
        ("How much did the whole run take in?", ("Box Office Ledger, Season 1926/27",)),
        ("What wages did Reger ask for?", ("Reger's Letters", "Fan Page on Old Theatres")),
        ("Worst evening?", ()),
        ("How many leaves has the prompt book?", ('Prompt Book of "The Salt Wife", 1926',)),
        ("What colour was the curtain?", ("Fan Page on Old Theatres",)),
        ("And the best night again, how many seats?", ("Reger's Letters",)),
    ),
    "dev-016": (
        ("How long is the crossing?", ("Boat to Skerrin", "Prices")),
        ("What does it cost for grown-ups?", ("Prices",)),
        ("Since when was Harrow there?", ("Keeper's Diary", "Tour Plan")),
        ("Steps, once more?", ()),
        ("Is there a toilet on the island?", ("Boat to Skerrin",)),
        ("When does the boat leave?", ("Tour Plan",)),
    ),
    "dev-004": (
        ("Until when is the runway closed?", ("NOTAM 0312",)),
        ("From what time is fuel sold?", ("NOTAM 0312, Fuel", "NOTAM 0312")),
        ("What does a motor plane pay?", ("Fees for Gliders", "Fees for Motor Planes")),
        ("And a glider?", ()),
        ("Who runs the aerodrome?", ("NOTAM 0312",)),
        ("The runway's number again?", ("Fees for Gliders",)),
    ),
}


class Asked(NamedTuple):
    """A question and what is found for it, under the retriever's ids; None when the retrieval failed."""

    question: str
    found: tuple[Passage, ...] | None


class Session(NamedTuple):
    """A session: how it cites and what is asked."""

    name: str
    convention: str
    asked: tuple[Asked, ...]


def sessions() -> list[Session]:
    """Return the six sessions."""
    rows = [row for split in ("train", "dev") for row in cite.load(split)]
    return [_session(name, [row for row in rows if row.family == name]) for name in MORE]


def _session(name: str, rows: list[cite.GoldenRow]) -> Session:
    registered = {e.title: e.source_id or e.doc_id for row in rows for e in row.registry.entries}
    documents: dict[str, Passage] = {}

    def own(passage: Passage) -> Passage:
        # Rows show the numbers of their registry; a retriever has ids of its own.
        told = passage.model_copy(update={"doc_id": registered.get(passage.title, passage.doc_id)})
        documents.setdefault(passage.title, told)
        return told

    asked = [Asked(r.question, None if r.context is None else tuple(map(own, r.context))) for r in rows]
    for row in rows:
        for e in row.registry.entries:
            documents.setdefault(e.title, Passage(doc_id=registered[e.title], title=e.title, text=e.snippet))
    asked += [Asked(question, tuple(documents[title] for title in titles)) for question, titles in MORE[name]]
    convention = next((row.registry.convention for row in rows if row.registry.convention), "source_tag")
    return Session(name, convention, tuple(asked[:TURNS]))
