"""Clients that only know the old methods read their tables from a metastore that dropped them."""
import pytest
from hmsclient import hmsclient
from thrift.Thrift import TApplicationException

from support import metastore
from thrift_binary import I32, I64, List, Struct, canonical
from thrift_connection import Connection


@pytest.fixture
def tables(daemon, direct, db):
    direct.create_table(metastore.table(db, "one", parameters={"note": "1"}))
    direct.create_table(metastore.table(db, "two", [("day", "string")]))
    direct.append_partition(db, "two", ["x"])
    daemon.wait()
    return db


def test_hmsclient_reads_tables(daemon, tables):
    with hmsclient.HMSClient(host="127.0.0.1", port=daemon.port) as client:
        assert client.get_table(tables, "one").parameters["note"] == "1"
        found = client.get_table_objects_by_name(tables, ["one", "two"])
        assert sorted(table.tableName for table in found) == ["one", "two"]
        assert [p.values for p in client.get_partitions(tables, "two", -1)] == [["x"]]


def test_hmsclient_fails_without_the_daemon_where_the_methods_are_gone(hms, tables):
    if hms.version.has_old_methods:
        with hmsclient.HMSClient(host="127.0.0.1", port=hms.port) as client:
            assert client.get_table(tables, "one").tableName == "one"
    else:
        with hmsclient.HMSClient(host="127.0.0.1", port=hms.port) as client, \
                pytest.raises(TApplicationException):
            client.get_table(tables, "one")


def test_old_and_new_method_tell_the_same(hms, daemon, tables):
    with Connection(hms.port) as straight, Connection(daemon.port) as through:
        expected = straight.call("get_table_req", Struct({1: tables, 2: "two"}))[1]
        assert canonical(through.call("get_table", tables, "two")) == canonical(expected)
        listed = through.call("get_table_objects_by_name", tables, List(["two"]))
        assert canonical(listed) == canonical(List([expected]))


def test_old_methods_do_not_depend_on_the_cache(hms, start_daemon, tables):
    """A proxy that passes reads through still translates the methods that the server lost."""
    daemon = start_daemon("--metastore", hms.uri, "--read-mode", "passthrough")
    with hmsclient.HMSClient(host="127.0.0.1", port=daemon.port) as client:
        assert client.get_table(tables, "one").parameters["note"] == "1"


def test_old_client_writes_and_reads_back(daemon, db):
    with hmsclient.HMSClient(host="127.0.0.1", port=daemon.port) as client:
        client.create_table(metastore.table(db, "made"))
        table = client.get_table(db, "made")
        table.parameters["note"] = "changed"
        client.alter_table(db, "made", table)
        assert client.get_table(db, "made").parameters["note"] == "changed"
        client.drop_table(db, "made", True)
        assert "made" not in client.get_all_tables(db)


# The layouts of InsertEventRequestData: Hive 2, and later.
INSERTS = {"Hive 2": {1: List(["file:/f1"]), 2: List(["c1"])},
           "later": {2: List(["file:/f1"]), 3: List(["c1"])}}


@pytest.mark.parametrize("layout", INSERTS)
def test_an_insert_is_logged_whatever_the_layout_of_its_data(daemon, direct, tables, layout):
    before = metastore.current_event(direct)
    data = Struct({1: Struct(INSERTS[layout])})
    with Connection(daemon.port) as through:
        through.call("fire_listener_event", Struct({1: True, 2: data, 3: tables, 4: "one"}))
    inserts = [event for event in metastore.events_after(direct, before)
               if event.eventType == "INSERT"]
    assert [(event.dbName, event.tableName) for event in inserts] == [(tables, "one")]


SHARED_READ, EXCLUSIVE_WRITE = 1, 4  # The second came with Hive 4.
TABLE_LEVEL = 2


@pytest.fixture
def locked_by(daemon, tables, hms):
    """The types of locks on the table: one of each type that the metastore has."""
    types = [SHARED_READ] if hms.version.has_old_methods else [SHARED_READ, EXCLUSIVE_WRITE]
    with Connection(daemon.port) as through:
        held = []
        for kind in types:
            part = Struct({1: I32(kind), 2: I32(TABLE_LEVEL), 3: tables, 4: "one"})
            request = Struct({1: List([part]), 3: "somebody", 4: "somewhere"})
            held.append(through.call("lock", request)[1])
        yield set(types)
        for lock in held:
            through.call("unlock", Struct({1: I64(lock)}))


def test_locks_of_an_old_client_are_those_it_can_read(daemon, tables, locked_by):
    """One lock of a type it does not know would make all of the answer unreadable to it."""
    def types_shown(connection):
        locks = connection.call("show_locks", Struct({}))[1]
        return {lock[6] for lock in locks if lock.get(2) == tables}

    with Connection(daemon.port) as anyone, Connection(daemon.port) as old:
        old.call("get_database", tables)
        assert types_shown(anyone) == locked_by
        assert types_shown(old) == locked_by - {EXCLUSIVE_WRITE}
