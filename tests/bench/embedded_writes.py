#!/usr/bin/env python3
"""embedded_writes.py [CONNECTIONS...]: writes on the embedded metastore, at full durability.

Each connection adds partitions to a table of its own through the daemon, one call after the other.
Run it with the interpreter that `tools/test integration` prepares (build/venv/bin/python), on a
quiet machine, after a release build.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools" / "demo")]

from support import metastore  # noqa: E402
from support.daemon import BIN, Daemon  # noqa: E402


def load(port, connections):
    ran = subprocess.run(
        [str(BIN / "bench_call_load"), "--port", str(port), "--method", "append_partition_by_name",
         "--args", "bench", "t{c}", "p={n}", "--connections", str(connections), "--seconds", "4"],
        capture_output=True, text=True, check=False)
    return ran.stdout.strip() or ran.stderr.strip()


def main():
    for connections in [int(text) for text in sys.argv[1:]] or [1, 8, 64]:
        with tempfile.TemporaryDirectory() as state, Daemon([], Path(state)) as daemon, \
                metastore.connect(daemon.port) as client:
            client.create_database(metastore.database("bench"))
            for i in range(connections):
                client.create_table(metastore.table("bench", f"t{i}",
                                                    partition_keys=[("p", "string")]))
            print(load(daemon.port, connections), flush=True)


if __name__ == "__main__":
    main()
