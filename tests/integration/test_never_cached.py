"""Functions, statistics and constraints are never answered from the cache, and so never wrong; what
they change in a table or partition is right as well."""
import pytest
from pymetastore.hive_metastore import ttypes as t

from support import metastore
from support.raw import assert_all_same, partition_reads, table_reads
from support.statistics import set_partition_statistics, set_table_statistics
from thrift_binary import List, Struct

DAY = "day=1"


def function(db, name, class_name):
    return t.Function(functionName=name, dbName=db, className=class_name, ownerName="tester",
                      ownerType=t.PrincipalType.USER, createTime=0,
                      functionType=t.FunctionType.JAVA, resourceUris=[])


def function_reads(db, *names):
    return [("get_functions", Struct({1: db, 2: "*"})),
            ("get_all_functions", Struct()),
            *(("get_function", Struct({1: db, 2: name})) for name in names)]


def test_functions_are_right_at_once(hms, daemon, direct, through, db):
    """At once: not even `wait` is needed, whoever changes them."""
    def assert_same():
        assert_all_same(hms.port, daemon.port, function_reads(db, "f", "g"))

    assert_same()
    direct.create_function(function(db, "f", "org.example.First"))
    assert_same()
    through.create_function(function(db, "g", "org.example.First"))
    assert_same()
    direct.alter_function(db, "f", function(db, "f", "org.example.Second"))
    assert_same()
    through.alter_function(db, "g", function(db, "g", "org.example.Second"))
    assert_same()
    direct.drop_function(db, "f")
    assert_same()
    through.drop_function(db, "g")
    assert_same()


@pytest.mark.parametrize("level", ["cached", "latest"])
def test_functions_at_both_levels(daemon, direct, through, db, level):
    through.setMetaConf("catalogd.read", level)
    try:
        direct.create_function(function(db, "f", "org.example.First"))
        assert through.get_function(db, "f").className == "org.example.First"
        direct.alter_function(db, "f", function(db, "f", "org.example.Second"))
        assert through.get_function(db, "f").className == "org.example.Second"
        assert through.get_functions(db, "*") == ["f"]
        direct.drop_function(db, "f")
        with pytest.raises(t.NoSuchObjectException):
            through.get_function(db, "f")
    finally:
        through.setMetaConf("catalogd.read", "cached")


def statistics_reads(db, name):
    return [
        ("get_table_column_statistics", Struct({1: db, 2: name, 3: "id"})),
        ("get_table_statistics_req", Struct({1: Struct({1: db, 2: name, 3: List(["id"])})})),
        ("get_partition_column_statistics", Struct({1: db, 2: name, 3: DAY, 4: "id"})),
        ("get_partitions_statistics_req",
         Struct({1: Struct({1: db, 2: name, 3: List(["id"]), 4: List([DAY])})})),
        ("get_aggr_stats_for",
         Struct({1: Struct({1: db, 2: name, 3: List(["id"]), 4: List([DAY])})})),
    ]


def test_statistics_set_and_deleted_by_others(hms, daemon, direct, db):
    direct.create_table(metastore.table(db, "counted", [("day", "string")]))
    direct.append_partition(db, "counted", ["1"])
    daemon.wait()
    daemon.ctl("sync", f"{db}.counted")

    def assert_same(objects=True):
        daemon.wait()
        assert_all_same(hms.port, daemon.port, statistics_reads(db, "counted"))
        if objects:
            assert_all_same(hms.port, daemon.port, table_reads(db, "counted") +
                            partition_reads(db, "counted", [DAY], [["1"]]))

    # Before Hive 4 the log does not tell what this changes in table and partition.
    announced = hms.version.name == "4.2.0"
    set_table_statistics(direct, db, "counted", "id", 7)
    assert_same(announced)
    set_partition_statistics(direct, db, "counted", DAY, "id", 8)
    assert_same(announced)
    set_table_statistics(direct, db, "counted", "id", 70)
    assert_same(announced)
    direct.delete_partition_column_statistics(db, "counted", DAY, "id")
    assert_same(announced)
    direct.delete_table_column_statistics(db, "counted", "id")
    assert_same(announced)


def test_statistics_set_through_the_daemon_show_in_table_and_partition(hms, daemon, through, db):
    through.create_table(metastore.table(db, "counted", [("day", "string")]))
    through.append_partition(db, "counted", ["1"])
    reads = (statistics_reads(db, "counted") + table_reads(db, "counted") +
             partition_reads(db, "counted", [DAY], [["1"]]))
    set_table_statistics(through, db, "counted", "id", 7)
    assert_all_same(hms.port, daemon.port, reads)
    set_partition_statistics(through, db, "counted", DAY, "id", 8)
    assert_all_same(hms.port, daemon.port, reads)
    through.delete_partition_column_statistics(db, "counted", DAY, "id")
    through.delete_table_column_statistics(db, "counted", "id")
    assert_all_same(hms.port, daemon.port, reads)


def constraint_reads(db, name):
    return [
        ("get_primary_keys", Struct({1: Struct({1: db, 2: name, 3: "hive"})})),
        ("get_not_null_constraints", Struct({1: Struct({1: "hive", 2: db, 3: name})})),
        ("get_unique_constraints", Struct({1: Struct({1: "hive", 2: db, 3: name})})),
        ("get_foreign_keys",
         Struct({1: Struct({3: db, 4: name, 5: "hive"})})),
    ]


def add_constraints(hms, client, db, name):
    client.add_primary_key(t.AddPrimaryKeyRequest([t.SQLPrimaryKey(
        table_db=db, table_name=name, column_name="id", key_seq=1, pk_name=f"{name}_pk",
        enable_cstr=False, validate_cstr=False, rely_cstr=True, catName="hive")]))
    if hms.version.is_before_catalogs:
        return
    client.add_not_null_constraint(t.AddNotNullConstraintRequest([t.SQLNotNullConstraint(
        catName="hive", table_db=db, table_name=name, column_name="name", nn_name=f"{name}_nn",
        enable_cstr=False, validate_cstr=False, rely_cstr=True)]))


def drop_constraint(client, db, name, constraint):
    client.drop_constraint(t.DropConstraintRequest(
        dbname=db, tablename=name, constraintname=constraint, catName="hive"))


def test_constraints_added_and_dropped(hms, daemon, direct, through, db):
    for client, name in ((direct, "theirs"), (through, "ours")):
        client.create_table(metastore.table(db, name))
        reads = constraint_reads(db, name) + table_reads(db, name)
        daemon.wait()
        daemon.ctl("sync", f"{db}.{name}")
        add_constraints(hms, client, db, name)
        daemon.wait()
        assert_all_same(hms.port, daemon.port, reads)
        drop_constraint(client, db, name, f"{name}_pk")
        daemon.wait()
        assert_all_same(hms.port, daemon.port, reads)
        client.drop_table(db, name, True)
        daemon.wait()
        assert_all_same(hms.port, daemon.port, reads)
