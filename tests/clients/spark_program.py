"""Spark with its built-in Hive client: SQL statements on standard input, one JSON answer a line.

Arguments: metastore URI, folder for warehouse and scratch files, more options as JSON. A statement
is a JSON string on a line of its own; the answer is {"rows": [[...]]} or {"error": "..."}.
"""
import json
import os
import sys

from pyspark.sql import SparkSession


def start(uri, folder, more):
    options = {
        "spark.master": "local[1]",
        "spark.driver.memory": "640m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"-XX:+UseSerialGC -Djava.io.tmpdir={folder}",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": f"file://{folder}/warehouse",
        "spark.local.dir": folder,
        "spark.hadoop.hive.metastore.uris": uri,
        "spark.hadoop.hive.metastore.client.socket.timeout": "60s",
        "spark.hadoop.hive.exec.scratchdir": f"{folder}/scratch",
        **json.loads(more),
    }
    builder = SparkSession.builder.appName("client test")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.enableHiveSupport().getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def answer(session, statement):
    try:
        return {"rows": [list(row) for row in session.sql(statement).collect()]}
    except Exception as error:  # noqa: BLE001 Whatever Spark says is the answer.
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    uri, folder, more = sys.argv[1:]
    os.chdir(folder)
    session = start(uri, folder, more)
    for line in sys.stdin:
        print("answer " + json.dumps(answer(session, json.loads(line)), default=str), flush=True)
    session.stop()


if __name__ == "__main__":
    main()
