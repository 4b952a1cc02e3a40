"""A table's whole life in Spark SQL, whichever Hive client is below it."""
from backend import EMBEDDED
from life import Watcher
from plain_client import PlainClient
from support import metastore

PRUNED = {
    "region = 'north'": [1, 3],
    "n > 1": [2, 3],
    "n IN (1, 3)": [1, 3],
    "region = 'south' OR n = 1": [1, 2],
}
LIKE = {"region LIKE 'n%'": [1, 3]}
LIKE_AND_NUMBERS = {"region LIKE 'n%' AND n IN (2, 3)": [3]}


def likes(backend):
    """Where LIKE prunes. Hive clients before 4 send "n.*", later ones "n%", and each finds the same
    everywhere; metastores before 4 refuse it together with a key of numbers.
    """
    before_4 = backend.name != EMBEDDED and not backend.name.startswith("4.")
    return LIKE if before_4 else LIKE | LIKE_AND_NUMBERS


def spark_life(sql, backend, db):
    """`sql` runs a statement and returns its rows."""
    with metastore.connect(backend.port) as connection:
        see = PlainClient(connection)
        sql(f"CREATE DATABASE {db} COMMENT 'a life'")
        assert db in see.databases() and [db] in sql("SHOW DATABASES")
        _data_source_table(sql, see, db, PRUNED | likes(backend))
        _hive_table(sql, see, db)
        _hot_table(sql, see, db)
        _changes_of_others(sql, backend, db)
        _end(sql, see, db)


def _data_source_table(sql, see, db, pruned):
    name = f"{db}.t"
    sql(f"CREATE TABLE {name} (id INT, region STRING, n INT) USING parquet "
        "PARTITIONED BY (region, n)")
    assert see.tables(db) == ["t"] and [row[1] for row in sql(f"SHOW TABLES IN {db}")] == ["t"]
    for row in ("(1, 'north', 1)", "(2, 'south', 2)", "(3, 'north', 3)"):
        sql(f"INSERT INTO {name} VALUES {row}")
    names = ["region=north/n=1", "region=north/n=3", "region=south/n=2"]
    assert see.partitions(db, "t") == names
    assert sorted(row[0] for row in sql(f"SHOW PARTITIONS {name}")) == names
    for condition, expected in pruned.items():
        rows = sql(f"SELECT id FROM {name} WHERE {condition} ORDER BY id")
        assert [row[0] for row in rows] == expected, condition
    sql(f"ALTER TABLE {name} ADD COLUMNS (more STRING)")
    assert see.parameter(db, "t", "spark.sql.sources.provider") == ["parquet"]
    assert "more" in [row[0] for row in sql(f"DESCRIBE {name}")]
    sql(f"ALTER TABLE {name} DROP PARTITION (region = 'south', n = 2)")
    assert see.partitions(db, "t") == names[:2]
    sql(f"ALTER TABLE {name} PARTITION (region = 'north', n = 3) "
        "RENAME TO PARTITION (region = 'north', n = 4)")
    assert see.partitions(db, "t") == ["region=north/n=1", "region=north/n=4"]


def _hive_table(sql, see, db):
    name = f"{db}.lines"
    sql(f"CREATE TABLE {name} (id INT) PARTITIONED BY (day STRING) STORED AS TEXTFILE")
    sql(f"INSERT INTO {name} PARTITION (day = 'd1') VALUES (7), (8)")
    sql(f"INSERT INTO {name} PARTITION (day = 'd2') VALUES (9)")
    assert see.partitions(db, "lines") == ["day=d1", "day=d2"]
    assert sql(f"SELECT id FROM {name} WHERE day = 'd1' ORDER BY id") == [[7], [8]]
    assert [row[1] for row in sql(f"SHOW TABLES IN {db} LIKE 'l*'")] == ["lines"]
    sql(f"CREATE VIEW {db}.seen AS SELECT id FROM {name}")
    assert sql(f"SELECT count(*) FROM {db}.seen") == [[3]]
    assert [row[1] for row in sql(f"SHOW VIEWS IN {db}")] == ["seen"]
    assert see.tables(db) == ["lines", "seen", "t"]


def _hot_table(sql, see, db):
    def read():
        return int((see.parameter(db, "lines", "round") or ["0"])[0])

    with Watcher(read) as watcher:
        for number in range(1, 5):
            sql(f"ALTER TABLE {db}.lines SET TBLPROPERTIES ('round' = '{number}')")
            watcher.written(number)


def _changes_of_others(sql, backend, db):
    for port in (backend.port, backend.foreign_port):
        with metastore.connect(port) as other:
            metastore.change_table(other, db, "lines", parameters={"from": str(port)})
            other.drop_partition(db, "lines", ["d2"], False)
            if port == backend.foreign_port:
                backend.wait()
        assert sql(f"SHOW TBLPROPERTIES {db}.lines('from')") == [["from", str(port)]]
        assert sql(f"SHOW PARTITIONS {db}.lines") == [["day=d1"]]
        sql(f"ALTER TABLE {db}.lines ADD PARTITION (day = 'd2')")


def _end(sql, see, db):
    sql(f"CREATE FUNCTION {db}.up AS 'org.apache.hadoop.hive.ql.udf.generic.GenericUDFUpper'")
    assert sql(f"SELECT {db}.up('a')") == [["A"]]
    sql(f"DROP FUNCTION {db}.up")
    sql(f"ALTER TABLE {db}.lines RENAME TO {db}.moved")
    assert see.tables(db) == ["moved", "seen", "t"]
    assert see.partitions(db, "moved") == ["day=d1", "day=d2"]
    for statement in ("DROP VIEW {}.seen", "DROP TABLE {}.moved", "DROP TABLE {}.t"):
        sql(statement.format(db))
    assert see.tables(db) == [] == sql(f"SHOW TABLES IN {db}")
    sql(f"DROP DATABASE {db}")
    assert db not in see.databases()
