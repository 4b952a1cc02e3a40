"""What others do directly in the metastore is right in the daemon once `wait` returned."""
import pytest
from pymetastore.hive_metastore import ttypes as t

from support import metastore
from support.metastore import change_table, columns, get_table
from support.raw import (assert_all_same, assert_same, database_reads, partition_reads, table_reads)
from thrift_binary import I16, List, Struct


def assert_table_same(hms, daemon, db, name):
    daemon.wait()
    assert_all_same(hms.port, daemon.port, table_reads(db, name) + database_reads(db))


def test_a_table_from_birth_to_death(hms, daemon, direct, db):
    direct.create_table(metastore.table(db, "orders", parameters={"note": "first"}))
    assert_table_same(hms, daemon, db, "orders")

    change_table(direct, db, "orders", parameters={"note": "second"})
    assert_table_same(hms, daemon, db, "orders")

    changed = get_table(direct, db, "orders")
    changed.sd.cols = changed.sd.cols + columns(("added", "decimal(10,2)"))
    direct.alter_table(db, "orders", changed)
    assert_table_same(hms, daemon, db, "orders")

    change_table(direct, db, "orders", tableName="renamed")
    assert_table_same(hms, daemon, db, "renamed")
    assert_table_same(hms, daemon, db, "orders")

    direct.drop_table(db, "renamed", True)
    assert_table_same(hms, daemon, db, "renamed")


def test_the_answer_comes_from_the_cache(daemon, direct, db):
    """Otherwise equality would show nothing but the pass-through."""
    direct.create_table(metastore.table(db, "cached"))
    daemon.wait()
    info = daemon.get(f"{db}.cached")
    assert info["state"] == "present"
    assert info["served_from_cache"] is True
    assert info["synced_event_id"] > 0
    assert info["catalog_version"] > 0


def test_a_name_that_was_dropped_and_made_again_is_the_new_one(hms, daemon, direct, db):
    for note in ("one", "two", "three"):
        direct.create_table(metastore.table(db, "again", parameters={"note": note}))
        assert_table_same(hms, daemon, db, "again")
        direct.drop_table(db, "again", True)
    assert_table_same(hms, daemon, db, "again")


def test_partitions(hms, daemon, direct, db):
    direct.create_table(metastore.table(db, "days", [("day", "string"), ("hour", "int")]))
    names = [f"day=d{i}/hour={i}" for i in range(5)]
    values = [[f"d{i}", str(i)] for i in range(5)]
    reads = partition_reads(db, "days", names, values)

    def assert_same_partitions():
        daemon.wait()
        assert_all_same(hms.port, daemon.port, reads)

    direct.add_partitions([metastore.partition(direct, db, "days", each) for each in values[:3]])
    assert_same_partitions()
    direct.append_partition(db, "days", values[3])
    assert_same_partitions()
    changed = direct.get_partition(db, "days", values[0])
    changed.parameters = {"touched": "yes"}
    direct.alter_partition(db, "days", changed)
    assert_same_partitions()
    both = direct.get_partitions_by_names(db, "days", names[1:3])
    for one in both:
        one.parameters = {**one.parameters, "touched": "twice"}
    direct.alter_partitions(db, "days", both)
    assert_same_partitions()
    renamed = direct.get_partition(db, "days", values[0])
    renamed.values = values[4]
    direct.rename_partition(db, "days", values[0], renamed)
    assert_same_partitions()
    direct.drop_partition(db, "days", values[1], False)
    assert_same_partitions()


def test_a_partition_value_with_every_special_character(hms, daemon, direct, db):
    direct.create_table(metastore.table(db, "odd", [("day", "string")]))
    value = "a/b=c%d e:f#g\"h'i{j}"
    direct.append_partition(db, "odd", [value])
    daemon.wait()
    name = direct.get_partition_names(db, "odd", -1)
    assert_all_same(hms.port, daemon.port, partition_reads(db, "odd", name, [[value]]))


def test_partitions_with_members_that_reads_of_many_leave_out(hms, daemon, direct, db):
    direct.create_table(metastore.table(db, "rich", [("day", "string")]))
    rich = metastore.partition(direct, db, "rich", ["1"])
    rich.sd.serdeInfo.description = "told by single reads only"
    rich.sd.serdeInfo.serializerClass = "org.example.Serializer"
    rich.sd.skewedInfo = t.SkewedInfo(["id"], [["1"]], {})
    direct.add_partitions([rich, metastore.partition(direct, db, "rich", ["2"])])
    reads = partition_reads(db, "rich", ["day=1", "day=2"], [["1"], ["2"]]) + [
        ("get_partition_with_auth",
         Struct({1: db, 2: "rich", 3: List(["1"]), 4: "bob", 5: List(["staff"])})),
        ("get_partitions_with_auth",
         Struct({1: db, 2: "rich", 3: I16(-1), 4: "bob", 5: List(["staff"])})),
        ("get_partitions_ps", Struct({1: db, 2: "rich", 3: List(["1"]), 4: I16(-1)})),
        ("get_partitions_ps_with_auth",
         Struct({1: db, 2: "rich", 3: List(["1"]), 4: I16(-1), 5: "bob", 6: List(["staff"])})),
    ]
    daemon.wait()
    assert_all_same(hms.port, daemon.port, reads)
    daemon.ctl("sync", f"{db}.rich")
    assert daemon.get(f"{db}.rich")["partitions"] == 2
    assert_all_same(hms.port, daemon.port, reads)
    direct.append_partition(db, "rich", ["3"])
    daemon.wait()
    assert_all_same(hms.port, daemon.port, reads)


