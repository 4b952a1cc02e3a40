"""Calls of one user beyond --max-calls-per-user wait for their turn."""
import socket
import threading

import pytest
from pymetastore.hive_metastore import ttypes as t
from thrift.Thrift import TException

from support import metastore
from support.tcp_proxy import FaultyProxy


@pytest.fixture
def relay(hms):
    with FaultyProxy(hms.port) as relay:
        yield relay


@pytest.fixture
def one_at_a_time(relay, start_daemon):
    daemon = start_daemon("--metastore", relay.uri, "--max-calls-per-user", "1")
    daemon.wait()
    return daemon


class Caller(threading.Thread):
    """A client that makes one call; what it got."""

    def __init__(self, daemon, call):
        super().__init__(daemon=True)
        self.socket = socket.create_connection(("127.0.0.1", daemon.port), timeout=60)
        self.call = call
        self.got = None
        self.start()

    def run(self):
        try:
            self.got = self.call(metastore.over(self.socket))
        except TException as error:
            self.got = getattr(error, "message", None) or str(error)

    def hang_up(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.join(30)
        self.socket.close()


def roles(client):
    return client.get_role_names()


def until_waiting(daemon, count):
    daemon.eventually(lambda _: daemon.metric("catalogd_calls_waiting_for_turn") == count)


def busy(daemon, relay, *calls):
    """The first call is at the metastore, which does not answer; the others wait."""
    relay.stall()
    before = relay.calls["get_role_names"]
    callers = [Caller(daemon, roles)]
    daemon.eventually(lambda _: relay.calls["get_role_names"] > before)
    for waiting, call in enumerate(calls, 1):
        callers.append(Caller(daemon, call))
        until_waiting(daemon, waiting)
    return callers


def test_stopping_refuses_calls_that_wait_for_their_turn(relay, one_at_a_time):
    first, second = busy(one_at_a_time, relay, roles)
    one_at_a_time.terminate()
    second.join(30)
    assert "the daemon is stopping" in second.got
    relay.go_on()
    first.join(30)
    assert isinstance(first.got, list)
    assert one_at_a_time.process.wait(30) == 0
    assert relay.calls["get_role_names"] == 1


def test_the_call_of_a_client_that_hung_up_is_not_made(relay, one_at_a_time):
    first, second, third = busy(one_at_a_time, relay, roles, roles)
    second.hang_up()
    until_waiting(one_at_a_time, 1)
    relay.go_on()
    for caller in (first, third):
        caller.join(30)
        assert isinstance(caller.got, list)
    assert relay.calls["get_role_names"] == 2


def test_writes_count_and_what_frees_locks_does_not(relay, one_at_a_time, direct, db):
    relay.stall()
    writer = Caller(one_at_a_time, lambda client: client.create_table(metastore.table(db, "t")))
    one_at_a_time.eventually(lambda _: relay.calls["create_table"])
    reader = Caller(one_at_a_time, roles)
    until_waiting(one_at_a_time, 1)
    other_write = Caller(one_at_a_time, lambda client: client.drop_table(db, "t", False))
    until_waiting(one_at_a_time, 2)
    frees = Caller(one_at_a_time, lambda client: client.unlock(t.UnlockRequest(lockid=1 << 40)))
    one_at_a_time.eventually(lambda _: relay.calls["unlock"])
    assert relay.calls["get_role_names"] == relay.calls["drop_table"] == 0
    relay.go_on()
    for caller in (writer, reader, other_write, frees):
        caller.join(30)
    assert writer.got is None and other_write.got is None and isinstance(reader.got, list)
    assert "t" not in direct.get_all_tables(db)
