#!/usr/bin/env python3
"""beside_metastore.py [VERSION]: the daemon and the real metastore behind it, in one run.

Prints one table: cached get_table of a 20-column table against the metastore's own, and writes
through the daemon against writes straight to the metastore (medians of alternating calls).
Run it with the interpreter that `tools/test integration` prepares (build/venv/bin/python), on a
quiet machine, after a release build.
"""
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools" / "demo")]

from support import metastore  # noqa: E402
from support.daemon import BIN, Daemon  # noqa: E402
from support.hms import Hms  # noqa: E402

LOAD = BIN / "bench_call_load"
WRITES = 300


def wide_table(db, name):
    fields = metastore.columns(*[(f"c{i}", "string") for i in range(20)])
    return metastore.table(db, name, fields=fields)


def load(port, method, connections):
    ran = subprocess.run([str(LOAD), "--port", str(port), "--method", method, "--args", "bench",
                          "wide", "--connections", str(connections), "--seconds", "4"],
                         capture_output=True, text=True, check=False)
    return ran.stdout.strip() or ran.stderr.strip()


def alter_times(clients, rounds):
    """Alternates between the clients, so that both meet the same state of the machine."""
    times = {name: [] for name in clients}
    tables = {}
    for name, client in clients.items():
        client.create_table(wide_table("bench", f"w_{name}"))
        tables[name] = metastore.get_table(client, "bench", f"w_{name}")
    for i in range(rounds):
        for name, client in clients.items():
            table = tables[name]
            table.parameters["round"] = str(i)
            begun = time.perf_counter()
            client.alter_table("bench", f"w_{name}", table)
            times[name].append(time.perf_counter() - begun)
    return {name: statistics.median(values) * 1000 for name, values in times.items()}


def main():
    version = sys.argv[1] if len(sys.argv) > 1 else "4.2.0"
    with tempfile.TemporaryDirectory() as state, Hms(version) as server, \
            Daemon(["--metastore", server.uri], Path(state)) as daemon, \
            metastore.connect(server.port) as direct, metastore.connect(daemon.port) as through:
        direct.create_database(metastore.database("bench"))
        direct.create_table(wide_table("bench", "wide"))
        daemon.wait()
        daemon.ctl("sync", "bench.wide")
        print(f"get_table, 20 columns, metastore {version}")
        old = version.startswith(("2.", "3."))
        for connections in (1, 8, 64):
            print(f"  catalogd   {load(daemon.port, 'get_table', connections)}")
        for connections in (1, 8):
            straight = load(server.port, "get_table", connections) if old else \
                "(no get_table on this server; ask 3.1.3)"
            print(f"  metastore  {straight}")
        medians = alter_times({"straight": direct, "through": through}, WRITES)
        print(f"alter_table, medians of {WRITES}: straight {medians['straight']:.2f} ms, through "
              f"{medians['through']:.2f} ms, ratio {medians['through'] / medians['straight']:.2f}")


if __name__ == "__main__":
    main()