def test_databases(hms, daemon, direct, db):
    made = f"{db}_more"
    direct.create_database(metastore.database(made))
    daemon.wait()
    assert_all_same(hms.port, daemon.port,
                    database_reads(made) + [("get_all_databases", Struct())])
    changed = direct.get_database(made)
    changed.parameters = {"kind": "changed"}
    direct.alter_database(made, changed)
    if hms.version.is_before_catalogs:  # 2.3 writes no event for it; the reconcile pass is slower.
        daemon.ctl("sync", made)
    daemon.wait()
    assert_all_same(hms.port, daemon.port, database_reads(made))
    direct.create_table(metastore.table(made, "inside"))
    direct.drop_database(made, True, True)
    daemon.wait()
    assert_all_same(hms.port, daemon.port, database_reads(made) + table_reads(made, "inside") +
                    [("get_all_databases", Struct())])


def test_names_are_told_without_regard_to_case(hms, daemon, direct, db):
    direct.create_table(metastore.table(db, "Mixed_Case"))
    daemon.wait()
    for name in ("Mixed_Case", "mixed_case", "MIXED_CASE"):
        assert_all_same(hms.port, daemon.port, table_reads(db.upper(), name))


def test_table_of_every_kind_of_field(hms, daemon, direct, db):
    """Fields that no engine sets often, among them a map whose keys are lists."""
    fields = columns(("a", "array<struct<x:int,y:map<string,double>>>"), ("b", "varchar(20)"))
    full = metastore.table(db, "full", parameters={"empty": "", "utf8": "naïve ☃ 𝄞"},
                           fields=fields)
    full.sd.cols[0].comment = "quotes \" and \\ and \n lines"
    full.sd.bucketCols = ["b"]
    full.sd.numBuckets = 4
    full.sd.sortCols = [t.Order("b", 1)]
    full.sd.skewedInfo = t.SkewedInfo(["b"], [["x"], ["y"]], {})
    full.sd.storedAsSubDirectories = False
    full.retention = 7
    direct.create_table(full)
    assert_table_same(hms, daemon, db, "full")


def test_views_and_statistics(hms, daemon, direct, db):
    view = metastore.table(db, "seen")
    view.tableType, view.parameters = "VIRTUAL_VIEW", {}
    view.viewOriginalText = view.viewExpandedText = "select 1"
    direct.create_table(view)
    assert_table_same(hms, daemon, db, "seen")
    direct.create_table(metastore.table(db, "measured"))
    statistics = t.ColumnStatistics(
        t.ColumnStatisticsDesc(isTblLevel=True, dbName=db, tableName="measured"),
        [t.ColumnStatisticsObj("id", "bigint", t.ColumnStatisticsData(
            longStats=t.LongColumnStatsData(lowValue=1, highValue=9, numNulls=0, numDVs=9)))])
    statistics.engine = "hive"
    direct.update_table_column_statistics(statistics)
    if hms.version.name == "4.2.0":  # 3.1 does not log a change of statistics.
        assert_table_same(hms, daemon, db, "measured")


def test_a_long_tail_of_changes(hms, daemon, direct, db):
    for number in range(40):
        direct.create_table(metastore.table(db, f"many{number}"))
    for number in range(0, 40, 2):
        change_table(direct, db, f"many{number}", parameters={"n": str(number)})
    for number in range(0, 40, 4):
        direct.drop_table(db, f"many{number}", True)
    daemon.wait()
    assert_same(hms.port, daemon.port, "get_all_tables", Struct({1: db}))
    for number in range(40):
        assert_all_same(hms.port, daemon.port, table_reads(db, f"many{number}"))


@pytest.mark.parametrize("named", [False, True])
def test_wait_names_the_event_that_was_reached(daemon, direct, db, named):
    direct.create_table(metastore.table(db, "awaited"))
    event = metastore.current_event(direct)
    result = daemon.wait(f"{db}.awaited") if named else daemon.wait()
    assert result["event_id"] >= event
    assert daemon.get(f"{db}.awaited")["effective_event_id"] >= event
