"""The schema of the tantivy index, its version, and how it is opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import IntegrityError, SetupError
from ..signatures.types import Passage

if TYPE_CHECKING:
    import tantivy

VERSION = 1
"""Of schema, analysis and facts together: an index of another version would miss what it holds."""

_ABOUT = "turnkeeper.json"
_ANALYSER = "turnkeeper_english"


def opened(path: Path | None) -> tantivy.Index:
    """Return the index of a folder, made when there is none, or one in memory."""
    try:
        import tantivy
    except ImportError:
        raise SetupError("tantivy is not installed: pip install 'turnkeeper[retrieval]'") from None
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title", tokenizer_name=_ANALYSER)
    builder.add_text_field("text", tokenizer_name=_ANALYSER)
    builder.add_text_field("facts", tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("stored", stored=True)
    try:
        if path is None:
            index = tantivy.Index(builder.build())
        else:
            path.mkdir(parents=True, exist_ok=True)
            _require_ours(path, tantivy.Index.exists(str(path)))
            index = tantivy.Index(builder.build(), path=str(path))
    except OSError as error:
        raise SetupError(f"{path}: cannot be used as an index: {error.strerror or error}") from None
    except ValueError as error:
        raise IntegrityError(f"{path}: the index cannot be read: {str(error)[:200]}") from None
    # The text comes folded: what is left to do is to split at blanks and to stem.
    analyser = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    index.register_tokenizer(_ANALYSER, analyser.filter(tantivy.Filter.stemmer("english")).build())
    index.config_reader("manual")
    return index


def passage_of(document: tantivy.Document) -> Passage:
    """Return the passage that a document of the index holds."""
    return Passage.model_validate_json(bytes(document.get_first("stored") or b""))


def _require_ours(path: Path, exists: bool) -> None:
    about = path / _ABOUT
    if not exists:
        if any(item.name != _ABOUT for item in path.iterdir()):
            raise IntegrityError(f"{path}: holds other files and no index; name a folder of its own")
        about.write_text(json.dumps({"version": VERSION}), encoding="utf-8")
        return
    try:
        version = json.loads(about.read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError, TypeError):
        raise IntegrityError(f"{path}: holds an index that turnkeeper did not make") from None
    if version != VERSION:
        raise IntegrityError(f"{path}: the index has version {version}, not {VERSION}; build it again")
