"""Compiled programs, one folder a behaviour: `<slug>.json` (DSPy state), `<slug>.manifest.json`, and their loader."""

from ._state import ordered_demos, require_fit
from .artifact import Artifact, find_artifacts, read_artifact, shipped_dir, write_artifact
from .manifest import LMRecord, Manifest, OptimizerRecord, fingerprint, fingerprint_mismatch

__all__ = [
    "Artifact",
    "LMRecord",
    "Manifest",
    "OptimizerRecord",
    "find_artifacts",
    "fingerprint",
    "fingerprint_mismatch",
    "ordered_demos",
    "read_artifact",
    "require_fit",
    "shipped_dir",
    "write_artifact",
]
