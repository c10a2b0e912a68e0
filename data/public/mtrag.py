"""MTRAG: multi-turn conversations over four passage collections, with rewrites and relevant passages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from ...errors import InputError
from ...signatures.types import Turn
from ._files import FileRow, Found, Place, objects, table
from ._rows import PublicSet, PublicTurn, distinct
from ._trimmed import is_trimmed, turn_of

DOMAINS = ("clapnq", "cloud", "fiqa", "govt")
_COLLECTION = re.compile(r"mt-rag-(ibm)?(clapnq|cloud|fiqa|govt)\b")
_SPEAKER = re.compile(r"^\|user\|:\s*")


class Said(FileRow):
    """A message of a task's `input`."""

    speaker: str
    text: str


class MtragRow(FileRow):
    """A task of `reference.jsonl`; the last message of `input` is the turn."""

    task_id: str = Field(min_length=1)
    input: tuple[Said, ...] = Field(min_length=1)
    collection: str = Field(validation_alias="Collection")


class MtragQuery(FileRow):
    """A row of `<domain>_rewrite.jsonl`."""

    id: str = Field(validation_alias="_id", min_length=1)
    text: str


class MtragPassage(FileRow):
    """A passage of a collection."""

    id: str = Field(validation_alias="_id", min_length=1)
    title: str = ""
    text: str


def read(path: Path) -> Iterator[PublicTurn]:
    """Yield the tasks of `generation_tasks/reference.jsonl`, or of the trimmed JSONL.

    Rewrites and relevant passages come from `../retrieval_tasks/<domain>/` beside the folder of a published file; a
    task that is not there has neither. Retrieved passages of the file itself are no gold and are not read.
    """
    first = next(objects(path))
    if "input" not in first.raw:
        return distinct(turn_of(found, _conversation) for found in objects(path))
    return distinct(_published(path))


def read_pool(folder: Path, domain: str) -> list[MtragPassage]:
    """Return the passages of a domain: `passages_<domain>.jsonl.gz`, `<domain>.jsonl.gz` or the same without `.gz`.

    Raises:
        InputError: There is none, or it cannot be read.
        RowError: A row without id or text, or an id twice.
    """
    names = [f"{stem}{domain}.jsonl{end}" for stem in ("passages_", "") for end in (".gz", "")]
    path = next((folder / name for name in names if (folder / name).is_file()), None)
    if path is None:
        raise InputError(f"{folder}: holds no passages of {domain!r}; one of {', '.join(names)} is expected")
    passages: dict[str, MtragPassage] = {}
    for found in objects(path):
        passage = found.fitted(MtragPassage)
        if passage.id in passages:
            raise found.place.error(f"{passage.id!r} stands twice", "_id")
        passages[passage.id] = passage
    return list(passages.values())


def _published(path: Path) -> Iterator[tuple[Place, PublicTurn]]:
    tasks = path.parent.parent / "retrieval_tasks"
    rewrites: dict[str, str] = {}
    gold: dict[str, list[str]] = {}
    for domain in DOMAINS:
        rewritten, judged = tasks / domain / f"{domain}_rewrite.jsonl", tasks / domain / "qrels" / "dev.tsv"
        if rewritten.is_file():
            rows = [found.fitted(MtragQuery) for found in objects(rewritten)]
            rewrites.update({row.id: _SPEAKER.sub("", row.text).strip() for row in rows})
        if judged.is_file():
            for _, (query, passage, score) in table(judged, 3):
                if query != "query-id" and score != "0":
                    gold.setdefault(query, []).append(passage)
    for found in objects(path):
        yield _task(found, rewrites, gold)


def _task(found: Found, rewrites: dict[str, str], gold: dict[str, list[str]]) -> tuple[Place, PublicTurn]:
    row = found.fitted(MtragRow)
    domain = _COLLECTION.match(row.collection)
    if domain is None:
        raise found.place.error(f"{row.collection!r} is of no domain; there is: {', '.join(DOMAINS)}", "Collection")
    *before, last = row.input
    if last.speaker != "user":
        raise found.place.error("the last message must be the user's", "input")
    return found.place, PublicTurn(
        id=row.task_id,
        conversation=_conversation(row.task_id),
        history=tuple(Turn(role="user" if m.speaker == "user" else "assistant", content=m.text) for m in before),
        query=last.text,
        rewrite=rewrites.get(row.task_id) or None,
        domain=domain[2],
        gold_passages=tuple(gold.get(row.task_id, ())),
    )


def _conversation(name: str) -> str:
    return name.split("<::>")[0]


SET = PublicSet(
    name="mtrag",
    title="MTRAG: a multi-turn conversational benchmark for retrieval-augmented generation",
    task="rewrite",
    provenance="110 conversations by people over ClapNQ, Cloud, FiQA and Govt passages; IBM Research, repository "
    "IBM/mt-rag-benchmark.",
    licence="Apache-2.0 (the repository); the passages are from Wikipedia, IBM Cloud documentation, FiQA and "
    "government pages, which have terms of their own",
    citation="Katsis, Rosenthal, Fadnis et al.: MTRAG: A Multi-Turn Conversational Benchmark for Evaluating "
    "Retrieval-Augmented Generation Systems. TACL 13, 2025, doi 10.1162/TACL.a.19",
    files={
        "mtrag-human/generation_tasks/reference.jsonl": "{task_id, Collection, input: [{speaker, text}], …} a line",
        "mtrag-human/retrieval_tasks/<domain>/<domain>_rewrite.jsonl": "{_id: task_id, text} a line",
        "mtrag-human/retrieval_tasks/<domain>/qrels/dev.tsv": "query-id, corpus-id, score between tabs",
        "corpora/passage_level/<domain>.jsonl": "{_id, title, text} a line, unzipped",
        "trimmed *.jsonl": "{task_id, domain, history: [{role, content}], query, official_rewrite or null, "
        "gold_passages} a line; passages_<domain>.jsonl.gz beside",
    },
    recognises=lambda raw: ("input" in raw and "task_id" in raw) or (is_trimmed(raw) and "gold_passages" in raw),
    read=read,
)
