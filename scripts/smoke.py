"""What must work right after `pip install` of the wheel, run from a folder that is not the repository."""

import importlib.util
import json
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import turnkeeper
from turnkeeper.data.demo import conversation, corpus, talk
from turnkeeper.retrieval import SearchRequest, to_elasticsearch
from turnkeeper.signatures.expand import BooleanQuery, Clause

ROW = {
    "id": "smoke",
    "history": [{"role": "user", "content": "Which lamps does Aldra make?"}],
    "query": "Which lamps does Aldra make?",
    "access_scope": None,
    "prediction": {"standalone_query": "Which lamps does Aldra make?", "action": "unchanged"},
}


def command(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["turnkeeper", *arguments], capture_output=True, text=True)


place = Path(turnkeeper.__file__).resolve()
assert Path(sys.prefix).resolve() in place.parents, f"imported from {place}, not from the installed wheel"
for name in ("modules", "signatures", "metrics", "data", "optimized", "tests", "scripts", "src", "benchmarks"):
    assert importlib.util.find_spec(name) is None, f"the generic name {name} is importable"
assert len(list(conversation())) > 5 and len(corpus()) >= 40 and len(talk()) > 10
assert (files("turnkeeper") / "py.typed").is_file()
for behaviour in ("reformulate", "expand", "cite", "carry_forward"):
    folder = files("turnkeeper.optimized") / behaviour
    artifacts = [a for a in folder.iterdir() if a.name.endswith(".json")]
    assert len(artifacts) >= 2, f"no program of {behaviour} in the wheel"
    for artifact in artifacts:
        json.loads(artifact.read_text(encoding="utf-8"))
    rows = files("turnkeeper.data") / "golden" / behaviour / "dev.jsonl"
    assert len(rows.read_text(encoding="utf-8").splitlines()) > 40, f"no golden rows of {behaviour} in the wheel"

body = to_elasticsearch(SearchRequest(query=BooleanQuery(should=(Clause(phrase="lamps"),))))
assert "lamps" in json.dumps(body)  # the exporters need no search engine

help_ = command("--help")
assert help_.returncode == 0 and "demo" in help_.stdout, help_.stderr
with tempfile.TemporaryDirectory() as folder_name:
    source, target = Path(folder_name, "in.jsonl"), Path(folder_name, "out.jsonl")
    source.write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    checked = command("check", "reformulate", "--in", str(source), "--out", str(target))
    assert checked.returncode == 0, checked.stderr
    assert json.loads(target.read_text(encoding="utf-8"))["ok"] is True
    source.write_text(
        json.dumps({"id": "smoke", "history": [], "query": "lamps without glass"}) + "\n", encoding="utf-8"
    )
    found = command("exclusions", "--in", str(source), "--out", str(target))
    assert found.returncode == 0, found.stderr
    assert json.loads(target.read_text(encoding="utf-8"))["negation_constraints"] == ["glass"]
print(f"turnkeeper {turnkeeper.__version__} works from its wheel on Python {sys.version.split()[0]}")
