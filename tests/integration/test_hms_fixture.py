"""The metastore fixture itself: what starts is a real server with the log that tests rely on."""
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pymetastore.hive_metastore import ttypes as t
from thrift.Thrift import TApplicationException
from thrift.transport.TTransport import TTransportException

from support import metastore
from support.hms import NO_LISTENER, REFUSED_LOG, VERSIONS, Hms, answers, cleaned_log, free_port
from thrift_connection import ApplicationError, Connection, DeclaredError


def test_a_change_is_in_the_log(hms, direct, db):
    before = metastore.current_event(direct)
    direct.create_table(metastore.table(db, "orders"))
    events = metastore.events_after(direct, before)
    assert [(e.eventType, e.dbName, e.tableName) for e in events] == [
        ("CREATE_TABLE", db, "orders")]
    assert events[0].eventId == before + 1
    expected = "gzip(json-2.0)" if hms.version.name == "4.2.0" else "json-0.2"
    assert events[0].messageFormat == expected


def test_old_methods_are_there_or_gone(hms, direct, db):
    direct.create_table(metastore.table(db, "orders"))
    with Connection(hms.port) as connection:
        if hms.version.has_old_methods:
            assert connection.call("get_table", db, "orders")[1] == "orders"
        else:
            with pytest.raises(ApplicationError) as failure:
                connection.call("get_table", db, "orders")
            assert failure.value.kind == TApplicationException.UNKNOWN_METHOD


def test_two_servers_from_one_schema_are_different_metastores(hms):
    with Hms(hms.version.name) as other, metastore.connect(hms.port) as first, \
            metastore.connect(other.port) as second:
        if hms.version.is_before_catalogs:
            with pytest.raises(TApplicationException):
                first.get_metastore_db_uuid()
        else:
            assert first.get_metastore_db_uuid() != second.get_metastore_db_uuid()


def test_without_listener_nothing_is_logged():
    with Hms("3.1.3", NO_LISTENER) as server, metastore.connect(server.port) as client:
        before = metastore.current_event(client)
        client.create_database(metastore.database("quiet"))
        assert metastore.current_event(client) == before


def test_a_refused_log_is_an_error_of_that_call_only():
    with Hms("3.1.3", REFUSED_LOG) as server, Connection(server.port) as connection:
        with pytest.raises((ApplicationError, DeclaredError, ConnectionError)):
            connection.call("get_current_notificationEventId")
        with Connection(server.port) as another:
            assert another.call("get_all_databases") == ["default"]


def test_old_entries_are_cleaned_when_asked_for():
    with Hms("4.2.0", cleaned_log("1s", "1s")) as server:
        with metastore.connect(server.port) as client:
            client.create_database(metastore.database("gone"))
            last = metastore.current_event(client)
            for _ in range(300):
                if not client.get_next_notification(
                        t.NotificationEventRequest(lastEvent=0, maxEvents=-1)).events:
                    break
                time.sleep(0.1)
            assert not client.get_next_notification(
                t.NotificationEventRequest(lastEvent=0, maxEvents=-1)).events
            assert metastore.current_event(client) == last


def test_data_stays_in_a_folder_that_was_given(tmp_path):
    with Hms("3.1.3", home=tmp_path / "h") as server, metastore.connect(server.port) as client:
        client.create_database(metastore.database("kept"))
    with Hms("3.1.3", home=tmp_path / "h") as server, metastore.connect(server.port) as client:
        assert client.get_all_databases() == ["default", "kept"]


def test_a_paused_server_hangs_and_goes_on():
    with Hms("3.1.3") as server:
        server.pause()
        try:
            with metastore.connect(server.port, timeout=0.5) as client, \
                    pytest.raises(TTransportException):
                client.get_all_databases()
        finally:
            server.resume()
        assert answers(server.port)


def test_a_server_that_does_not_start_is_an_error_with_its_own_words():
    # Retrying would take 20 s and change nothing.
    broken = {"javax.jdo.option.ConnectionDriverName": "no.such.Driver",
              "metastore.hmshandler.retry.attempts": "0"}
    with pytest.raises(RuntimeError) as failure:
        Hms("3.1.3", broken).start()
    assert "ended with status 1" in str(failure.value)
    assert " ERROR " in str(failure.value)


@pytest.mark.parametrize("version", ["2.3.10", "4.1.0"])
def test_the_command_line_starts_and_stops_the_other_versions(version, tmp_path):
    program = Path(__file__).parents[1] / "support" / "hms" / "start-hms"
    assert version in VERSIONS
    port = free_port()
    started = subprocess.run([sys.executable, str(program), version, str(port), str(tmp_path)],
                             capture_output=True, text=True, check=False)
    try:
        assert started.stdout == f"hms {version} ready on 127.0.0.1:{port}\n", started.stderr
        assert answers(port)
    finally:
        subprocess.run([sys.executable, str(program), "--stop", str(tmp_path)], check=True)
    assert not answers(port)
