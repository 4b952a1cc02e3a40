"""Every other method goes through raw: answers, exceptions and errors are the metastore's own."""
import pytest
from pymetastore.hive_metastore import ttypes as t
from thrift.transport.TTransport import TTransportException

from support import metastore
from support.hms import Hms
from support.raw import assert_same, outcome
from thrift_binary import I16, I32, I64, List, Map, Struct
from thrift_connection import ApplicationError, Connection

UNKNOWN_METHOD = 1


@pytest.fixture
def table(direct, daemon, db):
    direct.create_table(metastore.table(db, "here", [("day", "string")]))
    direct.append_partition(db, "here", ["x"])
    daemon.wait()
    return db, "here"


def test_methods_outside_the_cache(hms, daemon, table):
    db, name = table
    for method, arguments in [
            ("getVersion", Struct()),
            ("getName", Struct()),
            ("getStatus", Struct()),
            ("get_config_value", Struct({1: "hive.metastore.warehouse.dir", 2: "none"})),
            ("get_config_value", Struct({1: "no.such.key", 2: "none"})),
            ("get_metastore_db_uuid", Struct()),
            ("get_functions", Struct({1: db, 2: "*"})),
            ("get_type", Struct({1: "no_such_type"})),
            ("get_role_names", Struct()),
            ("get_fields", Struct({1: db, 2: name})),
            ("get_schema", Struct({1: db, 2: name})),
            ("get_partitions_by_filter", Struct({1: db, 2: name, 3: 'day = "x"', 4: I16(-1)})),
            ("get_table_names_by_filter", Struct({1: db, 2: "hive_filter_field_owner__ = \"x\"",
                                                  3: I16(-1)})),
            ("get_table_meta", Struct({1: db, 2: "*", 3: List([])})),
            ("partition_name_to_vals", Struct({1: "day=x"})),
            ("partition_name_to_spec", Struct({1: "day=x"})),
            ("get_indexes", Struct({1: db, 2: name, 3: I16(10)})),
            ("get_primary_keys", Struct({1: Struct({1: db, 2: name})})),
            ("get_open_txns_info", Struct()),
            ("isPartitionMarkedForEvent", Struct({1: db, 2: name, 3: Map({"day": "x"}),
                                                  4: I32(1)})),
            ("get_current_notificationEventId", Struct()),
            ("get_next_notification", Struct({1: Struct({1: I64(0), 2: I32(2)})})),
            ("get_catalogs", Struct())]:
        assert_same(hms.port, daemon.port, method, arguments)


def test_declared_exceptions_stay_what_they_are(hms, daemon, table):
    db, name = table
    nowhere = Struct({1: db, 2: "nowhere"})
    for method, arguments in [
            ("get_database", Struct({1: "no_such_db"})),
            ("get_table_req", Struct({1: nowhere})),
            ("get_table_req", Struct({1: Struct({1: "no_such_db", 2: "t"})})),
            ("get_all_tables", Struct({1: "no_such_db"})),
            ("get_partition", Struct({1: db, 2: name, 3: List(["nope"])})),
            ("get_partition", Struct({1: db, 2: name, 3: List(["x", "too many"])})),
            ("get_partition_by_name", Struct({1: db, 2: name, 3: "day=nope"})),
            ("get_partition_by_name", Struct({1: db, 2: name, 3: "not a name"})),
            ("get_partition_names", Struct({1: db, 2: "nowhere", 3: I16(-1)})),
            ("get_partitions", Struct({1: db, 2: "nowhere", 3: I16(-1)})),
            ("get_fields", Struct({1: db, 2: "nowhere"})),
            ("drop_table", Struct({1: db, 2: "nowhere", 3: True})),
            ("drop_database", Struct({1: "no_such_db", 2: True, 3: True})),
            ("get_function", Struct({1: db, 2: "no_such_function"})),
            ("check_lock", Struct({1: Struct({1: I64(99999)})})),
            ("abort_txn", Struct({1: Struct({1: I64(99999)})}))]:
        expected = assert_same(hms.port, daemon.port, method, arguments)
        assert expected != ("result", ("struct",)), method


def test_an_unknown_method_is_answered_as_the_server_does(hms, daemon):
    expected = assert_same(hms.port, daemon.port, "no_such_method", Struct({1: "x"}))
    assert expected == ("application error", UNKNOWN_METHOD,
                        "Invalid method name: 'no_such_method'")
    with Connection(daemon.port) as connection:
        for _ in range(3):  # The connection lives on.
            with pytest.raises(ApplicationError):
                connection.call("no_such_method")
        assert "default" in connection.call("get_all_databases")


def test_arguments_that_are_missing_or_of_another_type(hms, daemon, table):
    db, name = table
    for method, arguments in [
            ("get_database", Struct()),
            ("get_all_tables", Struct({1: I32(5)})),
            ("get_table_req", Struct()),
            ("get_table_req", Struct({1: Struct()})),
            ("get_table_req", Struct({1: Struct({1: db, 2: name, 99: "unknown field"})})),
            ("get_partition_names", Struct({1: db, 2: name}))]:
        assert_same_or_closed(hms.port, daemon.port, method, arguments)


