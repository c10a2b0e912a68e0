"""Run by `test_spark.py` in a process of its own: rows through a released model in two Spark workers.

usage: python sparked.py MODEL ADDRESS ROWS.jsonl ANSWERS.jsonl
Each row is {id, query, history, access_scope}; each answer is the row's id and all that the model says of it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mlflow
from pyspark.sql import SparkSession

_SCHEMA = "id int, query string, history array<struct<role string, content string>>, access_scope string"


def main() -> None:
    model, address, source, target = sys.argv[1:]
    rows = [json.loads(line) for line in Path(source).read_text(encoding="utf-8").splitlines()]
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.memory", "512m").getOrCreate()
    rewrite = mlflow.pyfunc.spark_udf(
        spark, model, env_manager="local", model_config={"api_base": address, "threads": 4},
        extra_env={"MLFLOW_ALLOW_PICKLE_DESERIALIZATION": "false"},
    )  # fmt: skip
    frame = spark.createDataFrame([tuple(row.values()) for row in rows], _SCHEMA).coalesce(2)
    said = frame.select("id", rewrite("query", "history", "access_scope").alias("said")).select("id", "said.*")
    answers = [json.dumps(row.asDict(), ensure_ascii=False) for row in said.collect()]
    Path(target).write_text("\n".join(answers) + "\n", encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main()
