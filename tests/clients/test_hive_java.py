"""Hive's own Java client of three generations; none of them tries an older or newer method name."""
import pytest

from jars import HIVE, java_command, oldest_java
from life import hive_life
from program import Program


@pytest.fixture(scope="module", params=list(HIVE))
def version(request):
    return request.param


@pytest.fixture
def client(version, backend, tmp_path):
    command = java_command("HiveLife.java", HIVE[version], oldest_java(version))
    with Program([*command, f"thrift://127.0.0.1:{backend.port}"], tmp_path / "log") as program:
        yield program


def test_whole_life(client, backend, new_name):
    hive_life(client, backend, new_name)
