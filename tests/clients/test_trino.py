"""Trino's Hive connector, which knows get_table_req and otherwise only old methods."""
import pytest

from jars import TRINO
from life import Watcher
from plain_client import PlainClient
from support import metastore
from trino_shell import TrinoShell

VERSION = TRINO.rsplit(":", 1)[1]
PRUNED = {
    "region = 'north'": [1, 3],
    "n > 1": [2, 3],
    "n IN (1, 3)": [1, 3],
    "region LIKE 'n%' AND n IN (2, 3)": [3],
}


@pytest.fixture(scope="session")
def trino(backend, tmp_path_factory):
    with TrinoShell(backend.port, tmp_path_factory.mktemp("trino")) as shell:
        yield shell


def test_whole_life(trino, backend, new_name, tmp_path):
    sql, schema = trino.sql, f"hive.{new_name}"
    with metastore.connect(backend.port) as connection:
        see = PlainClient(connection)
        sql(f"CREATE SCHEMA {schema} WITH (location = 'file://{tmp_path}/schema')")
        assert new_name in see.databases() and [new_name] in sql("SHOW SCHEMAS FROM hive")
        _fill(sql, see, schema)
        _read(sql, schema)
        _alter(sql, see, schema)
        _changes_of_others(sql, backend, schema)
        _end(sql, see, schema)


def _fill(sql, see, schema):
    db = schema.removeprefix("hive.")
    sql(f"CREATE TABLE {schema}.t (id integer, region varchar, n integer) "
        "WITH (format = 'PARQUET', partitioned_by = ARRAY['region', 'n'])")
    assert see.tables(db) == ["t"] and sql(f"SHOW TABLES FROM {schema}") == [["t"]]
    for row in ("(1, 'north', 1)", "(2, 'south', 2)", "(3, 'north', 3)"):
        sql(f"INSERT INTO {schema}.t VALUES {row}")
    assert see.partitions(db, "t") == ["region=north/n=1", "region=north/n=3",
                                       "region=south/n=2"]


def _read(sql, schema):
    for condition, expected in PRUNED.items():
        rows = sql(f"SELECT id FROM {schema}.t WHERE {condition} ORDER BY id")
        assert [row[0] for row in rows] == expected, condition
    assert sql(f'SELECT region, n FROM {schema}."t$partitions" ORDER BY n') == [
        ["north", 1], ["south", 2], ["north", 3]]
    statistics = {row[0]: row for row in sql(f"SHOW STATS FOR {schema}.t")}
    assert statistics[None][4] == 3  # Rows, from what each INSERT has told.


def _alter(sql, see, schema):
    db = schema.removeprefix("hive.")

    def columns():
        return len(see.columns(db, "t"))

    with Watcher(columns) as watcher:
        for number in range(2, 6):
            sql(f"ALTER TABLE {schema}.t ADD COLUMN more{number} varchar")
            watcher.written(number)
    sql(f"COMMENT ON TABLE {schema}.t IS 'a life'")
    assert see.parameter(db, "t", "comment") == ["a life"]
    sql(f"DELETE FROM {schema}.t WHERE region = 'south'")
    assert see.partitions(db, "t") == ["region=north/n=1", "region=north/n=3"]
    sql(f"CREATE VIEW {schema}.seen AS SELECT id FROM {schema}.t")
    assert sql(f"SELECT count(*) FROM {schema}.seen") == [[2]]


def _changes_of_others(sql, backend, schema):
    db = schema.removeprefix("hive.")
    values = {backend.port: "3", backend.foreign_port: "1"}
    for port, value in values.items():
        with metastore.connect(port) as other:
            other.drop_partition(db, "t", ["north", value], False)
        if port == backend.foreign_port:
            backend.wait()
        assert [int(value)] not in sql(f'SELECT n FROM {schema}."t$partitions"')


def _end(sql, see, schema):
    db = schema.removeprefix("hive.")
    sql(f"ALTER TABLE {schema}.t RENAME TO {schema}.moved")
    assert see.tables(db) == ["moved", "seen"]
    sql(f"DROP VIEW {schema}.seen")
    sql(f"DROP TABLE {schema}.moved")
    assert see.tables(db) == [] == sql(f"SHOW TABLES FROM {schema}")
    sql(f"DROP SCHEMA {schema}")
    assert db not in see.databases()
