"""Clients of Hive 4 and 3 in front of whatever metastore there is: the same calls work everywhere.

What a real client of each version does all day is in tests/clients; here each call by itself.
"""
import pytest

from support import metastore
from support.metastore import get_table
from thrift_binary import I16, List, Struct
from thrift_connection import ApplicationError, Connection, DeclaredError


@pytest.fixture
def raw(daemon):
    with Connection(daemon.port) as connection:
        yield connection


@pytest.fixture
def call(raw):
    """call(method, {field: value}): a call with one request; raises what the metastore raises."""
    return lambda method, fields: raw.call(method, Struct(fields))


def test_a_life_in_the_calls_of_hive_4(call, raw, through, direct, hms, db):
    made = f"{db}_life"
    call("create_database_req", {1: made, 2: "first", 8: "hive"})
    assert call("get_database_req", {1: made, 2: "hive"})[2] == "first"
    assert made in direct.get_all_databases()
    through.create_table(metastore.table(made, "pattern", [("day", "string")]))
    table = raw.call("get_table_req", Struct({1: made, 2: "pattern", 4: "hive"}))[1]
    table[1] = "t"
    table[7].pop(2, None)  # Not its location, too.
    call("create_table_req", {1: table})
    table = raw.call("get_table_req", Struct({1: made, 2: "t", 4: "hive"}))[1]
    for method, columns in (("get_fields_req", ["id", "name"]),
                            ("get_schema_req", ["id", "name", "day"])):
        found = call(method, {1: "hive", 2: made, 3: "t"})[1]
        assert [column[1] for column in found] == columns
    table[9]["note"] = "x"
    call("alter_table_req", {1: "hive", 2: made, 3: "t", 4: table})
    assert get_table(direct, made, "t").parameters["note"] == "x"
    call("append_partition_req", {1: "hive", 2: made, 3: "t", 5: List(["d1"])})
    call("append_partition_req", {1: "hive", 2: made, 3: "t", 4: "day=d2"})
    found = call("get_partitions_ps_with_auth_req",
                 {1: "hive", 2: made, 3: "t", 6: "u", 7: List([]), 10: True, 13: List(["day=d2"])})
    assert [partition[1] for partition in found[1]] == [["d2"]]
    truncate = {1: made, 2: "t", 3: List(["day=d1"])}
    if hms.version.is_before_catalogs:  # It has no such call in any words.
        with pytest.raises(ApplicationError, match="'truncate_table_req'"):
            call("truncate_table_req", truncate)
    else:
        call("truncate_table_req", truncate)
    names = call("fetch_partition_names_req", {1: "hive", 2: made, 3: "t", 4: I16(-1)})
    assert list(names) == ["day=d1", "day=d2"] == direct.get_partition_names(made, "t", -1)
    partition = call("get_partition_req", {1: "hive", 2: made, 3: "t", 4: List(["d1"])})[1]
    partition[7]["note"] = "y"
    call("alter_partitions_req", {1: "hive", 2: made, 3: "t", 4: List([partition])})
    assert direct.get_partition(made, "t", ["d1"]).parameters["note"] == "y"
    partition[1] = List(["d3"])
    call("rename_partition_req", {1: "hive", 2: made, 3: "t", 4: List(["d1"]), 5: partition})
    assert sorted(direct.get_partition_names(made, "t", -1)) == ["day=d2", "day=d3"]
    call("drop_partition_req", {1: "hive", 2: made, 3: "t", 4: "day=d2", 6: True})
    call("drop_partition_req", {1: "hive", 2: made, 3: "t", 5: List(["d3"]), 6: True})
    assert direct.get_partition_names(made, "t", -1) == []
    call("drop_table_req", {1: "hive", 2: made, 3: "t", 4: True})
    assert direct.get_all_tables(made) == ["pattern"]
    call("drop_database_req", {1: made, 2: "hive", 3: False, 4: True, 5: True})
    assert made not in direct.get_all_databases()
    with pytest.raises(DeclaredError):
        call("drop_database_req", {1: made, 2: "hive", 3: False, 4: True, 5: True})


def test_names_with_a_catalog_as_hive_3_clients_write_them(through, direct, db):
    through.create_table(metastore.table(db, "t", [("day", "string")]))
    through.append_partition(db, "t", ["d1"])
    prefixed = f"@hive#{db}"
    assert through.get_all_tables(prefixed) == ["t"]
    assert through.get_databases(f"@hive#{db}*") == [db]
    assert db in through.get_databases("@hive#")
    assert through.get_partition_names(prefixed, "t", -1) == ["day=d1"]
    assert through.get_partition(prefixed, "t", ["d1"]).values == ["d1"]
    through.append_partition(prefixed, "t", ["d2"])
    assert len(direct.get_partition_names(db, "t", -1)) == 2
    through.drop_table(prefixed, "t", True)
    assert direct.get_all_tables(db) == []
