"""Clients of Hive 4 and 3 in front of whatever metastore there is: the same calls work everywhere.

What a real client of each version does all day is in tests/clients; here each call by itself.
"""
import socket
import struct

import pytest

from support import metastore
from support.metastore import get_table
from thrift_binary import I16, I32, I64, LIST, SET, STOP, List, Reader, Struct
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


def test_databases_with_all_that_is_told_of_them(call, direct, db):
    direct.create_database(metastore.database(f"{db}_b"))
    found = call("get_databases_req", {1: "hive", 2: f"{db}*"})[1]
    assert sorted((each[1], each[2]) for each in found) == [
        (db, "made by a test"), (f"{db}_b", "made by a test")]
    assert list(call("get_databases_req", {1: "hive", 2: f"{db}_none*"})[1]) == []
    assert {"default", db} <= {each[1] for each in call("get_databases_req", {})[1]}
    metastore.drop_database(direct, f"{db}_b")


def test_functions_by_name_and_as_a_whole(call, direct, daemon, db):
    for name in ("f1", "f2", "g1"):
        direct.create_function(metastore.t.Function(
            functionName=name, dbName=db, className="a.B", ownerName="o", ownerType=1,
            createTime=1, functionType=1, resourceUris=[]))
    daemon.wait()
    request = {1: db, 2: "hive", 3: "f*"}
    assert sorted(call("get_functions_req", request)[1]) == ["f1", "f2"]
    found = call("get_functions_req", {**request, 4: False})[2]
    assert sorted((each[1], each[3]) for each in found) == [("f1", "a.B"), ("f2", "a.B")]
    for name in ("f1", "f2", "g1"):
        direct.drop_function(db, name)


def column(name, values):
    numbers = Struct({1: I64(1), 2: I64(values), 3: I64(0), 4: I64(values)})
    return Struct({1: name, 2: "bigint", 3: Struct({2: numbers})})


def statistics(db, partition=None, values=5):
    about = Struct({1: partition is None, 2: db, 3: "t", 4: partition, 6: "hive"})
    return Struct({1: List([Struct({1: about, 2: List([column("id", values)]), 4: "hive"})]),
                   2: False, 3: I64(-1), 5: "hive"})


def test_column_statistics(raw, call, direct, db):
    direct.create_table(metastore.table(db, "t", [("day", "string")]))
    direct.append_partition(db, "t", ["x"])

    def of_table():
        found = raw.call("get_table_statistics_req",
                         Struct({1: db, 2: "t", 3: List(["id"]), 6: "hive"}))
        return [each[3][2][4] for each in found[1]]

    def of_partition():
        found = raw.call("get_partitions_statistics_req", Struct(
            {1: db, 2: "t", 3: List(["id"]), 4: List(["day=x"]), 7: "hive"}))
        return [each[3][2][4] for columns in found[1].values() for each in columns]

    assert call("update_table_column_statistics_req", statistics(db)) == {1: True}
    assert call("update_partition_column_statistics_req", statistics(db, "day=x", 7)) == {1: True}
    assert (of_table(), of_partition()) == ([5], [7])
    names = {1: "hive", 2: db, 3: "t", 5: List(["id"]), 6: "hive"}
    assert call("delete_column_statistics_req", {**names, 7: True}) is True
    assert (of_table(), of_partition()) == ([], [7])
    assert call("delete_column_statistics_req", {**names, 4: List(["day=x"])}) is True
    assert (of_table(), of_partition()) == ([], [])


@pytest.fixture
def transactions(raw):
    """Two open ones and between them an aborted one."""
    ids = raw.call("open_txns", Struct({1: I32(3), 2: "somebody", 3: "somewhere"}))[1]
    raw.call("abort_txn", Struct({1: I64(ids[1])}))
    yield ids
    for each in (ids[0], ids[2]):
        raw.call("abort_txn", Struct({1: I64(each)}))


@pytest.mark.parametrize("method, arguments", [
    ("get_open_txns", []), ("get_open_txns_req", [Struct({1: List([I32(2)])})])])
def test_open_transactions(raw, transactions, method, arguments):
    """Hive 2 gives a set, and does not say which are aborted; the others a list, and bits."""
    answer = raw.call(method, *arguments)
    listed = list(answer[2])
    assert set(transactions) <= set(listed)
    bits = answer[4] if isinstance(answer[4], bytes) else answer[4].encode("latin-1")
    aborted = {each for n, each in enumerate(listed)
               if n // 8 < len(bits) and bits[n // 8] >> n % 8 & 1}
    assert aborted & set(transactions) == {transactions[1]}
    assert transactions[0] not in aborted and answer[3] <= transactions[0]


def test_open_transactions_are_what_clients_of_every_release_look_for(daemon, transactions):
    """A client skips a field of another type than it knows."""
    with Connection(daemon.port, framed=True) as through:
        through.send("get_open_txns")
        length, = struct.unpack(">i", through.socket.recv(4, socket.MSG_WAITALL))
        answer = Reader(through.socket.recv(length, socket.MSG_WAITALL))
    answer.unpack(">I")
    answer.raw()
    answer.unpack(">ibh")  # Into the struct.
    fields = {}
    while (code := answer.unpack(">b")[0]) != STOP:
        number, = answer.unpack(">h")
        fields[number, code] = answer.value(code)
    assert set(transactions) <= set(fields[2, SET])
    assert list(fields[2, SET]) == list(fields[2, LIST])


def test_a_database_without_a_name(call, hms):
    with pytest.raises(ApplicationError if hms.version.is_before_catalogs else DeclaredError) as e:
        call("get_database_req", {2: "hive"})
    if not hms.version.is_before_catalogs:
        assert str(e.value) == "Database name cannot be null."


def test_the_lock_of_a_rebuild(call, hms, db, transactions):
    """4.2.0 does not have this method either."""
    request = {1: "hive", 2: db, 3: "totals", 4: I64(transactions[0])}
    if hms.version.is_before_catalogs:
        with pytest.raises(ApplicationError, match="'get_lock_materialization_rebuild_req'"):
            call("get_lock_materialization_rebuild_req", request)
        return
    acquired = 1
    assert call("get_lock_materialization_rebuild_req", request)[2] == acquired
    assert call("heartbeat_lock_materialization_rebuild_req", request) is True
