"""PyIceberg's Hive catalog, which knows only the old methods, on a metastore that dropped them."""
import pyarrow
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType
from thrift.Thrift import TApplicationException

from support import metastore

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
def namespace(through, direct):
    through.create_namespace("ice")
    yield "ice"
    metastore.drop_database(direct, "ice")


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
