#!/usr/bin/env python3
"""endpoint_beside.py: what clients get from the daemon, beside the least a server could do and
beside Hive's own cache, in one run.

Prints: cached get_table against a raw epoll server that sends the same bytes and against a 3.1.3
metastore with CachedStore; 1000 partitions by their names; what a passed-through call costs more
than a straight one; memory of an idle connection. Rates are medians of alternating rounds. Run it
with the interpreter that `tools/test integration` prepares (build/venv/bin/python), on a quiet
machine, after a release build.
"""
import re
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools" / "demo")]

from support import metastore  # noqa: E402
from support.daemon import BIN, Daemon  # noqa: E402
from support.hms import Hms  # noqa: E402

ROUNDS = 5
PARTITIONS = 1000
IDLE = 10_000
TABLE = ["--method", "get_table", "--args", "bench", "wide"]
CACHED_STORE = {
    "hive.metastore.rawstore.impl": "org.apache.hadoop.hive.metastore.cache.CachedStore",
    # Else it measures what it holds, by means that Java has closed since.
    "hive.metastore.cached.rawstore.max.cache.memory": "-1"}


def load(port, call, connections, seconds=2):
    """(calls per second, median in microseconds)"""
    ran = subprocess.run([str(BIN / "bench_call_load"), "--port", str(port), *call,
                          "--connections", str(connections), "--seconds", str(seconds)],
                         capture_output=True, text=True, check=True)
    rate, median = re.match(r"(\d+) calls/s, p50 ([\d.]+) us", ran.stdout).groups()
    return float(rate), float(median)


def alternating(ports, call, connections):
    """{name: (median rate, median of medians)}: all meet the same state of the machine."""
    seen = {name: [] for name in ports}
    for _ in range(ROUNDS):
        for name, port in ports.items():
            seen[name].append(load(port, call, connections))
    return {name: tuple(statistics.median(values) for values in zip(*rounds))
            for name, rounds in seen.items()}


class RawServer:
    def __init__(self, port, folder):
        reply = Path(folder) / "reply"
        load(port, [*TABLE, "--same-as", str(reply)], 1, 1)
        self.process = subprocess.Popen([str(BIN / "bench_raw_server"), str(reply)],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()


def make_tables(client):
    fields = metastore.columns(*[(f"c{i}", "string") for i in range(20)])
    client.create_database(metastore.database("bench"))
    client.create_table(metastore.table("bench", "wide", fields=fields))
    client.create_table(metastore.table("bench", "keyed", partition_keys=[("day", "string")]))
    client.add_partitions([metastore.partition(client, "bench", "keyed", [f"d{i:04}"])
                           for i in range(PARTITIONS)])


def tables(daemon, cached_store, folder):
    with RawServer(daemon.port, folder) as raw:
        ports = {"catalogd": daemon.port, "raw epoll server": raw.port,
                 "CachedStore": cached_store.port}
        for connections in (1, 8, 64):
            found = alternating(ports, TABLE, connections)
            ours = found["catalogd"][0]
            print(f"get_table, {connections} connections: " + "; ".join(
                f"{name} {rate:,.0f}/s p50 {median:.0f} us"
                + ("" if name == "catalogd" else f" (catalogd has {ours / rate:.2f} of it)")
                for name, (rate, median) in found.items()), flush=True)


def partitions(daemon):
    names = [f"day=d{i:04}" for i in range(PARTITIONS)]
    _, median = load(daemon.port, ["--method", "get_partitions_by_names", "--args", "bench",
                                   "keyed", "--list", *names], 1)
    print(f"{PARTITIONS} partitions by names: p50 {median / 1000:.2f} ms", flush=True)


def passed_through(daemon, server):
    found = alternating({"straight": server.port, "through": daemon.port},
                        ["--method", "get_config_value", "--args", "hive.metastore.uris", "x"], 1)
    straight, through = found["straight"][1], found["through"][1]
    print(f"a call that is passed through: straight p50 {straight:.0f} us, "
          f"through {through:.0f} us, {(through - straight) / 1000:.2f} ms more", flush=True)


def resident(daemon):
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))


def idle(daemon):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    connections, before = [], resident(daemon)
    for _ in range(IDLE):
        connections.append(socket.create_connection(("127.0.0.1", daemon.port)))
    daemon.eventually(lambda _: daemon.metric("catalogd_client_connections") >= IDLE)
    print(f"an idle connection of {IDLE}: {(resident(daemon) - before) / IDLE:.2f} KiB")
    for connection in connections:
        connection.close()


def main():
    with tempfile.TemporaryDirectory() as folder, Hms("3.1.3") as server, \
            Hms("3.1.3", CACHED_STORE) as cached_store, \
            Daemon(["--metastore", server.uri], Path(folder) / "state") as daemon:
        for port in (server.port, cached_store.port):
            with metastore.connect(port) as client:
                make_tables(client)
        daemon.wait()
        for name in ("wide", "keyed"):
            daemon.ctl("sync", f"bench.{name}")
        tables(daemon, cached_store, folder)
        partitions(daemon)
        passed_through(daemon, server)
        idle(daemon)


if __name__ == "__main__":
    main()
