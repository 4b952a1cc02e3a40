"""SparkShell: a Spark in a process of its own, because one JVM knows one metastore only."""
import json
import os
import subprocess
import sys
from pathlib import Path

from support.hms.java import find_java

PROGRAM = Path(__file__).with_name("spark_program.py")
# What Spark 3.5 runs on.
OLDEST_JAVA = 17


class SparkError(Exception):
    pass


class SparkShell:
    """`python` has another Spark; `options` are added to those of the program."""

    def __init__(self, port, folder, python=sys.executable, options=None):
        self._folder = Path(folder)
        self._log = open(self._folder / "spark.log", "w+", encoding="utf-8")
        java = Path(find_java(OLDEST_JAVA))
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("SPARK_", "HIVE_", "HADOOP_"))}
        environment |= {"JAVA_HOME": str(java.parents[1]), "SPARK_LOCAL_IP": "127.0.0.1"}
        self._process = subprocess.Popen(
            [str(python), str(PROGRAM), f"thrift://127.0.0.1:{port}", str(self._folder),
             json.dumps(options or {})],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True,
            env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._process.stdin.close()
        try:
            self._process.wait(60)
        finally:
            self._process.kill()
            self._log.close()

    def sql(self, statement):
        """The rows of a statement; SparkError with Spark's own text."""
        self._process.stdin.write(json.dumps(statement) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("answer "):
                found = json.loads(line.removeprefix("answer "))
                if "error" in found:
                    raise SparkError(found["error"])
                return found["rows"]
        self._log.seek(0)
        raise RuntimeError(f"Spark ended at {statement!r}:\n{self._log.read()[-4000:]}")
