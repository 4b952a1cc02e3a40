"""A metastore that is down, slow, or closes mid-answer costs what it must, and nothing more."""
import threading
import time

import pytest
from pymetastore.hive_metastore import ttypes as t
from thrift.Thrift import TApplicationException, TException

from support import metastore
from support.metastore import change_table, get_table
from support.raw import assert_all_same, table_reads
from support.tcp_proxy import FaultyProxy

# Far below any deadline of a call, far above what a loaded machine needs for an error at once.
AT_ONCE = 8.0
# A call that passes through and is answered with its default.
KEY = "hive.metastore.no.such.key"


@pytest.fixture
def relay(hms):
    with FaultyProxy(hms.port) as proxy:
        yield proxy


@pytest.fixture
def fragile(relay, start_daemon, direct, db):
    """A daemon behind the relay that knows the table `d.t`."""
    direct.create_table(metastore.table(db, "t", parameters={"note": "old"}))
    daemon = start_daemon("--metastore", relay.uri)
    daemon.wait()
    with metastore.connect(daemon.port) as client:
        assert note(client, db) == "old"
    daemon.ctl("sync", f"{db}.t")
    return daemon


def note(client, db):
    return get_table(client, db, "t").parameters["note"]


def assert_fails_at_once(call):
    started = time.monotonic()
    with pytest.raises(TException) as failure:
        call()
    assert time.monotonic() - started < AT_ONCE
    return getattr(failure.value, "message", "") or str(failure.value)


def test_reads_go_on_while_the_metastore_is_away(relay, fragile, db):
    with metastore.connect(fragile.port) as client:
        relay.close()
        for _ in range(20):
            assert note(client, db) == "old"
        status = fragile.eventually(lambda s: s["metastore"]["silent_seconds"] > 0.5)
        assert status["warnings"] or status["state_reason"]
        assert note(client, db) == "old"
        relay.open()


def test_reads_go_on_after_a_read_through_the_metastore(relay, fragile, direct, db):
    """What the log has shown since that read is proof enough that the cache is no older."""
    with metastore.connect(fragile.port) as client:
        assert client.get_fields(db, "t")
        # When the second of these has been seen, the poll that saw the first is over.
        for name in ("later", "latest"):
            direct.create_table(metastore.table(db, name))
            fragile.wait()
        relay.close()
        assert note(client, db) == "old"
        relay.open()


def test_writes_fail_at_once_with_the_reason(relay, fragile, db):
    with metastore.connect(fragile.port) as client:
        relay.close()
        text = assert_fails_at_once(
            lambda: client.create_table(metastore.table(db, "other")))
        assert "create_table" in text and str(relay.port) in text
        text = assert_fails_at_once(lambda: client.drop_table(db, "t", False))
        assert "drop_table" in text
        assert note(client, db) == "old"  # The connection lives on.
        relay.open()


def test_calls_that_pass_through_fail_at_once_with_the_reason(relay, fragile):
    with metastore.connect(fragile.port) as client:
        relay.close()
        text = assert_fails_at_once(lambda: client.get_config_value(KEY, "c"))
        assert str(relay.port) in text
        relay.open()


def test_a_table_that_is_not_loaded_is_unknown_and_not_absent(relay, start_daemon, direct, db):
    """waggle-dance 4.0.1: "cannot know" was told as "does not exist", and nobody tried again."""
    direct.create_table(metastore.table(db, "t", parameters={"note": "there"}))
    daemon = start_daemon("--metastore", relay.uri)
    daemon.wait()
    with metastore.connect(daemon.port) as client:
        relay.close()
        for _ in range(2):
            with pytest.raises(TException) as failure:
                note(client, db)
            assert not isinstance(failure.value, t.NoSuchObjectException)
            assert str(relay.port) in str(failure.value)
        relay.open()
        deadline = time.monotonic() + 60
        while True:  # A connection that has just failed is left alone for a moment.
            try:
                assert note(client, db) == "there"
                break
            except (t.MetaException, TApplicationException):
                assert time.monotonic() < deadline
                time.sleep(0.05)


def test_following_resumes_by_itself(relay, fragile, direct, db):
    relay.close()
    change_table(direct, db, "t", parameters={"note": "new"})
    direct.create_table(metastore.table(db, "made_meanwhile"))
    fragile.eventually(lambda s: s["metastore"]["silent_seconds"] > 0.3)
    relay.open()
    with metastore.connect(fragile.port) as client:
        deadline = time.monotonic() + 60
        while note(client, db) != "new":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        fragile.wait()
        fragile.eventually(lambda s: s["ready"] and s["state"] == "active")
        client.create_table(metastore.table(db, "after"))
        assert sorted(client.get_all_tables(db)) == ["after", "made_meanwhile", "t"]


