"""Own DDL among foreign changes of the same tables: no stale read, no time travel.

What could go wrong: a change of another client lands between our DDL and the reading of its event,
and the cache settles on an older image, or goes back to one. Here a foreign client changes the very
tables, directly in the metastore, all the time. Each write carries a stamp of its own, so the log
tells afterwards which event a reader saw. Where the metastore itself contradicts its log (it does
when writers race), its own answer at that moment decides, and the case is counted apart.
"""
import os
import random
import threading
from collections import Counter

import pytest
from pymetastore.hive_metastore import ttypes as t
from thrift.Thrift import TException

from support import metastore
from support.history import STAMP, History, state_of_table
from support.metastore import columns, get_table
from support.raw import assert_all_same, database_reads, table_reads

ROUNDS = int(os.environ.get("CATALOGD_HAMMER_ROUNDS", "2000"))
SEED = int(os.environ.get("CATALOGD_HAMMER_SEED", "1"))
ALTERED = ["a1", "a2"]
CHURNED = ["c1", "c2"]


def stamped(table, stamp):
    table.parameters = {**(table.parameters or {}), STAMP: stamp}
    table.sd.cols = columns(("id", "bigint"), ("name", "string"))
    table.sd.cols[0].comment = stamp
    return table


def observe(client, db, name):
    try:
        return state_of_table(get_table(client, db, name))
    except t.NoSuchObjectException:
        return None


class Foreign(threading.Thread):
    """The other client: straight to the metastore, without a pause."""

    def __init__(self, port, db):
        super().__init__(daemon=True)
        self.port, self.db = port, db
        self.changes = self.refused = 0
        self._random = random.Random(SEED + 1)
        self._stop_asked = threading.Event()

    def run(self):
        with metastore.connect(self.port) as client:
            number = 0
            while not self._stop_asked.is_set():
                number += 1
                try:
                    self._change(client, f"foreign-{number}")
                    self.changes += 1
                except TException:
                    self.refused += 1

    def _change(self, client, stamp):
        name = self._random.choice(ALTERED + CHURNED)
        if name in CHURNED and self._random.random() < 0.3:
            client.drop_table(self.db, name, False)
            client.create_table(stamped(metastore.table(self.db, name), stamp))
        else:
            client.alter_table(self.db, name, stamped(get_table(client, self.db, name), stamp))

    def finish(self):
        self._stop_asked.set()
        self.join(60)
        assert not self.is_alive()


class Watcher(threading.Thread):
    """Reads through the daemon on a connection of its own, and notes what it saw."""

    def __init__(self, port, db):
        super().__init__(daemon=True)
        self.port, self.db = port, db
        self.seen = []
        self.failure = None
        self._stop_asked = threading.Event()

    def run(self):
        chooser = random.Random(SEED + 2)
        try:
            with metastore.connect(self.port) as client:
                while not self._stop_asked.wait(0.002):
                    name = chooser.choice(ALTERED + CHURNED)
                    self.seen.append((name, observe(client, self.db, name)))
        except TException as error:
            self.failure = error

    def finish(self):
        self._stop_asked.set()
        self.join(60)
        assert self.failure is None and not self.is_alive()


class Rounds:
    """Our own DDLs, each followed by a read on another connection."""

    def __init__(self, writer, reader, direct, db):
        self.writer, self.reader, self.direct, self.db = writer, reader, direct, db
        self.reads = []  # (name, stamp of our DDL or None, its lower bound, observed, truth)
        self.refused = self.count = 0
        self._random = random.Random(SEED)

    def run(self, number):
        stamp = f"own-{number}"
        name = self._random.choice(ALTERED + CHURNED)
        bound, written = 0, stamp
        try:
            if name in ALTERED or self._random.random() < 0.6:
                table = stamped(get_table(self.writer, self.db, name), stamp)
                self.writer.alter_table(self.db, name, table)
            elif observe(self.writer, self.db, name) is None:
                table = stamped(metastore.table(self.db, name), stamp)
                self.writer.create_table(table)
            else:
                bound = metastore.current_event(self.direct)
                self.writer.drop_table(self.db, name, False)
                written = None
        except TException:
            self.refused += 1
            return
        observed = observe(self.reader, self.db, name)
        truth = observed
        if observed != (written and (written, written)):
            truth = observe(self.direct, self.db, name)
        self.reads.append((name, written, bound, observed, truth))


