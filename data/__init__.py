"""Data of turnkeeper: rows of JSONL files, golden sets, the demo. The public readers are in `turnkeeper.data.rows`."""
