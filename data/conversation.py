"""Rows of `run conversation`: a whole conversation with its documents, its turns, and what happens between them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    field_validator,
    model_serializer,
    model_validator,
)

from ..signatures.types import AccessScope, Convention, DomainContext, Frozen, MetadataFilter, Passage

MOST_FILLERS = 1_000


class UserTurn(Frozen):
    """What the user says.

    Attributes:
        user: The words.
        docs: Ids of the passages that retrieval returned for this turn; [] when nothing was found, null when it failed.
            Left out, the row's passages are searched.
        given_assistant: A reply that is taken as given.
        access_scope: Of this turn, in place of the row's.
        expect: What a reader of the row expects; never read, and no part of what a result depends on.
    """

    user: str = Field(min_length=1)
    docs: tuple[str, ...] | None = None
    given_assistant: str | None = None
    access_scope: AccessScope | None = None
    expect: Any = Field(default=None, exclude=True)

    @field_validator("user")
    @classmethod
    def _said(cls, user: str) -> str:
        if not user.strip():
            raise ValueError("there are no words in it")
        return user

    @property
    def searches(self) -> bool:
        """Whether the turn leaves it to the retriever what is found."""
        return "docs" not in self.model_fields_set

    @model_serializer(mode="wrap")
    def _told(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Keep apart what was left out and what is null."""
        fields: dict[str, Any] = dump(self)
        return {name: value for name, value in fields.items() if name != "docs" or not self.searches}


class AddDoc(Frozen):
    """A passage of the row comes into the pool; until its first `add_doc` it is in none."""

    event: Literal["add_doc"]
    doc_id: str


class RemoveDoc(Frozen):
    """A document is withdrawn: its id stays registered, its text is no evidence any more."""

    event: Literal["remove_doc"]
    doc_id: str


class FillerTurns(Frozen):
    """Turns about something else, which touch the history only."""

    event: Literal["filler_turns"]
    count: int = Field(ge=1, le=MOST_FILLERS)
    text: str = "a small question about something else"


class Branch(Frozen):
    """The user edits a message: later turns run in a session that starts after `from_turn`, a user turn from 1.

    0 begins anew.
    """

    event: Literal["branch"]
    from_turn: int = Field(ge=0)


Event = Annotated[AddDoc | RemoveDoc | FillerTurns | Branch, Field(discriminator="event")]


def _which(value: Any) -> str:
    # A dict when a row is read, a model when it is written.
    return "event" if ("event" in value if isinstance(value, dict) else hasattr(value, "event")) else "user"


Step = Annotated[Annotated[UserTurn, Tag("user")] | Annotated[Event, Tag("event")], Discriminator(_which)]


class ConversationRow(Frozen):
    """A row; ids that turns and events name stand among `passages`.

    Attributes:
        passages: The documents.
        turns: User turns and events in order.
        access_scope: What this user may see.
        convention: How a new session cites; `source_tag` by default.
        domain_context: Words of the field.
        metadata_filters: The application's.
    """

    passages: tuple[Passage, ...] = ()
    turns: tuple[Step, ...] = Field(min_length=1)
    access_scope: AccessScope | None = None
    convention: Convention | None = None
    domain_context: DomainContext | None = None
    metadata_filters: tuple[MetadataFilter, ...] = ()

    @model_validator(mode="after")
    def _known(self) -> ConversationRow:
        known = {passage.doc_id for passage in self.passages}
        users = 0
        for number, step in enumerate(self.turns):
            named: tuple[str, ...] = ()
            if isinstance(step, UserTurn):
                users += 1
                named = step.docs or ()
            elif isinstance(step, (AddDoc, RemoveDoc)):
                named = (step.doc_id,)
            elif isinstance(step, Branch) and step.from_turn > users:
                raise ValueError(f"turns.{number}.from_turn: {step.from_turn} of {users} user turns so far")
            missing = [doc_id for doc_id in named if doc_id not in known]
            if missing:
                raise ValueError(f"turns.{number}: no passage has the doc_id {missing[0]!r}")
        if not users:
            raise ValueError("turns: there is no user turn")
        return self
