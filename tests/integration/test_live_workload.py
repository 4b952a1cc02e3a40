"""Every kind of DDL at once, from foreign clients and through the daemon, under faults: in the end
the cache equals the metastore object by object, and no answer on the way was wrong.

What could go wrong: everything that needs two writers and a bad moment. A failure prints its seed;
threads race, so a seed fixes the calls of each client, not their order.
"""
import os
import time

import pytest

from conftest import QUICK_RETRIES
from support import acid, metastore
from support.hms import Hms
from support.live_history import LiveHistory, judge
from support.raw import differences, outcome
from support.tcp_proxy import FaultyProxy
from support.workload import ARENAS, OWN_DB, Client, Reader, is_owned
from thrift_binary import I16, List, Struct
from thrift_connection import Connection

SECONDS = float(os.environ.get("CATALOGD_LIVE_SECONDS", "20"))
SEED = int(os.environ.get("CATALOGD_LIVE_SEED", "1"))
# How long a stopped metastore stays stopped.
PAUSE = float(os.environ.get("CATALOGD_LIVE_PAUSE", "30"))
FOREIGN, OWN = 3, 2
# The reconcile pass reads databases every 10 s.
RECONCILED = 60.0
# Where ids are given twice, the current id can also go back for a moment, and an event can show
# later than one with a higher id: so many changes may be seen late, for each id given twice.
UNORDERED = 0.1
# A call of an old server may need a second connection to its database while it holds one: with the
# ten it has by default, as many clients lock each other out for half a minute.
ROOMY = {"datanucleus.connectionPool.maxPoolSize": "60"}
# Answers out of the cache, at the least, and as a share of what was read at the level `cached`: one
# of all reads would depend on how often those at `latest` can ask.
CACHED_READS = 20
CACHED_SHARE = 0.1
# Changes of each client, however loaded the machine is.
LEAST = 5


class Live:
    """A metastore of the test's own, a relay, a daemon behind it, and all clients."""

    def __init__(self, version, start_daemon, home):
        self.hms = Hms(version, {**QUICK_RETRIES, **ROOMY}, home=home / "hms").start()
        self.relay = FaultyProxy(self.hms.port)
        with metastore.connect(self.hms.port) as direct:
            self.begin = metastore.current_event(direct)
            for name in (OWN_DB, *ARENAS):
                direct.create_database(metastore.database(name))
        self.daemon = start_daemon("--metastore", self.relay.uri)
        self.daemon.wait()
        served = self.hms.version
        self.clients = [Client(i, SEED, self.hms.port, served, self.hms.port)
                        for i in range(FOREIGN)]
        self.clients += [Client(i, SEED, self.daemon.port, served, self.hms.port)
                         for i in range(FOREIGN, FOREIGN + OWN)]
        self.readers = [Reader(level, self.daemon.port, FOREIGN + OWN, SEED + i, level)
                        for i, level in enumerate(["cached", "latest"])]

    def close(self):
        self.relay.close()
        self.hms.stop()

    def run(self, fault):
        for thread in self.clients + self.readers:
            thread.start()
        begun = time.monotonic()
        fault(self)
        time.sleep(max(0.0, SECONDS - (time.monotonic() - begun)))
        while min(sum(client.done.values()) for client in self.clients) < LEAST:
            assert time.monotonic() - begun < 10 * SECONDS + 120, "a client gets nothing done"
            time.sleep(0.1)
        for thread in self.clients + self.readers:
            thread.finish()
        self.daemon.eventually(lambda s: s["ready"], timeout=120)
        self.daemon.wait()

    def report(self):
        for client in self.clients:
            print(f"\n{client.name}: {dict(client.done)}; refused {dict(client.refused)}")
        for reader in self.readers:
            print(f"{reader.name}: {len(reader.reads)} reads; refused {dict(reader.failures)}")
        self.cached = self.daemon.metric("catalogd_cached_answers_total")
        passed = self.daemon.metric("catalogd_passed_through_total")
        print(f"{self.cached:.0f} answers from the cache, {passed:.0f} calls passed through")

    def history(self):
        with metastore.connect(self.hms.port) as direct:
            return LiveHistory(metastore.events_after(direct, self.begin))


def all_reads(direct):
    """Calls that show everything the metastore has."""
    yield "get_all_databases", Struct()
    with_absent = sorted({*direct.get_all_databases(), *ARENAS, OWN_DB})
    for db in with_absent:
        yield "get_database", Struct({1: db})
        yield "get_all_tables", Struct({1: db})
        yield "get_functions", Struct({1: db, 2: "*"})
        for name in sorted(direct.get_all_tables(db)):
            yield "get_table_req", Struct({1: Struct({1: db, 2: name})})
            yield "get_table_req", Struct({1: Struct({1: db, 2: name, 3: acid.OLD_ABLE})})
            yield "get_partition_names", Struct({1: db, 2: name, 3: I16(-1)})
            yield "get_partitions", Struct({1: db, 2: name, 3: I16(-1)})
            yield "get_table_statistics_req", Struct({1: Struct({
                1: db, 2: name, 3: List(["id"]), 4: "hive"})})
        for function in direct.get_functions(db, "*"):
            yield "get_function", Struct({1: db, 2: function})


