"""Framed and unframed on one port; whatever is broken costs its own connection."""
import socket
import struct

import pytest

from support import metastore
from thrift_binary import EXCEPTION, List, Struct, message
from thrift_connection import ApplicationError, Connection

TIMEOUT = 20


def exchange(port, data):
    """Sends bytes, hears what comes back until the other side closes or `TIMEOUT` passes."""
    heard = b""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        while True:
            more = connection.recv(65536)
            if not more:
                return heard
            heard += more


def test_framed_and_unframed_say_the_same(daemon, direct, db):
    direct.create_table(metastore.table(db, "t"))
    daemon.wait()
    with Connection(daemon.port) as plain, Connection(daemon.port, framed=True) as framed:
        for name, arguments in [("get_table", (db, "t")), ("get_all_tables", (db,)),
                                ("getName", ()), ("get_all_databases", ())]:
            assert plain.call(name, *arguments) == framed.call(name, *arguments)
        with pytest.raises(ApplicationError):
            framed.call("no_such_method")


def test_many_calls_at_once_are_answered_in_order(daemon):
    calls = b"".join(message("get_all_databases" if i % 2 else "getName", Struct(), sequence=i)
                     for i in range(200))
    heard = exchange(daemon.port, calls)
    sequences, position = [], 0
    while position < len(heard):
        size, = struct.unpack_from(">i", heard, position + 4)
        sequences.append(struct.unpack_from(">i", heard, position + 8 + size)[0])
        following = heard.find(b"\x80\x01\x00", position + 4)
        position = following if following > 0 else len(heard)
    assert sequences == list(range(200))


def test_a_call_that_comes_byte_by_byte(daemon):
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=TIMEOUT) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in message("get_all_databases", Struct()):
            connection.sendall(bytes([byte]))
        assert connection.recv(4) == b"\x80\x01\x00\x02"


BROKEN = {
    "nothing": b"",
    "text": b"hello\r\n\r\n",
    "other version": b"\x80\x02\x00\x01" + b"\x00" * 20,
    "cut off": message("get_table", Struct({1: "a", 2: "b"}))[:-3],
    "long name": struct.pack(">Ii", 0x80010001, 0x7FFFFFFF) + b"x" * 100,
    "negative name": struct.pack(">Ii", 0x80010001, -5) + b"x" * 100,
    "long string": message("get_database", Struct())[:-1] + b"\x0b\x00\x01\x7f\xff\xff\xff" +
                   b"x" * 100,
    "long list": message("x", Struct())[:-1] + b"\x0f\x00\x01\x0b\x7f\xff\xff\xff" + b"\x00" * 50,
    "no such type": message("get_database", Struct())[:-1] + b"\x63\x00\x01" + b"\x00" * 50,
    "deep": message("x", Struct())[:-1] + b"\x0c\x00\x01" * 100000,
    "huge frame": struct.pack(">i", 0x7FFFFFFF) + b"x" * 100,
    "empty frame": struct.pack(">i", 0),
    "frame without message": struct.pack(">i", 4) + b"abcd",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_message_costs_its_own_connection(daemon, data):
    with Connection(daemon.port) as bystander:
        assert bystander.call("get_all_databases")
        heard = exchange(daemon.port, data)
        # Closed in silence, or after an error; never a result.
        assert heard == b"" or EXCEPTION in (heard[3], heard[7])
        assert bystander.call("get_all_databases")
    assert daemon.process.poll() is None


def test_a_browser_is_told_where_the_pages_are(daemon):
    heard = exchange(daemon.port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert heard.startswith(b"HTTP/1.1 400")


def test_the_old_form_of_a_message_is_answered_in_kind(daemon):
    """A name without a version before it: real servers hang up on it, old clients still send it."""
    old = struct.pack(">i", 5) + b"hello" + b"\x01" + struct.pack(">i", 7) + b"\x00"
    heard = exchange(daemon.port, old)
    assert heard.startswith(struct.pack(">i", 5) + b"hello" + b"\x03" + struct.pack(">i", 7))
    assert b"Invalid method name: 'hello'" in heard


def test_a_message_above_the_limit_is_refused_by_name(hms, start_daemon):
    daemon = start_daemon("--metastore", hms.uri, "--max-message-size", "64KiB")
    with Connection(daemon.port) as large, Connection(daemon.port) as bystander:
        assert bystander.call("get_all_databases")
        with pytest.raises((ApplicationError, ConnectionError, OSError)):
            large.call("get_table_objects_by_name", "default", List(["x" * 1000] * 200))
        assert bystander.call("get_all_databases")


def test_a_client_that_leaves_mid_call_harms_nobody(daemon):
    for _ in range(50):
        connection = socket.create_connection(("127.0.0.1", daemon.port), timeout=TIMEOUT)
        connection.sendall(message("get_all_databases", Struct()) * 10)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    with Connection(daemon.port) as bystander:
        assert bystander.call("get_all_databases")