def assert_same_or_closed(hms_port, daemon_port, method, arguments):
    """As assert_same, but a server may hang up on a message; the daemon may say that it did."""
    answers = []
    for port in (hms_port, daemon_port):
        with Connection(port) as connection:
            try:
                answers.append(outcome(connection, method, arguments))
            except ConnectionError:
                answers.append("closed")
    if answers[0] == "closed" and answers[1][0] == "application error":
        assert "closed the connection" in answers[1][2]
    else:
        assert answers[0] == answers[1], f"{method} {arguments}"


def test_locks_are_taken_and_given_back(daemon, through, table):
    db, name = table
    lock = through.lock(t.LockRequest(
        component=[t.LockComponent(type=t.LockType.EXCLUSIVE, level=t.LockLevel.TABLE, dbname=db,
                                   tablename=name)], user="tester", hostname="here"))
    assert lock.state == t.LockState.ACQUIRED
    shown = through.show_locks(t.ShowLocksRequest(dbname=db)).locks
    assert lock.lockid in [entry.lockid for entry in shown]
    through.unlock(t.UnlockRequest(lock.lockid))


def test_oneway_shutdown_ends_only_its_own_connection(hms, daemon):
    with Connection(daemon.port) as leaving, Connection(daemon.port) as staying:
        assert leaving.call("get_all_databases")
        assert staying.call("get_all_databases")
        leaving.send_oneway("shutdown")
        with pytest.raises(ConnectionError):
            leaving.call("get_all_databases")
        assert staying.call("get_all_databases")
        assert staying.call("getName")
    with Connection(hms.port) as straight:  # It did not reach the metastore.
        assert straight.call("get_all_databases")


def test_catalog_before_the_database(hms, daemon, table):
    db, name = table
    for method, arguments in [
            ("get_database", Struct({1: f"@hive#{db}"})),
            ("get_all_tables", Struct({1: f"@hive#{db}"})),
            ("get_partition_names", Struct({1: f"@hive#{db}", 2: name, 3: I16(-1)})),
            ("get_tables", Struct({1: f"@hive#{db}", 2: "h*"})),
            ("get_database", Struct({1: f"@nocatalog#{db}"}))]:
        if hms.version.is_before_catalogs and "@hive#" in arguments[1]:
            continue  # 2.3 takes such a name as it is; the daemon knows better.
        assert_same(hms.port, daemon.port, method, arguments)
    with Connection(daemon.port) as connection:
        assert connection.call("get_table", f"@hive#{db}", name)[1] == name


def test_own_changes_by_old_style_names(hms, daemon, through, db):
    through.create_table(metastore.table(db, "styled"))
    through.drop_table(f"@hive#{db}", "styled", True)
    assert through.get_all_tables(db) == []
    assert daemon.state_of(f"{db}.styled") == "absent"


def user_lines(server, user, command):
    return [line for line in server.log.read_text(errors="replace").splitlines()
            if f"ugi={user}" in line and command in line]


def test_users_are_kept_apart_per_connection(start_daemon):
    """The metastore writes for each call whose it was."""
    with Hms("3.1.3", log_level="info") as server:
        daemon = start_daemon("--metastore", server.uri)
        with metastore.connect(daemon.port) as alice, metastore.connect(daemon.port) as bob:
            assert alice.set_ugi("alice", ["a"]) == ["a"]
            assert bob.set_ugi("bob", ["b"]) == ["b"]
            for number in range(3):
                alice.get_functions("default", f"alice{number}")
                bob.get_functions("default", f"bob{number}")
            alice.create_database(metastore.database("of_alice"))
            bob.create_database(metastore.database("of_bob"))
        for user, other in (("alice", "bob"), ("bob", "alice")):
            assert len(user_lines(server, user, f"pat={user}")) == 3
            assert user_lines(server, user, f"of_{user}")
            assert not user_lines(server, user, f"pat={other}")
            assert not user_lines(server, user, f"create_database: Database(name:of_{other}")


def test_a_second_user_is_answered_as_the_server_does(hms, daemon):
    seen = []
    for port in (hms.port, daemon.port):
        with metastore.connect(port) as client:
            client.set_ugi("first", ["g"])
            try:
                seen.append(client.set_ugi("second", ["h"]))
            except TTransportException:
                seen.append("closed")
    assert seen[0] == seen[1]


def test_settings_of_a_connection_stay_its_own(hms, daemon):
    prefix = "hive." if hms.version.is_before_catalogs else ""
    key = prefix + "metastore.partition.name.whitelist.pattern"
    with metastore.connect(daemon.port) as one, metastore.connect(daemon.port) as other:
        before = other.getMetaConf(key)
        one.setMetaConf(key, "[a-z]+")
        assert one.getMetaConf(key) == "[a-z]+"
        assert other.getMetaConf(key) == before
