"""Clients that mean harm, or are not meant for this port: they cost their own connection, and
neither memory nor anybody else's answers."""
import http.client
import random
import re
import socket
import struct

import pytest

from support import metastore
from test_wire_input import BROKEN, TIMEOUT, exchange
from thrift_binary import I32, I64, List, Map, Struct, message
from thrift_connection import ApplicationError, Connection

MIB = 1 << 20


def memory(daemon, kind="VmRSS"):
    """Bytes of memory that the process has, or with VmData: has asked for."""
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
        return int(re.search(kind + r":\s+(\d+) kB", status.read()).group(1)) << 10


class Crowd:
    """Connections that have said something and stay."""

    def __init__(self, port, said, many):
        self.members = []
        for _ in range(many):
            member = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
            member.sendall(said)
            self.members.append(member)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for member in self.members:
            member.close()


def started(name, field):
    return message(name, Struct())[:-1] + field


# IMPALA-13020: a length that is announced is not a reason to take memory.
ANNOUNCED = {
    "a string": started("get_database", b"\x0b\x00\x01" + struct.pack(">i", 90 * MIB)),
    "a frame": struct.pack(">i", 90 * MIB) + message("get_database", Struct())[:-1],
    "a list": started("x", b"\x0f\x00\x01\x0c" + struct.pack(">i", 9 * MIB)),
    "a map": started("x", b"\x0d\x00\x01\x0b\x0b" + struct.pack(">i", 9 * MIB)),
    "a name": struct.pack(">Ii", 0x80010001, 90 * MIB),
    "nested lists": started("x", b"\x0f\x00\x01" + b"\x0f\x00\x00\x00\x01" * 60)}


@pytest.mark.parametrize("what", ANNOUNCED)
def test_what_is_only_announced_takes_no_memory(hms, start_daemon, what):
    daemon = start_daemon("--metastore", hms.uri)
    daemon.wait()
    with Connection(daemon.port) as bystander:
        assert bystander.call("get_all_databases")
        before, asked_before = memory(daemon), memory(daemon, "VmData")
        with Crowd(daemon.port, ANNOUNCED[what], 100):
            assert bystander.call("get_all_databases")
            daemon.wait()
            # What was announced is gigabytes; what is kept for a hundred connections, next to none.
            assert memory(daemon) - before < 32 * MIB
            assert memory(daemon, "VmData") - asked_before < 1024 * MIB
        assert bystander.call("get_all_databases")


def test_a_thousand_broken_messages_take_no_memory(hms, start_daemon):
    daemon = start_daemon("--metastore", hms.uri)
    daemon.wait()
    rng = random.Random(20)
    good = message("get_table", Struct({1: "a", 2: "b"}))

    def strike():
        for _ in range(250):
            exchange_carelessly(daemon.port, rng.randbytes(rng.randrange(1, 400)))
            bent = bytearray(good)
            bent[rng.randrange(len(bent))] = rng.randrange(256)
            exchange_carelessly(daemon.port, bytes(bent))
        for data in BROKEN.values():
            exchange_carelessly(daemon.port, data)

    with Connection(daemon.port) as bystander:
        strike()
        before = memory(daemon)
        strike()
        assert memory(daemon) - before < 32 * MIB
        assert bystander.call("get_all_databases")
    assert daemon.metric("catalogd_broken_messages_total") > 100
    assert daemon.process.poll() is None


def exchange_carelessly(port, data):
    """The other side may close while this one still sends."""
    try:
        return exchange(port, data)
    except OSError:
        return b""


def test_probes_that_only_connect_cost_nothing(hms, start_daemon):
    """waggle-dance 4.1.2: each look of a load balancer set up a session with the metastore."""
    daemon = start_daemon("--metastore", hms.uri)
    daemon.wait()
    before = daemon.metric("catalogd_metastore_connections")
    lines = daemon.log.read_text().count("\n")
    for _ in range(200):
        socket.create_connection(("127.0.0.1", daemon.port), timeout=TIMEOUT).close()
    daemon.wait()
    assert daemon.metric("catalogd_metastore_connections") <= before + 1
    assert daemon.log.read_text().count("\n") - lines < 20
    status = daemon.metric
    daemon.eventually(lambda _: status("catalogd_client_connections") <= 2)


# IMPALA-10721, waggle-dance#278: a newer client's method that broke the connection.
def test_methods_that_do_not_exist(hms, daemon):
    nested = Struct({1: Struct({1: List([Map({"a": List([Struct({5: I64(1)})])})])}), 9: I32(3)})

    def series():
        return {sample for sample in daemon.metrics() if sample[0].startswith("catalogd_call")}

    with Connection(daemon.port) as connection:
        with pytest.raises(ApplicationError, match="get_moon_phase"):
            connection.call("get_moon_phase", nested)
        assert connection.call("get_all_databases")
        before = series()
        assert before
        for number in range(500):
            with pytest.raises(ApplicationError):
                connection.call(f"no_such_method_{number}")
        assert connection.call("get_all_databases")
    assert series() == before  # Names from outside become no series.


# Trino#7836, KUDU-3781: TLS and plain text that met, and nobody said so.
def test_a_tls_client_is_told(daemon):
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)
    heard = exchange_carelessly(daemon.port, hello)
    assert heard[:1] == b"\x15"  # An alert, which its library can name.


