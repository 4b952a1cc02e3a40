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


def test_patterns_of_its_release(client, version, backend, new_name):
    """4.2.0 reads "d%", which 3.1.3 and 2.3.10 call "d.*"."""
    client.create_database(new_name)
    client.create_table(new_name, "t")
    for values in (("d1", "1"), ("d2", "2"), ("e1", "1")):
        client.add_partition(new_name, "t", *values)
    pattern = "d%" if version.startswith("4.") else "d.*"
    assert client.pruned(new_name, "t", f'day like "{pattern}"') == ["d1/1", "d2/2"]
    client.drop_table(new_name, "t")
    client.drop_database(new_name)


def test_open_transactions(client):
    """The answer changed between releases: a set, a list, and which ones are aborted."""
    number, = client.open_transaction()
    assert client.is_committed(number) == ["false"]
    client.roll_back(number)
    assert client.is_committed(number) == ["false"]
