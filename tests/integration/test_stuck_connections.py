"""A call that fails may leave its transaction open on a metastore connection, which from then on
shows the past. Nobody may be answered from there, and the daemon least of all."""
import pytest
from thrift.Thrift import TException

from support import metastore
from support.metastore import change_table, current_event, get_table


@pytest.fixture
def lone_daemon(hms, start_daemon, direct, db):
    """It sees nothing by itself while a test runs."""
    for name in ("source", "target", "watched"):
        direct.create_table(metastore.table(db, name, [("p", "string")], parameters={"n": "0"}))
    direct.add_partitions([metastore.partition(direct, db, "source", ["1"])])
    daemon = start_daemon("--metastore", hms.uri, "--poll-interval", "10m")
    daemon.wait()
    return daemon


# Another failure on the same connection may well free it.
FAILING = [(method, spec) for method in ("exchange_partition", "exchange_partitions")
           for spec in ({"p": "nope"}, {})]


def fail(client, db, failing):
    method, spec = failing
    with pytest.raises(TException):
        getattr(client, method)(spec, db, "source", db, "target")


def test_failed_calls_of_clients_leave_nothing_old_to_anybody(lone_daemon, direct, db):
    assert lone_daemon.ctl("sync", f"{db}.watched")["state"] == "present"
    for number, failing in enumerate(FAILING):
        with metastore.connect(lone_daemon.port) as client:
            fail(client, db, failing)
        change_table(direct, db, "watched", parameters={"n": f"later {number}"})
        assert lone_daemon.ctl("wait")["event_id"] >= current_event(direct)
        with metastore.connect(lone_daemon.port) as reader:
            assert current_event(reader) == current_event(direct)
            reader.setMetaConf("catalogd.read", "latest")
            assert get_table(reader, db, "watched").parameters["n"] == f"later {number}"
    assert lone_daemon.ctl("sync", f"{db}.target")["state"] == "present"


def test_a_connection_with_settings_of_its_own_is_opened_anew(lone_daemon, direct, db):
    with metastore.connect(lone_daemon.port) as client:
        client.setMetaConf("hive.metastore.try.direct.sql", "false")
        for number, failing in enumerate(FAILING):
            fail(client, db, failing)
            change_table(direct, db, "watched", parameters={"n": f"later {number}"})
            assert current_event(client) == current_event(direct)
            assert client.getMetaConf("hive.metastore.try.direct.sql") == "false"


def test_a_connection_that_was_dropped_hears_of_a_user_once(lone_daemon, db):
    with metastore.connect(lone_daemon.port) as client:
        client.setMetaConf("hive.metastore.try.direct.sql", "false")
        fail(client, db, FAILING[0])
        assert client.set_ugi("late", ["g"]) == ["g"]
        assert client.getMetaConf("hive.metastore.try.direct.sql") == "false"
