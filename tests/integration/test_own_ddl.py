"""A DDL through the daemon is visible at the next read, on any connection, at no extra read."""
import pytest
from pymetastore.hive_metastore import ttypes as t

from support import metastore
from support.metastore import change_table, columns, get_table
from support.raw import assert_all_same, database_reads, partition_reads, table_reads
from support.tcp_proxy import FaultyProxy
from thrift_binary import Struct


@pytest.fixture
def lone_daemon(hms, start_daemon):
    """It polls so seldom that it sees nothing by itself while a test runs."""
    return start_daemon("--metastore", hms.uri, "--poll-interval", "10m")


@pytest.fixture
def writer(lone_daemon):
    with metastore.connect(lone_daemon.port) as client:
        yield client


def test_each_step_is_visible_at_the_next_read(hms, lone_daemon, writer, db):
    def visible(*names):
        for name in names:
            assert_all_same(hms.port, lone_daemon.port, table_reads(db, name) + database_reads(db))

    writer.create_table(metastore.table(db, "own"))
    visible("own")
    change_table(writer, db, "own", parameters={"note": "x"})
    visible("own")
    changed = get_table(writer, db, "own")
    changed.sd.cols = changed.sd.cols + columns(("more", "int"))
    writer.alter_table(db, "own", changed)
    visible("own")
    change_table(writer, db, "own", tableName="moved")
    visible("own", "moved")
    writer.drop_table(db, "moved", True)
    visible("own", "moved")


def test_partitions_are_visible_at_the_next_read(hms, lone_daemon, writer, db):
    names = [f"day=d{i}" for i in range(4)]
    values = [[f"d{i}"] for i in range(4)]
    reads = partition_reads(db, "days", names, values)
    writer.create_table(metastore.table(db, "days", [("day", "string")]))
    writer.add_partitions([metastore.partition(writer, db, "days", each) for each in values[:2]])
    assert_all_same(hms.port, lone_daemon.port, reads)
    writer.append_partition(db, "days", values[2])
    assert_all_same(hms.port, lone_daemon.port, reads)
    changed = writer.get_partition(db, "days", values[0])
    changed.parameters = {"touched": "yes"}
    writer.alter_partition(db, "days", changed)
    assert_all_same(hms.port, lone_daemon.port, reads)
    changed.values = values[3]
    writer.rename_partition(db, "days", values[0], changed)
    assert_all_same(hms.port, lone_daemon.port, reads)
    writer.drop_partition(db, "days", values[1], False)
    assert_all_same(hms.port, lone_daemon.port, reads)


def test_databases_are_visible_at_the_next_read(hms, lone_daemon, writer, db):
    made = f"{db}_own"
    reads = database_reads(made) + [("get_all_databases", Struct())]
    writer.create_database(metastore.database(made))
    assert_all_same(hms.port, lone_daemon.port, reads)
    changed = writer.get_database(made)
    # In 4.x a description changes without an event: the row of the method knows.
    changed.description = "another"
    writer.alter_database(made, changed)
    assert_all_same(hms.port, lone_daemon.port, reads)
    writer.create_table(metastore.table(made, "inside"))
    writer.drop_database(made, True, True)
    assert_all_same(hms.port, lone_daemon.port, reads + table_reads(made, "inside"))


def test_a_failed_ddl_keeps_its_exception(hms, lone_daemon, writer, db):
    writer.create_table(metastore.table(db, "there"))
    with pytest.raises(t.AlreadyExistsException):
        writer.create_table(metastore.table(db, "there"))
    with pytest.raises(t.NoSuchObjectException):
        writer.drop_table(db, "nowhere", True)
    with pytest.raises(t.InvalidOperationException):
        writer.drop_database(db, True, False)
    with pytest.raises(t.InvalidOperationException):
        writer.alter_table(db, "nowhere", metastore.table(db, "nowhere"))
    assert_all_same(hms.port, lone_daemon.port, table_reads(db, "there") + database_reads(db))


OBJECT_READS = {"get_table", "get_table_req", "get_table_objects_by_name",
                "get_table_objects_by_name_req", "get_partition", "get_partitions",
                "get_partitions_req", "get_partitions_by_names", "get_partitions_by_names_req",
                "get_partition_by_name", "get_partition_names", "get_partitions_ps"}


DATABASE_READS = {"get_database", "get_database_req"}


def test_own_events_that_suffice_cause_no_read(hms, start_daemon, db):
    """Design I7, seen twice: by the daemon's own counter, and by a relay that reads the calls.

    Databases are read again every few seconds whatever happens, so their reads are taken off.
    """
    with FaultyProxy(hms.port) as relay:
        daemon = start_daemon("--metastore", relay.uri)
        daemon.wait()

        def object_reads():
            return sum(relay.calls[name] for name in OBJECT_READS)

        def reads_by_counter():
            databases = sum(relay.calls[name] for name in DATABASE_READS)
            return daemon.metric("catalogd_object_reads_total") - databases

        with metastore.connect(daemon.port) as writer:
            before, counted = object_reads(), reads_by_counter()
            writer.create_table(metastore.table(db, "own", [("day", "string")]))
            change_table(writer, db, "own", parameters={"note": "x"})
            new = [metastore.partition(writer, db, "own", [f"d{i}"]) for i in range(3)]
            writer.add_partitions(new)
            writer.append_partition(db, "own", ["d9"])
            touched = writer.get_partition(db, "own", ["d1"])
            touched.parameters = {"touched": "yes"}
            writer.alter_partition(db, "own", touched)
            writer.drop_partition(db, "own", ["d2"], False)
            assert sorted(writer.get_partition_names(db, "own", -1)) == [
                "day=d0", "day=d1", "day=d9"]
            assert get_table(writer, db, "own").parameters["note"] == "x"
            assert object_reads() == before, relay.calls
            assert reads_by_counter() <= counted
            # The counter is alive: reading again is seen by both.
            daemon.ctl("sync", f"{db}.own")
            assert object_reads() > before
            assert reads_by_counter() > counted
            writer.drop_table(db, "own", True)
