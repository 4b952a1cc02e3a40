"""catalogd without a metastore, and its embedded metastore as a server of its own."""
import re
import signal
import sqlite3
import subprocess

import pytest
from pymetastore.hive_metastore import ttypes as t
from thrift.Thrift import TApplicationException

from support import metastore
from support.daemon import BIN, ENVIRONMENT
from support.metastore import change_table, columns, get_table
from support.raw import assert_all_same, database_reads, partition_reads, table_reads
from thrift_binary import Struct


class MetastoreServer:
    """`catalogd metastore`: the embedded store behind a port, without a cache."""

    def __init__(self, state_dir):
        self.process = subprocess.Popen(
            [str(BIN / "catalogd"), "metastore", "--port", "0", "--state-dir", str(state_dir)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        line = self.process.stdout.readline()
        found = re.search(r"catalogd metastore ready endpoint=127\.0\.0\.1:(\d+)", line)
        assert found, line + self.process.stderr.read()
        self.port = int(found.group(1))
        self.uri = f"thrift://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.send_signal(signal.SIGTERM)
        errors = self.process.communicate(timeout=30)[1]
        assert self.process.returncode == 0, errors


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with MetastoreServer(tmp_path_factory.mktemp("embedded")) as server:
        yield server


def live(client, db):
    """A database's life with the calls that the embedded store knows."""
    client.create_database(metastore.database(db))
    client.create_table(metastore.table(db, "t", [("day", "string")]))
    new = [metastore.partition(client, db, "t", [f"d{i}"]) for i in range(4)]
    client.add_partitions(new[:3])
    client.append_partition(db, "t", ["d3"])
    change_table(client, db, "t", parameters={"note": "x"})
    changed = get_table(client, db, "t")
    changed.sd.cols = changed.sd.cols + columns(("more", "int"))
    client.alter_table(db, "t", changed)
    touched = client.get_partition(db, "t", ["d1"])
    touched.parameters = {"touched": "yes"}
    client.alter_partition(db, "t", touched)
    touched = client.get_partition(db, "t", ["d2"])
    touched.values = ["d9"]
    client.rename_partition(db, "t", ["d2"], touched)
    client.drop_partition(db, "t", ["d0"], False)
    client.create_table(metastore.table(db, "moving"))
    change_table(client, db, "moving", tableName="moved")


def life_reads(db):
    names = ["day=d1", "day=d3", "day=d9"]
    return (database_reads(db) + table_reads(db, "t") + table_reads(db, "moved") +
            table_reads(db, "moving") + [("get_all_databases", Struct())] +
            partition_reads(db, "t", names, [["d1"], ["d3"], ["d9"], ["d0"]]))


def test_one_daemon_fronts_the_embedded_store_of_another_process(store, start_daemon):
    daemon = start_daemon("--metastore", store.uri)
    daemon.eventually(lambda s: s["ready"])
    with metastore.connect(store.port) as direct:
        live(direct, "foreign")
    daemon.wait()
    assert_all_same(store.port, daemon.port, life_reads("foreign"))
    assert daemon.get("foreign.t")["served_from_cache"] is True
    with metastore.connect(daemon.port) as through:
        live(through, "own")
        assert_all_same(store.port, daemon.port, life_reads("own"))
        through.drop_database("own", True, True)
        assert_all_same(store.port, daemon.port, life_reads("own"))


def test_ids_are_dense_and_messages_in_hives_form(store):
    with metastore.connect(store.port) as client:
        before = metastore.current_event(client)
        live(client, "logged")
        events = metastore.events_after(client, before)
        assert [e.eventId for e in events] == list(range(before + 1, before + 1 + len(events)))
        assert {e.messageFormat for e in events} == {"json-0.2"}
        assert [e.eventType for e in events][:3] == ["CREATE_DATABASE", "CREATE_TABLE",
                                                     "ADD_PARTITION"]


def test_what_the_store_does_not_know_is_an_unknown_method(store, start_daemon):
    daemon = start_daemon()
    for port in (store.port, daemon.port):
        with metastore.connect(port) as client:
            with pytest.raises(TApplicationException) as failure:
                client.get_all_token_identifiers()
            assert failure.value.type == TApplicationException.UNKNOWN_METHOD
            assert client.get_all_databases()


def test_a_daemon_without_arguments_is_a_metastore(start_daemon):
    daemon = start_daemon()
    daemon.eventually(lambda s: s["ready"])
    with metastore.connect(daemon.port) as client:
        live(client, "alone")
        assert get_table(client, "alone", "t").parameters["note"] == "x"
        assert client.get_partition_names("alone", "t", -1) == ["day=d1", "day=d3", "day=d9"]
        assert sorted(client.get_all_tables("alone")) == ["moved", "t"]
    assert daemon.get("alone.t")["state"] == "present"
    assert daemon.status()["lag_events"] == 0


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_data_is_there_after_a_restart(start_daemon, tmp_path, how):
    first = start_daemon(state_dir=tmp_path / "kept")
    with metastore.connect(first.port) as client:
        live(client, "kept")
    if how == "stopped":
        assert first.stop() == 0
    else:
        first.kill()
    second = start_daemon(state_dir=tmp_path / "kept")
    with metastore.connect(second.port) as client:
        assert get_table(client, "kept", "t").parameters["note"] == "x"
        client.drop_database("kept", True, True)


def database_file(state_dir):
    found = [path for path in state_dir.rglob("*") if path.is_file()
             and path.read_bytes()[:15] == b"SQLite format 3"]
    assert found, "no SQLite file in the state directory"
    return max(found, key=lambda path: path.stat().st_size)


def stopped_store(start_daemon, folder):
    daemon = start_daemon(state_dir=folder)
    with metastore.connect(daemon.port) as client:
        live(client, "d")
    assert daemon.stop() == 0
    return database_file(folder)


@pytest.mark.parametrize("damage", ["no database", "cut off", "overwritten"])
def test_a_damaged_file_is_named_with_what_to_do(start_daemon, tmp_path, damage):
    file = stopped_store(start_daemon, tmp_path / "s")
    content = file.read_bytes()
    for side in ("-wal", "-shm"):
        file.with_name(file.name + side).unlink(missing_ok=True)
    file.write_bytes({"no database": b"not a database at all " * 100,
                      "cut off": content[:5000],
                      "overwritten": content[:100] + b"\xff" * (len(content) - 100)}[damage])
    with pytest.raises(RuntimeError) as failure:
        start_daemon(state_dir=tmp_path / "s")
    assert str(file) in str(failure.value)


def test_a_file_that_another_program_holds_is_named(start_daemon, tmp_path):
    file = stopped_store(start_daemon, tmp_path / "s")
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(RuntimeError) as failure:
            start_daemon(state_dir=tmp_path / "s")
        assert str(file) in str(failure.value)
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    assert start_daemon(state_dir=tmp_path / "s").stop() == 0
