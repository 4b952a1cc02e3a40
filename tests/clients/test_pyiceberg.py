"""PyIceberg's Hive catalog, which knows only the old methods, also before a metastore that dropped
them."""
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType
from thrift.Thrift import TApplicationException

from life import Watcher, iceberg_life, metadata_version
from plain_client import PlainClient
from support import metastore

VERSION = importlib.metadata.version("pyiceberg")
WRITER = Path(__file__).with_name("pyiceberg_writer.py")
SCHEMA = Schema(NestedField(1, "id", LongType(), required=False),
                NestedField(2, "name", StringType(), required=False))


def catalog_at(port, folder):
    return load_catalog("h", type="hive", uri=f"thrift://127.0.0.1:{port}",
                        warehouse=f"file://{folder}")


@pytest.fixture
def through(daemon, tmp_path):
    return catalog_at(daemon.port, tmp_path)


@pytest.fixture
def straight(hms, tmp_path):
    return catalog_at(hms.port, tmp_path)


@pytest.fixture
def rows():
    return pyarrow.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})


@pytest.fixture
def namespace(through, new_name):
    through.create_namespace(new_name)
    return new_name


@pytest.mark.on_backends("4.2.0")
def test_straight_at_the_metastore_it_cannot_read_tables(through, straight, namespace):
    through.create_table(f"{namespace}.there", SCHEMA)
    with pytest.raises(TApplicationException, match="get_table"):
        straight.load_table(f"{namespace}.there")
    with pytest.raises(TApplicationException, match="get_table_objects_by_name"):
        straight.list_tables(namespace)
    with pytest.raises(TApplicationException, match="get_table"):
        straight.create_table(f"{namespace}.other", SCHEMA)


def test_through_the_daemon_it_lives_a_tables_whole_life(through, hms, namespace, rows):
    name = f"{namespace}.events"
    assert (namespace,) in through.list_namespaces()
    table = through.create_table(name, SCHEMA, properties={"note": "first"})
    assert through.list_tables(namespace) == [(namespace, "events")]
    table.append(rows)
    assert through.load_table(name).scan().to_arrow().sort_by("id").equals(rows)
    with table.update_schema() as change:
        change.add_column("more", StringType())
    table.append(rows.append_column("more", pyarrow.array(["x", "y", "z"])))
    loaded = through.load_table(name)
    assert loaded.schema().column_names == ["id", "name", "more"]
    assert loaded.scan(row_filter="more = 'y'").to_arrow()["id"].to_pylist() == [2]
    assert len(loaded.snapshots()) == 2
    through.rename_table(name, f"{namespace}.moved")
    assert through.list_tables(namespace) == [(namespace, "moved")]
    with pytest.raises(NoSuchTableError):
        through.load_table(name)
    through.drop_table(f"{namespace}.moved")
    assert through.list_tables(namespace) == []


@pytest.mark.on_backends("4.2.0", "3.1.3", "2.3.10")
def test_a_commit_of_another_is_seen_at_the_next_load(daemon, hms, through, namespace, rows,
                                                      tmp_path, start_daemon):
    """The other one commits through a daemon of its own, so it is a foreign client to ours."""
    name = f"{namespace}.shared"
    through.create_table(name, SCHEMA)
    other = catalog_at(start_daemon("--metastore", hms.uri).port, tmp_path)
    for count in (1, 2, 3):
        other.load_table(name).append(rows)
        daemon.wait()
        assert len(through.load_table(name).snapshots()) == count
    through.load_table(name).append(rows)
    assert through.load_table(name).scan().to_arrow().num_rows == 12


def test_a_table_that_is_not_iceberg_is_not_listed(through, daemon, direct, namespace):
    direct.create_table(metastore.table(namespace, "plain"))
    through.create_table(f"{namespace}.ice", SCHEMA)
    daemon.wait()
    assert through.list_tables(namespace) == [(namespace, "ice")]


class Words:
    """PyIceberg in the words of a life."""

    def __init__(self, catalog):
        self._catalog = catalog

    def create_namespace(self, namespace):
        self._catalog.create_namespace(namespace)

    def namespaces(self):
        return [name for name, in self._catalog.list_namespaces()]

    def drop_namespace(self, namespace):
        self._catalog.drop_namespace(namespace)

    def tables(self, namespace):
        return [name for _, name in self._catalog.list_tables(namespace)]

    def create_table(self, namespace, name):
        self._catalog.create_table((namespace, name), SCHEMA)

    def columns(self, namespace, name):
        return self._catalog.load_table((namespace, name)).schema().column_names

    def append(self, namespace, name):
        table = self._catalog.load_table((namespace, name))
        table.append(table.schema().as_arrow().empty_table())

    def snapshots(self, namespace, name):
        return [str(len(self._catalog.load_table((namespace, name)).snapshots()))]

    def set_property(self, namespace, name, key, value):
        with self._catalog.load_table((namespace, name)).transaction() as change:
            change.set_properties({key: value})

    def add_column(self, namespace, name, column):
        with self._catalog.load_table((namespace, name)).update_schema() as change:
            change.add_column(column, StringType())

    def rename_table(self, namespace, name, new):
        self._catalog.rename_table((namespace, name), (namespace, new))

    def drop_table(self, namespace, name):
        self._catalog.drop_table((namespace, name))


def test_whole_life(backend, through, new_name, tmp_path):
    iceberg_life(Words(through), backend, new_name, catalog_at(backend.port, tmp_path))


def test_no_commit_of_racing_processes_is_lost(backend, through, namespace, tmp_path):
    through.create_table(f"{namespace}.hot", SCHEMA)
    writers = [subprocess.Popen([sys.executable, str(WRITER), str(backend.port), str(tmp_path),
                                 f"{namespace}.hot", str(number), "4"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
               for number in range(3)]
    with metastore.connect(backend.port) as connection:
        see = PlainClient(connection)
        with Watcher(lambda: metadata_version(see, namespace, "hot")):
            for writer in writers:
                output = writer.communicate(timeout=300)[0]
                assert writer.returncode == 0, output
    table = through.load_table(f"{namespace}.hot")
    assert len(table.snapshots()) == 12
    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == sorted(
        10 * number + row for number in range(3) for row in range(4))
