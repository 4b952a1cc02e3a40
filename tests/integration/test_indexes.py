"""Indexes of Hive 2.3: a table comes with each and goes with it, the latter without an event of its
own."""
import pytest
from thrift_binary import I32, List, Map, Struct
from thrift_connection import Connection

from support import metastore
from support.raw import assert_all_same, table_reads


def storage():
    return Struct({
        1: List([Struct({1: "id", 2: "bigint"}), Struct({1: "_bucketname", 2: "string"})]),
        3: "org.apache.hadoop.mapred.TextInputFormat",
        4: "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        5: False, 6: I32(-1),
        7: Struct({1: "s", 2: "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
                   3: Map({"serialization.format": "1"})}),
        8: List([]), 9: List([]), 10: Map({})})


def index(db, note):
    return Struct({
        1: "i", 2: "org.apache.hadoop.hive.ql.index.compact.CompactIndexHandler", 3: db, 4: "base",
        5: I32(1), 6: I32(1), 7: "base_i", 8: storage(), 9: Map({"note": note}), 10: False})


def add(connection, db):
    connection.result("add_index", Struct({
        1: index(db, "first"),
        2: Struct({1: "base_i", 2: db, 3: "tester", 4: I32(0), 5: I32(0), 6: I32(0), 7: storage(),
                   8: List([]), 9: Map({}), 12: "INDEX_TABLE"})}))


def drop(connection, db):
    connection.result("drop_index_by_name", Struct({1: db, 2: "base", 3: "i", 4: True}))


@pytest.mark.parametrize("who", ["others", "own"])
def test_tables_of_indexes_come_and_go(hms, daemon, direct, db, who):
    if not hms.version.is_before_catalogs:
        with Connection(hms.port) as connection, pytest.raises(Exception, match="add_index"):
            add(connection, db)
        return
    direct.create_table(metastore.table(db, "base"))
    daemon.wait()
    reads = [("get_all_tables", Struct({1: db})), *table_reads(db, "base"),
             *table_reads(db, "base_i")]

    def look():
        if who == "others":
            daemon.wait()
        assert_all_same(hms.port, daemon.port, reads)
        daemon.wait()
        daemon.ctl("sync", f"{db}.base")
        assert_all_same(hms.port, daemon.port, reads)

    with Connection(hms.port if who == "others" else daemon.port) as connection:
        add(connection, db)
        look()
        connection.result("alter_index", Struct({1: db, 2: "base", 3: "i", 4: index(db, "other")}))
        look()
        drop(connection, db)
        look()
        assert daemon.state_of(f"{db}.base_i") == "absent"
        add(connection, db)
        look()
        connection.result("drop_table", Struct({1: db, 2: "base", 3: False}))
        daemon.wait()
        assert_all_same(hms.port, daemon.port, reads)
