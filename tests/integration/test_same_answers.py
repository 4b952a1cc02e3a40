"""One random stream of reads, straight to the metastore and through the daemon: the answers are the
same, byte for byte, and a good share of them came from the cache."""
import os
import random

import pytest
from thrift_connection import Connection

from support import metastore
from support.raw import differences, outcome, sorted_lists
from support.read_stream import NAMES, TABLES, VIEW, ReadStream, partitions

SEEDS = [int(seed) for seed in os.environ.get("SAME_ANSWERS_SEEDS", "1").split(",")]
READS = int(os.environ.get("SAME_ANSWERS_READS", "200"))
CHANGE_EVERY = 40

CACHED = "catalogd_cached_answers_total"
KEPT = "catalogd_side_answer_hits_total"
# Metastores give names by pattern as their database finds them.
IN_NO_ORDER = {"get_tables"}


@pytest.fixture
def filled(daemon, direct, db):
    for name, keys in TABLES.items():
        direct.create_table(metastore.table(db, name, keys))
        parts = [metastore.partition(direct, db, name, values) for values in partitions(name)]
        if parts:
            direct.add_partitions(parts)
    for name in NAMES:
        direct.create_table(metastore.table(db, name))
    view = metastore.table(db, VIEW)
    view.tableType, view.parameters = "VIRTUAL_VIEW", {}
    view.viewOriginalText = view.viewExpandedText = "select * from days"
    direct.create_table(view)
    daemon.wait()
    for name in TABLES:
        daemon.ctl("sync", f"{db}.{name}")
    return db


def ask(port, method, arguments):
    with Connection(port) as connection:
        answer = outcome(connection, method, arguments)
    return sorted_lists(answer) if method in IN_NO_ORDER else answer


class Changes:
    """Something small that another client does."""

    def __init__(self, client, db, rng):
        self._client, self._db, self._rng = client, db, rng
        self._days = 0
        self._more = []

    def make(self):
        self._rng.choice([self._partitions, self._tables, self._column])()

    def _partitions(self):
        if self._days and self._rng.random() < 0.5:
            self._client.drop_partition(self._db, "days", [self._day(), "00"], False)
            self._days -= 1
            return
        self._days += 1
        self._client.append_partition(self._db, "days", [self._day(), "00"])

    def _day(self):
        return f"2025-01-{self._days:02}"

    def _tables(self):
        if self._more and self._rng.random() < 0.5:
            self._client.drop_table(self._db, self._more.pop(), False)
            return
        self._more.append(f"orders_{self._rng.randrange(10 ** 6)}")
        self._client.create_table(metastore.table(self._db, self._more[-1]))

    def _column(self):
        table = metastore.get_table(self._client, self._db, "orders")
        table.sd.cols += metastore.columns((f"c{len(table.sd.cols)}", "string"))
        table.owner = self._rng.choice(["tester", "somebody"])
        self._client.alter_table(self._db, "orders", table)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_stream_of_reads(hms, daemon, direct, filled, seed):
    stream = ReadStream(random.Random(seed), filled, hms.version.name)
    changes = Changes(direct, filled, random.Random(seed))
    from_cache, kept = daemon.metric(CACHED), daemon.metric(KEPT)
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
    # Answers that are kept are among those from the cache.
    assert daemon.metric(KEPT) - kept > READS / 30
    assert daemon.metric(CACHED) - from_cache > READS / 3
