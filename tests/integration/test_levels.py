"""How fresh an answer has to be is the connection's choice: cached, at-least and latest."""
import time

import pytest
from pymetastore.hive_metastore import ttypes as t

from support import metastore
from support.metastore import change_table, get_table

READ, POSITION = "catalogd.read", "catalogd.event"


@pytest.fixture
def slow_daemon(hms, direct, db, start_daemon):
    """Knows the table `d.t` with note=old, and does not look at the log for ten minutes."""
    direct.create_table(metastore.table(db, "t", parameters={"note": "old"}))
    daemon = start_daemon("--metastore", hms.uri, "--poll-interval", "10m")
    daemon.wait()
    with metastore.connect(daemon.port) as client:
        assert note(client, db) == "old"
        daemon.ctl("sync", f"{db}.t")
    change_table(direct, db, "t", parameters={"note": "new"})
    return daemon


def note(client, db):
    return get_table(client, db, "t").parameters["note"]


def test_cached_reads_do_not_ask_and_latest_reads_do(slow_daemon, db):
    with metastore.connect(slow_daemon.port) as cached, \
            metastore.connect(slow_daemon.port) as latest:
        assert note(cached, db) == "old"
        latest.setMetaConf(READ, "latest")
        assert latest.getMetaConf(READ) == "latest"
        assert note(latest, db) == "new"


def test_at_least_an_event(slow_daemon, direct, db):
    event = metastore.current_event(direct)
    with metastore.connect(slow_daemon.port) as client:
        client.setMetaConf(READ, f"at-least {event}")
        assert note(client, db) == "new"
        assert int(client.getMetaConf(POSITION)) >= event


def test_at_least_an_event_that_does_not_exist_is_an_error_at_once(slow_daemon, direct, db):
    event = metastore.current_event(direct) + 1000000
    with metastore.connect(slow_daemon.port) as client:
        client.setMetaConf(READ, f"at-least {event}")
        started = time.monotonic()
        with pytest.raises(t.MetaException) as failure:
            note(client, db)
        assert time.monotonic() - started < 10
        assert str(event) in failure.value.message
        client.setMetaConf(READ, "cached")
        assert note(client, db) in ("old", "new")


def test_an_unknown_level_is_refused_and_changes_nothing(slow_daemon, db):
    with metastore.connect(slow_daemon.port) as client:
        client.setMetaConf(READ, "latest")
        with pytest.raises(t.MetaException) as failure:
            client.setMetaConf(READ, "freshest")
        assert "freshest" in failure.value.message and "latest" in failure.value.message
        assert client.getMetaConf(READ) == "latest"


def test_the_position_is_that_of_the_own_write(daemon, through, direct, db):
    through.create_table(metastore.table(db, "t", parameters={"note": "x"}))
    assert int(through.getMetaConf(POSITION)) == metastore.current_event(direct)


def test_what_one_client_wrote_another_can_demand(slow_daemon, db):
    """A position travels outside the daemon: from one client to another."""
    with metastore.connect(slow_daemon.port) as writer, \
            metastore.connect(slow_daemon.port) as reader:
        change_table(writer, db, "t", parameters={"note": "own"})
        position = writer.getMetaConf(POSITION)
        reader.setMetaConf(READ, f"at-least {position}")
        assert note(reader, db) == "own"


def test_a_connection_that_read_the_log_itself_is_not_answered_with_less(slow_daemon, db):
    with metastore.connect(slow_daemon.port) as client:
        metastore.current_event(client)
        assert note(client, db) == "new"


@pytest.mark.parametrize("scope", ["table", "database", "daemon"])
def test_what_was_read_in_passthrough_mode_is_not_taken_back(slow_daemon, db, scope):
    name = {"table": [f"{db}.t"], "database": [db], "daemon": []}[scope]
    with metastore.connect(slow_daemon.port) as before:
        assert note(before, db) == "old"
        slow_daemon.ctl("read-mode", "passthrough", *name)
        assert note(before, db) == "new"
    slow_daemon.ctl("read-mode", "default", *name)
    with metastore.connect(slow_daemon.port) as after:
        assert note(after, db) == "new"