def test_a_stalled_metastore_holds_up_no_cached_read(relay, fragile, db):
    with metastore.connect(fragile.port) as client, metastore.connect(fragile.port) as waiting:
        relay.stall()
        answered = []
        stuck = threading.Thread(
            target=lambda: answered.append(waiting.get_config_value(KEY, "c")))
        stuck.start()
        started = time.monotonic()
        for _ in range(20):
            assert note(client, db) == "old"
        assert time.monotonic() - started < AT_ONCE
        assert answered == []
        relay.go_on()
        stuck.join(60)
        assert answered == ["c"]


def test_a_call_that_takes_too_long_is_an_error_of_that_call(relay, start_daemon, db):
    daemon = start_daemon("--metastore", relay.uri, "--forward-timeout", "500ms")
    daemon.wait()
    relay.delay_answers_of("get_config_value", 3)
    with metastore.connect(daemon.port) as client:
        text = assert_fails_at_once(lambda: client.get_config_value(KEY, "c"))
        assert "get_config_value" in text
        relay.delay_answers_of("get_config_value", 0)
        assert client.get_config_value(KEY, "c") == "c"


@pytest.mark.parametrize("after", [0, 3, 30])
def test_an_answer_that_is_cut_off_costs_its_own_call(relay, fragile, db, after):
    with metastore.connect(fragile.port) as client, metastore.connect(fragile.port) as other:
        relay.cut_answer_of("get_table_names_by_filter", after)
        # Reading may be tried again, so either the answer or an error is right; hanging is not.
        started = time.monotonic()
        try:
            client.get_table_names_by_filter(db, 'hive_filter_field_owner__ = "x"', -1)
        except TException:
            pass
        assert time.monotonic() - started < AT_ONCE
        assert note(client, db) == "old"
        assert other.get_config_value(KEY, "c") == "c"


@pytest.mark.parametrize("after", [0, 3])
def test_a_write_without_answer_has_an_unknown_outcome(hms, relay, fragile, db, after):
    """The metastore did it and the answer got lost: never sent again, never guessed."""
    with metastore.connect(fragile.port) as client:
        relay.cut_answer_of("create_table", after)
        calls = relay.calls["create_table"]
        text = assert_fails_at_once(
            lambda: client.create_table(metastore.table(db, "lost")))
        assert "outcome" in text or "may have" in text
        assert relay.calls["create_table"] == calls + 1
        # The very next read tells the truth.
        assert get_table(client, db, "lost").tableName == "lost"
        with pytest.raises(t.AlreadyExistsException):
            client.create_table(metastore.table(db, "lost"))
    assert_all_same(hms.port, fragile.port, table_reads(db, "lost"))


def test_a_lost_drop_is_not_resurrected(hms, relay, fragile, db):
    with metastore.connect(fragile.port) as client:
        relay.cut_answer_of("drop_table", 0)
        assert_fails_at_once(lambda: client.drop_table(db, "t", False))
        with pytest.raises(t.NoSuchObjectException):
            get_table(client, db, "t")
    assert_all_same(hms.port, fragile.port, table_reads(db, "t"))


def test_connections_that_die_between_calls_are_replaced(relay, fragile, db):
    with metastore.connect(fragile.port) as client:
        for number in range(5):
            client.get_config_value(KEY, "c")
            relay.drop_connections()
            try:
                client.create_table(metastore.table(db, f"after_drop{number}"))
            except TException as error:
                pytest.fail(f"an idle connection that died was used for a write: {error}")


def test_a_daemon_may_start_before_its_metastore(relay, start_daemon, db):
    relay.close()
    daemon = start_daemon("--metastore", relay.uri)
    status = daemon.eventually(
        lambda s: str(relay.port) in s["reason"] + " ".join(s["warnings"]))
    assert status["ready"] is False
    code, body = daemon.page("/readyz")
    assert code == 503 and str(relay.port) in body
    assert daemon.page("/livez")[0] == 200
    with metastore.connect(daemon.port) as client:
        assert_fails_at_once(lambda: client.get_all_databases())
    relay.open()
    # A log that gives an id twice is listed once more right after the start.
    daemon.eventually(lambda s: s["ready"] and daemon.page("/readyz")[0] == 200)
    with metastore.connect(daemon.port) as client:
        assert db in client.get_all_databases()