def own_position(history, name, stamp, bound):
    """Where our DDL is: by its stamp, or the first drop after we asked for one."""
    if stamp is not None:
        return history.by_stamp.get(stamp)
    return history.drop_after(name, bound)


def judge_rounds(history, reads):
    counts, positions, stale = Counter(), Counter(), []
    for name, stamp, bound, observed, truth in reads:
        own = own_position(history, name, stamp, bound)
        if own is None:
            counts["own event not in the log"] += 1
            continue
        position = history.explain(name, observed, max(own, positions[name]))
        if position is not None:
            positions[name] = position
            counts["explained"] += 1
        elif history.is_torn(name, observed):
            counts["torn"] += 1
        elif history.hides_a_twin(name, observed, max(own, positions[name])):
            counts["an id given twice"] += 1
        elif observed == truth:
            counts["contradicted by the metastore"] += 1
        else:
            stale.append((name, own, stamp, observed, truth))
    return counts, stale


def story(daemon, history, found):
    """What log and daemon say about a name around a position; for the text of a failure."""
    name, position = found[0], found[1]
    near = history.states[name][max(0, position - 6):position + 4]
    first, last = near[0][0], near[-1][0]
    told = [line for line in daemon.ctl_text("events", name, "--limit", "400").splitlines()
            if line.split()[0].isdigit() and first <= int(line.split()[0]) <= last]
    return "\n".join([f"{found}; the log:", *map(str, near), "the daemon:", *told])


def judge_watcher(history, seen):
    counts, positions, back = Counter(), Counter(), []
    for name, observed in seen:
        position = history.explain(name, observed, positions[name])
        if position is not None:
            positions[name] = position
            counts["explained"] += 1
        elif history.is_torn(name, observed):
            counts["torn"] += 1
        elif history.hides_a_twin(name, observed, positions[name]):
            counts["an id given twice"] += 1
        else:
            back.append((name, positions[name], observed))
    return counts, back


@pytest.fixture
def hammered(hms, start_daemon, direct, db):
    """Runs all rounds; gives (daemon, history, rounds, watcher)."""
    before = metastore.current_event(direct)
    for name in ALTERED + CHURNED:
        direct.create_table(stamped(metastore.table(db, name), f"first-{name}"))
    daemon = start_daemon("--metastore", hms.uri)
    daemon.wait()
    foreign, watcher = Foreign(hms.port, db), Watcher(daemon.port, db)
    with metastore.connect(daemon.port) as writer, metastore.connect(daemon.port) as reader:
        rounds = Rounds(writer, reader, direct, db)
        foreign.start()
        watcher.start()
        # 2.3 promises less, so that fewer rounds show all there is to see.
        rounds.count = ROUNDS // 4 if hms.version.is_before_catalogs else ROUNDS
        for number in range(rounds.count):
            rounds.run(number)
        foreign.finish()
        watcher.finish()
    daemon.wait()
    history = History(metastore.events_after(direct, before), db)
    print(f"\nseed {SEED}: {len(rounds.reads)} own DDLs ({rounds.refused} refused), "
          f"{foreign.changes} foreign ones ({foreign.refused} refused), "
          f"{len(watcher.seen)} other reads, {history.contradictions} contradictions and "
          f"{history.twins} ids given twice in the log")
    return daemon, history, rounds, watcher


def test_no_stale_read_and_no_time_travel(hms, hammered, db):
    daemon, history, rounds, watcher = hammered
    counts, stale = judge_rounds(history, rounds.reads)
    print(f"reads after own DDL: {dict(counts)}, stale {len(stale)}")
    watched, back = judge_watcher(history, watcher.seen)
    print(f"other reads: {dict(watched)}, unexplained {len(back)}")
    assert stale == [], "\n".join(story(daemon, history, found) for found in stale)
    # Servers whose ids are dense give no excuse, and others one a twin at most.
    excused = counts["an id given twice"] + watched["an id given twice"]
    assert excused <= history.twins
    # The watcher had no truth beside it; only tables that are never dropped are beyond doubt.
    assert [found for found in back if found[0] in ALTERED] == []
    assert len(rounds.reads) > rounds.count / 2
    assert counts["explained"] > 0.9 * len(rounds.reads)
    for name in ALTERED + CHURNED:
        assert_all_same(hms.port, daemon.port, table_reads(db, name))
    assert_all_same(hms.port, daemon.port, database_reads(db))