def differing(hms_port, daemon_port):
    """(method, text) of each answer in which daemon and metastore tell different things."""
    found, compared = [], 0
    with metastore.connect(hms_port) as direct:
        calls = list(all_reads(direct))
    with Connection(hms_port) as straight, Connection(daemon_port) as through:
        for name, arguments in calls:
            compared += 1
            expected = outcome(straight, name, arguments)
            answered = outcome(through, name, arguments)
            if expected != answered:
                found.append((name, "\n".join([f"{name} {arguments}"] +
                                              differences(expected, answered))))
    return compared, found


def settled(live):
    """As `differing`, when databases have been read again that changed without an event."""
    deadline = time.monotonic() + RECONCILED
    while True:
        compared, found = differing(live.hms.port, live.daemon.port)
        if {name for name, _ in found} != {"get_database"} or time.monotonic() > deadline:
            return compared, [text for _, text in found]
        time.sleep(0.5)


def story(live, history, found):
    """What log and daemon say about a key around a position; for the text of a failure."""
    read, key, observed, written, seen = found
    near = max(written, seen)
    name = ".".join(key[1:3])
    told = live.daemon.ctl_text("events", name, "--limit", "60") if key[0] != "database" else ""
    states = [f"  {position} {state}" for position, state in
              enumerate(history.states[key], 1) if abs(position - near) < 5]
    return "\n".join([f"{read.reader} asked at {read.asked:.3f}: {key} {observed}, written "
                      f"{written}, seen {seen}", "the log:", *states, "the daemon:", told])


def nothing(_):
    pass


def restart(live):
    """The metastore ends in the middle of everything and comes back."""
    for _ in range(2):
        time.sleep(SECONDS / 4)
        live.hms.terminate()
        time.sleep(1)
        live.hms.start()


def cut_connections(live):
    """Connections between daemon and metastore die in the middle of any call."""
    end = time.monotonic() + SECONDS
    methods = ["alter_table", "create_table", "drop_table", "add_partitions", "drop_partition",
               "get_next_notification", "get_current_notificationEventId", "get_table_req",
               "get_partitions", "alter_partition", "rename_partition", "get_all_tables"]
    number = 0
    while time.monotonic() < end:
        number += 1
        if number % 3 == 0:
            live.relay.drop_connections()
        else:
            live.relay.cut_answer_of(methods[number % len(methods)], number % 7)
        time.sleep(0.2)


def stop(live):
    """The metastore stands still, with its connections open, and goes on."""
    time.sleep(SECONDS / 4)
    live.hms.pause()
    try:
        time.sleep(PAUSE)
    finally:
        live.hms.resume()
    time.sleep(SECONDS / 4)


FAULTS = {"no fault": nothing, "restart": restart, "cut connections": cut_connections,
          "stop": stop}
# The others by hand (CATALOGD_LIVE_ALL): each has a server of its own and takes most of a minute.
RUNS = [("4.2.0", "no fault"), ("4.2.0", "stop"), ("4.2.0", "cut connections"),
        ("3.1.3", "no fault")]
if os.environ.get("CATALOGD_LIVE_ALL"):
    RUNS = [(version, fault) for version in ("4.2.0", "3.1.3", "2.3.10") for fault in FAULTS]


@pytest.mark.parametrize("version, fault", RUNS)
def test_everything_at_once(version, fault, start_daemon, tmp_path):
    print(f"\nseed {SEED}, {SECONDS} s, {version}, {fault}")
    live = Live(version, start_daemon, tmp_path)
    try:
        live.run(FAULTS[fault])
        live.report()
        compared, found = settled(live)
        print(f"{compared} answers compared, {len(found)} differences")
        history = live.history()
        reads = [read for reader in live.readers for read in reader.reads]
        writes = [write for client in live.clients for write in client.writes]
        verdict = judge(history, reads, writes, is_owned)
        print(f"log: {sum(map(len, history.states.values()))} states, {history.twins} ids given "
              f"twice, {dict(history.contradictions)}\nreads: {dict(verdict.counts)}")
        for wrong in verdict.wrong[:5]:
            print(story(live, history, wrong))
        moves = [move for reader in live.readers for move in reader.broken_moves]
        assert found == [], "\n".join(found)
        told_late = {(key, max(written, seen)) for _, key, _, written, seen in verdict.wrong}
        allowed = max(2, history.twins * UNORDERED) if history.twins else 0
        assert len(told_late) <= allowed, "\n".join(
            story(live, history, wrong) for wrong in verdict.wrong[:5])
        assert moves == []
        answered = sum(verdict.counts.values())
        assert sum(n for kind, n in verdict.counts.items() if "torn" in kind) < 0.01 * answered
        at_cached = sum(not read.is_latest for read in reads)
        # Else nothing was shown of the cache.
        assert live.cached > max(CACHED_READS, CACHED_SHARE * at_cached)
    finally:
        live.close()
