"""Artifacts on disk: what is refused, and that a reader sees both files or neither."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.errors import InputError, IntegrityError, SetupError
from turnkeeper.optimized import (
    Artifact,
    find_artifacts,
    fingerprint,
    fingerprint_mismatch,
    read_artifact,
    write_artifact,
)

from .full_disk import room_for


class Ask(dspy.Signature):  # type: ignore[misc]
    """Answer."""

    question: str = dspy.InputField(desc="what is asked")
    answer: str = dspy.OutputField(desc="what is said")


def save(folder: Path, state: dict[str, Any] | None = None) -> Artifact:
    return write_artifact(
        folder, state or {"ask": {"demos": [], "lm": None}}, behaviour="reformulate", slug="tiny", lm={"model": "m"},
        adapter="compact", form="rewrite", optimizer={"name": "hand-written"}, fingerprint=fingerprint({"ask": Ask}),
    )  # fmt: skip


def test_round_trip(tmp_path: Path) -> None:
    written = save(tmp_path)
    read = read_artifact(written.path)
    assert read == written and read.program_id.startswith("tiny@")
    assert find_artifacts(tmp_path, "reformulate") == [written.path]


def test_writing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    assert save(tmp_path / "a").path.read_bytes() == save(tmp_path / "b").path.read_bytes()


def test_a_full_disk_spoils_neither_file_of_an_older_pair(tmp_path: Path) -> None:
    older = save(tmp_path)
    other = {"ask": {"demos": [], "lm": None, "traces": []}}
    with room_for(300), pytest.raises(OSError):  # enough for the state, too little for the manifest
        save(tmp_path, other)
    assert read_artifact(older.path) == older
    assert {path.suffix for path in older.path.parent.iterdir()} == {".json"}
    assert read_artifact(save(tmp_path, other).path).state == other


def test_changed_byte_is_refused_with_both_digests(tmp_path: Path) -> None:
    artifact = save(tmp_path)
    artifact.path.write_bytes(artifact.path.read_bytes() + b" ")
    with pytest.raises(IntegrityError, match=artifact.manifest.state_sha256):
        read_artifact(artifact.path)


def test_lm_in_a_state_is_refused_on_write_and_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="carries an LM"):
        save(tmp_path, {"ask": {"demos": [], "lm": {"api_key": "k"}}})
    assert not list(tmp_path.rglob("*.json"))


def test_manifest_with_a_wrong_field_names_it(tmp_path: Path) -> None:
    artifact = save(tmp_path)
    beside = artifact.path.with_name("tiny.manifest.json")
    said = json.loads(beside.read_text())
    beside.write_text(json.dumps({**said, "temperature": "warm"}))
    with pytest.raises(InputError, match="temperature"):
        read_artifact(artifact.path)


def test_missing_manifest_is_named(tmp_path: Path) -> None:
    artifact = save(tmp_path)
    artifact.path.with_name("tiny.manifest.json").unlink()
    with pytest.raises(InputError, match=r"tiny\.manifest\.json"):
        read_artifact(artifact.path)
    assert find_artifacts(tmp_path, "reformulate") == []


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        (Ask.with_instructions("Answer at once."), "instructions"),
        (Ask.append("note", dspy.OutputField(desc="more"), str), "note"),
        (Ask.delete("question"), "question"),
        (Ask.with_updated_fields("answer", desc="other"), "answer"),
        (Ask.with_updated_fields("answer", type_=int), "answer"),
    ],
)
def test_fingerprint_mismatch_names_the_field(changed: Any, named: str) -> None:
    difference = fingerprint_mismatch(fingerprint({"ask": Ask}), fingerprint({"ask": changed}))
    assert difference is not None and f"`{named}`" in difference


def test_same_signature_has_no_mismatch() -> None:
    assert fingerprint_mismatch(fingerprint({"ask": Ask}), fingerprint({"ask": Ask})) is None


@pytest.mark.parametrize("hostile", [b"\x80\x04K\x01.", b"[" * 100_000, b"{}x", b'{"ask": 3}'])
def test_hostile_state_with_a_matching_digest_is_refused(tmp_path: Path, hostile: bytes) -> None:
    import hashlib

    artifact = save(tmp_path)
    artifact.path.write_bytes(hostile)
    beside = artifact.path.with_name("tiny.manifest.json")
    said = {**json.loads(beside.read_text()), "state_sha256": hashlib.sha256(hostile).hexdigest()}
    beside.write_text(json.dumps(said))
    with pytest.raises(InputError, match=r"tiny\.json"):
        read_artifact(artifact.path)


def test_a_folder_that_may_not_be_read_is_named_and_not_taken_for_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: Path, pattern: str) -> Any:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "glob", refused)  # the user that runs tests may be one to whom nothing is refused
    with pytest.raises(SetupError, match=r"reformulate: cannot be read \(Permission denied\)"):
        find_artifacts(tmp_path, "reformulate")
