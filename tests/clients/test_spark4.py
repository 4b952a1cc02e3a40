"""Spark 4 with its built-in Hive client (2.3), and with those of Hive 3.1 and 4.1 in its place."""
import subprocess
import sys
from pathlib import Path

import pytest

from jars import SPARK_HIVE, class_path
from spark_life import spark_life
from spark_shell import SparkShell
from support.hms.cache import cache_root, locked

REQUIREMENTS = Path(__file__).with_name("spark4-requirements.txt")
SPARK = REQUIREMENTS.read_text(encoding="utf-8").split("pyspark==")[1].strip()


def spark_python():
    """The interpreter of an environment with Spark 4, made where there is none."""
    venv = cache_root() / "clients-spark4"
    stamp = venv / "requirements.txt"
    with locked("clients-spark4"):
        if not stamp.exists() or stamp.read_bytes() != REQUIREMENTS.read_bytes():
            subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
            subprocess.run([venv / "bin" / "python", "-m", "pip", "install", "-q",
                            "--disable-pip-version-check", "-r", REQUIREMENTS], check=True)
            stamp.write_bytes(REQUIREMENTS.read_bytes())
    return venv / "bin" / "python"


def options_of(hive):
    if hive is None:
        return {}
    jars = ",".join(f"file://{jar}" for jar in class_path(SPARK_HIVE[hive]).split(":"))
    return {"spark.sql.hive.metastore.version": hive, "spark.sql.hive.metastore.jars": "path",
            "spark.sql.hive.metastore.jars.path": jars}


@pytest.mark.parametrize("version", [
    f"{SPARK} built-in", f"{SPARK} with Hive 3.1.3", f"{SPARK} with Hive 4.1.0"])
def test_whole_life(backend, new_name, tmp_path, version):
    _, _, hive = version.partition(" with Hive ")
    with SparkShell(backend.port, tmp_path, spark_python(), options_of(hive or None)) as shell:
        spark_life(shell.sql, backend, new_name)
