"""Compiled programs, one folder a behaviour: `<slug>.json` (DSPy state), `<slug>.manifest.json`, and their loader."""

from ._state import require_fit
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
    "read_artifact",
    "require_fit",
    "shipped_dir",
    "write_artifact",
]
