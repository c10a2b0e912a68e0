"""TREC CAsT 2019 to 2022: information-seeking conversations, with the organisers' resolved utterances."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from ...errors import InputError
from ...signatures.types import Turn
from ._files import FileRow, Found, Place, objects, table
from ._rows import PublicSet, PublicTurn, distinct
from ._trimmed import is_trimmed, row_id, turn_of

RESOLVED_2019 = "_annotated_resolved_v1.0.tsv"
_LAST_TOPIC = {19: 80, 20: 105, 21: 131, 22: 149}  # topics are numbered through the years


class CastTopic(FileRow):
    """A conversation: its number and its turns."""

    number: int = Field(ge=1)
    turn: tuple[dict[str, Any], ...]


class CastTurn(FileRow):
    """A turn by the names of 2021; 2022 says `utterance` and `response`, and before 2021 the system says nothing."""

    number: int | str
    said: str = Field(validation_alias="raw_utterance", min_length=1)
    rewrite: str | None = Field(default=None, validation_alias="manual_rewritten_utterance")
    reply: str | None = Field(default=None, validation_alias="passage")


def read(path: Path) -> Iterator[PublicTurn]:
    """Yield the turns of a file of topics, or of the trimmed JSONL.

    A turn that stands in several paths of a 2022 topic comes once, with the history of the first. The topics of 2019
    hold no rewrites: they are read from the resolved utterances, a TSV file in the same folder, when it is there.

    Raises:
        InputError: Also when a topic's number is of no year from 2019 to 2022.
    """
    first = next(objects(path))
    if is_trimmed(first.raw):
        return distinct(turn_of(found, _topic) for found in objects(path))
    return distinct(_published(path))


def _published(path: Path) -> Iterator[tuple[Place, PublicTurn]]:
    resolved = _resolved_2019(path)
    seen: dict[str, str] = {}
    for found in objects(path):
        topic = found.fitted(CastTopic)
        conversation = f"cast{_year(topic.number, found.place)}_{topic.number}"
        history: list[Turn] = []
        for turn in _turns(found, topic):
            name = f"{conversation}_{turn.number}"
            said = turn.said.strip()
            if name not in seen:
                seen[name] = said
                rewrite = (turn.rewrite or resolved.get(f"{topic.number}_{turn.number}") or "").strip()
                yield (
                    found.place,
                    PublicTurn(
                        id=name, conversation=conversation, history=tuple(history), query=said, rewrite=rewrite or None
                    ),
                )
            elif seen[name] != said:
                raise found.place.error(f"{name} has other words in an earlier path", "turn")
            history.append(Turn(role="user", content=said))
            if turn.reply and turn.reply.strip():
                history.append(Turn(role="assistant", content=turn.reply.strip()))


def _turns(found: Found, topic: CastTopic) -> Iterator[CastTurn]:
    for number, raw in enumerate(topic.turn):
        place = found.place._replace(item=".".join(filter(None, (found.place.item, f"turn.{number}"))))
        known = {name: raw.get(name) for name in ("number", "manual_rewritten_utterance")}
        said = {"raw_utterance": raw.get("raw_utterance", raw.get("utterance"))}
        yield Found(place, {**known, **said, "passage": raw.get("passage", raw.get("response"))}).fitted(CastTurn)


def _year(topic: int, place: Place) -> int:
    for year, last in _LAST_TOPIC.items():
        if topic <= last:
            return year
    raise place.error(f"{topic} is no topic of TREC CAsT 2019 to 2022 (1 to {max(_LAST_TOPIC.values())})", "number")


def _resolved_2019(path: Path) -> dict[str, str]:
    """Return topic_turn -> resolved utterance of `evaluation_topics_v1.0.json`, from the file beside it."""
    beside = path.with_name(path.name.replace("_v1.0.json", RESOLVED_2019))
    if beside == path or not beside.is_file():
        return {}
    found: dict[str, str] = {}
    for place, (name, text) in table(beside, 2):
        if name in found:
            raise place.error(f"{name!r} stands twice", "column 1")
        found[name] = text
    if not found:
        raise InputError(f"{beside}: holds no row")
    return found


def _topic(name: str) -> str:
    return name.rpartition("_")[0] or name


SET = PublicSet(
    name="cast",
    title="TREC Conversational Assistance Track, 2019 to 2022",
    task="rewrite",
    provenance="Topics by the organisers of the track at NIST's TREC; repository daltonj/treccastweb.",
    licence="MIT (the repository); passages and responses are quoted from MS MARCO, TREC CAR, KILT and the "
    "Washington Post, which have terms of their own",
    citation="Dalton, Xiong, Callan: TREC CAsT 2019: The Conversational Assistance Track Overview. TREC 2019",
    files={
        "2019/data/evaluation/evaluation_topics_v1.0.json": "a JSON array of {number, turn: [{number, raw_utterance}]}",
        "2019/data/evaluation/evaluation_topics_annotated_resolved_v1.0.tsv": "topic_turn, tab, resolved utterance",
        "2020/2020_manual_evaluation_topics_v1.0.json": "as 2019, with manual_rewritten_utterance in each turn",
        "2021/2021_manual_evaluation_topics_v1.0.json": "as 2020, with passage in each turn",
        "2022/2022_evaluation_topics_flattened_duplicated_v1.0.json": "as 2021, but utterance and response; one "
        "object a path through the topic",
        "trimmed *.jsonl": "{id: castYY_TOPIC_TURN, history: [{role, content}], query, human_rewrite} a line",
    },
    recognises=lambda raw: ("turn" in raw and "number" in raw) or (is_trimmed(raw) and row_id(raw).startswith("cast")),
    read=read,
)
