"""Spark's built-in Hive client (2.3), which knows only the old methods, also before a metastore
that dropped them."""
import importlib.metadata

import pytest

from spark_life import spark_life
from spark_shell import SparkError
from support import metastore

VERSION = importlib.metadata.version("pyspark")
CSV = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"


def column(rows, name):
    return [row[1] for row in rows if row[0] == name]


@pytest.fixture
def lines(direct, daemon, db, tmp_path):
    """An external text table with two partitions and data, made by a foreign client."""
    table = metastore.table(db, "lines", [("day", "string")])
    table.sd.location = f"file://{tmp_path}/lines"
    table.sd.serdeInfo.parameters["field.delim"] = ","
    direct.create_table(table)
    for day, text in (("d1", "1,a\n2,b\n"), ("d2", "3,c\n")):
        folder = tmp_path / "lines" / f"day={day}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "data.csv").write_text(text)
        direct.add_partition(metastore.partition(direct, db, "lines", [day]))
    daemon.wait()
    return f"{db}.lines"


@pytest.mark.on_backends("4.2.0")
@pytest.mark.parametrize("statement", ["DESCRIBE {}", "SELECT count(*) FROM {}",
                                       "SHOW PARTITIONS {}"])
def test_straight_at_the_metastore_it_cannot_read_tables(spark_straight, lines, statement):
    with pytest.raises(SparkError, match="Invalid method name: 'get_table'"):
        spark_straight.sql(statement.format(lines))


def test_through_the_daemon_it_shows_and_describes(spark_through, lines, db):
    assert [db] in spark_through.sql("SHOW DATABASES")
    assert spark_through.sql(f"SHOW TABLES IN {db}") == [[db, "lines", False]]
    described = spark_through.sql(f"DESCRIBE {lines}")
    assert column(described, "id") == ["bigint"] and column(described, "name") == ["string"]
    assert "day" in str(described)
    assert spark_through.sql(f"SHOW PARTITIONS {lines}") == [["day=d1"], ["day=d2"]]
    extended = dict(row[:2] for row in spark_through.sql(f"DESCRIBE EXTENDED {lines}"))
    assert extended["Type"] == "EXTERNAL"


def test_through_the_daemon_it_selects(spark_through, lines):
    rows = spark_through.sql(f"SELECT id, name, day FROM {lines} ORDER BY id")
    assert rows == [[1, "a", "d1"], [2, "b", "d1"], [3, "c", "d2"]]
    assert spark_through.sql(f"SELECT name FROM {lines} WHERE day = 'd2'") == [["c"]]


def test_a_foreign_change_is_in_the_next_statement(spark_through, lines, direct, daemon, db):
    direct.drop_partition(db, "lines", ["d1"], False)
    metastore.change_table(direct, db, "lines", parameters={"note": "changed"})
    daemon.wait()
    assert spark_through.sql(f"SHOW PARTITIONS {lines}") == [["day=d2"]]
    assert spark_through.sql(f"SHOW TBLPROPERTIES {lines}('note')") == [["note", "changed"]]


def test_through_the_daemon_it_writes(spark_through, direct, db):
    sql = spark_through.sql
    name = f"{db}.made"
    sql(f"CREATE TABLE {name} (id INT, region STRING) USING parquet PARTITIONED BY (region)")
    sql(f"INSERT INTO {name} VALUES (1, 'north'), (2, 'south'), (3, 'north')")
    assert sql(f"SELECT id FROM {name} WHERE region = 'north' ORDER BY id") == [[1], [3]]
    assert direct.get_partition_names(db, "made", -1) == ["region=north", "region=south"]
    sql(f"ALTER TABLE {name} DROP PARTITION (region = 'south')")
    assert sql(f"SHOW PARTITIONS {name}") == [["region=north"]]
    sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('note' = 'x')")
    assert metastore.get_table(direct, db, "made").parameters["note"] == "x"
    sql(f"ALTER TABLE {name} ADD COLUMNS (more STRING)")
    assert column(sql(f"DESCRIBE {name}"), "more") == ["string"]
    sql(f"CREATE VIEW {db}.seen AS SELECT id FROM {name}")
    assert sql(f"SELECT count(*) FROM {db}.seen") == [[2]]
    sql(f"ALTER TABLE {name} RENAME TO {db}.moved")
    assert sorted(row[1] for row in sql(f"SHOW TABLES IN {db}")) == ["moved", "seen"]
    sql(f"DROP VIEW {db}.seen")
    sql(f"DROP TABLE {db}.moved")
    assert sql(f"SHOW TABLES IN {db}") == []


def test_a_hive_table_that_spark_writes_through_hive(spark_through, direct, db):
    sql = spark_through.sql
    name = f"{db}.text_table"
    sql(f"CREATE TABLE {name} (id INT) PARTITIONED BY (day STRING) STORED AS TEXTFILE")
    sql(f"INSERT INTO {name} PARTITION (day = 'd1') VALUES (7), (8)")
    assert sql(f"SELECT id, day FROM {name} ORDER BY id") == [[7, "d1"], [8, "d1"]]
    assert metastore.get_table(direct, db, "text_table").sd.serdeInfo.serializationLib == CSV
    sql(f"CREATE DATABASE {db}_spark")
    sql(f"DROP DATABASE {db}_spark")
    assert f"{db}_spark" not in direct.get_all_databases()


def test_whole_life(spark_through, backend, new_name):
    spark_life(spark_through.sql, backend, new_name)