def test_a_metastore_that_speaks_tls_or_http_is_named(start_daemon):
    for greeting in (b"\x15\x03\x01\x00\x02\x02\x28", b"HTTP/1.1 400 Bad Request\r\n\r\n"):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(TIMEOUT)
            port = listener.getsockname()[1]
            daemon = start_daemon("--metastore", f"thrift://127.0.0.1:{port}",
                                  "--call-timeout", "5s")
            answer_all(listener, greeting, 3)
            status = daemon.eventually(lambda s: s["warnings"] or s["reason"])
            told = repr(status)
            assert f"127.0.0.1:{port}" in told and not status["ready"]
            daemon.kill()


def answer_all(listener, greeting, many):
    for _ in range(many):
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            return
        with connection:
            connection.settimeout(TIMEOUT)
            connection.recv(4096)
            connection.sendall(greeting)


# IMPALA-11856: pages that changed something when they were looked at.
ROUTES = ["/", "/events", "/catalog", "/object?name=default", "/locks", "/config", "/metrics",
          "/livez", "/readyz", "/healthz", "/nowhere"]


@pytest.mark.parametrize("route", ROUTES)
def test_pages_can_only_be_looked_at(daemon, route):
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        connection = http.client.HTTPConnection("127.0.0.1", daemon.web_port, timeout=TIMEOUT)
        connection.request(method, route)
        answer = connection.getresponse()
        assert answer.status == 405, method
        connection.close()
    connection = http.client.HTTPConnection("127.0.0.1", daemon.web_port, timeout=TIMEOUT)
    connection.request("HEAD", route)
    answer = connection.getresponse()
    assert answer.status in (200, 404, 503) and answer.read() == b""
    assert "default-src" in answer.getheader("Content-Security-Policy", "")
    connection.close()


# IMPALA-11078: names and texts that became markup.
def test_names_and_errors_cannot_become_markup(hms, daemon, direct, db):
    bad = '"><script>alert(1)</script><img src=x onerror=1>{{7*7}}'
    table = metastore.table(db, "t", [("p", "string")], {bad: bad})
    table.sd.cols[0].comment = bad
    direct.create_table(table)
    direct.append_partition(db, "t", [bad])
    daemon.wait()
    daemon.ctl("sync", f"{db}.t")
    quoted = "%22%3E%3Cscript%3E%3Cimg%20src=x%20onerror=1%3E"
    for path in (f"/object?name={db}.t", f"/catalog?db={db}", "/events", "/",
                 f"/object?name={quoted}", f"/object?name={db}.{quoted}", f"/catalog?db={quoted}",
                 f"/events?name={quoted}",
                 f"/events?limit={quoted}", f"/{quoted}", "/locks", "/config"):
        body = daemon.page(path)[1]
        assert "<script" not in body and "<img" not in body, path
    assert "&lt;script&gt;" in daemon.page(f"/object?name={db}.t")[1]


# HIVE-29706: that there is no authentication is no secret, but it must not go unsaid.
def test_ports_that_others_can_reach_are_warned_of(hms, start_daemon):
    daemon = start_daemon("--metastore", hms.uri, "--bind-address", "0.0.0.0",
                          "--web-bind-address", "0.0.0.0")
    warnings = [warning for warning in daemon.status()["warnings"] if "0.0.0.0" in warning]
    assert len(warnings) == 2
    assert all(warning in daemon.log.read_text() for warning in warnings)
    assert warnings[0] in daemon.page("/?json")[1]


# StarRocks#78518, Gravitino#12119, iceberg#17804: secrets in parameters that pages and logs showed.
SECRETS = {"fs.s3a.secret.key": "MARK1", "fs.s3a.access.key": "MARK2", "db.password": "MARK3",
           "path": "s3a://id:MARK4@bucket/x", "oauth.token": "MARK5", "Credential": "MARK6"}


def test_secrets_in_parameters_are_not_shown(hms, start_daemon, direct, db):
    daemon = start_daemon("--metastore", hms.uri, "--log-level", "debug")
    table = metastore.table(db, "t", parameters={**SECRETS, "harmless": "shown"})
    table.sd.parameters, table.sd.serdeInfo.parameters = dict(SECRETS), dict(SECRETS)
    direct.create_table(table)
    daemon.wait()
    daemon.ctl("sync", f"{db}.t")
    with metastore.connect(daemon.port) as client:  # Whoever may ask for a table gets it whole.
        changed = metastore.get_table(client, db, "t")
        assert {**changed.parameters, **SECRETS} == changed.parameters
        changed.parameters["other.secret"] = "MARK7"
        client.alter_table(db, "t", changed)
    paths = [f"/object?name={db}.t", f"/catalog?db={db}", "/events", "/", "/config", "/locks",
             "/metrics"]
    for path in [*paths, *(path + ("&" if "?" in path else "?") + "json" for path in paths)]:
        assert "MARK" not in daemon.page(path)[1], path
    assert "shown" in daemon.page(paths[0])[1]
    assert "bucket/x" in daemon.page(paths[0])[1]
    assert "MARK" not in daemon.log.read_text()
