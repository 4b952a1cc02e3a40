"""One random stream of reads, straight to the metastore and through the daemon: the answers are the
same, byte for byte, and a good share of them came from the cache."""
import os
import random

import pytest
from thrift_connection import Connection

from support import metastore
from support.raw import differences, outcome
from support.read_stream import TABLES, ReadStream, partitions

SEEDS = [int(seed) for seed in os.environ.get("SAME_ANSWERS_SEEDS", "1").split(",")]
READS = int(os.environ.get("SAME_ANSWERS_READS", "200"))
CHANGE_EVERY = 40

CACHED = "catalogd_cached_answers_total"


@pytest.fixture
def filled(daemon, direct, db):
    for name, keys in TABLES.items():
        direct.create_table(metastore.table(db, name, keys))
        parts = [metastore.partition(direct, db, name, values) for values in partitions(name)]
        if parts:
            direct.add_partitions(parts)
    daemon.wait()
    for name in TABLES:
        daemon.ctl("sync", f"{db}.{name}")
    return db


def ask(port, method, arguments):
    with Connection(port) as connection:
        return outcome(connection, method, arguments)


class Changes:
    """Something small that another client does."""

    def __init__(self, client, db, rng):
        self._client, self._db, self._rng = client, db, rng
        self._days = 0

    def make(self):
        if self._days and self._rng.random() < 0.5:
            self._client.drop_partition(self._db, "days", [self._day(), "00"], False)
            self._days -= 1
            return
        self._days += 1
        self._client.append_partition(self._db, "days", [self._day(), "00"])

    def _day(self):
        return f"2025-01-{self._days:02}"


@pytest.mark.parametrize("seed", SEEDS)
def test_one_stream_of_reads(hms, daemon, direct, filled, seed):
    stream = ReadStream(random.Random(seed), filled, hms.version.name)
    changes = Changes(direct, filled, random.Random(seed))
    from_cache = daemon.metric(CACHED)
    wrong = []
    for number in range(READS):
        if number % CHANGE_EVERY == CHANGE_EVERY - 1:
            changes.make()
            daemon.wait()
        method, arguments = stream.next()
        expected = ask(hms.port, method, arguments)
        found = ask(daemon.port, method, arguments)
        if found != expected:
            where = [line[:300] for line in differences(expected, found)[:2]]
            wrong.append("\n".join([f"{number}: {method} {arguments}", *where]))
    assert not wrong, f"{len(wrong)} of {READS} differ:\n" + "\n".join(wrong[:20])
    assert daemon.metric(CACHED) - from_cache > READS / 3
