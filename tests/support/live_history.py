"""What the notification log says every object looked like, and whether answers agree with it.

A key is ("database", db), ("table", db, name) or ("partition", db, table, value); its state is None
while it is absent, else the stamp that its last writer put into its parameters (tables: with the
copy in the comment of the first column). Partitioned tables here have one key.
"""
import heapq
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from .history import STAMP, decode, state_of_table

__all__ = ["LiveHistory", "Read", "Write", "judge", "state_of_table"]


def _text(struct, number):
    return struct.get(str(number), {}).get("str")


def _stamp(struct, parameters):
    return struct.get(str(parameters), {}).get("map", ["", "", 0, {}])[3].get(STAMP)


def _table(text):
    """(database, name, state) of a Table in Thrift-JSON."""
    table = json.loads(text)
    columns = table.get("7", {}).get("rec", {}).get("1", {}).get("lst", ["rec", 0])[2:]
    comment = _text(columns[0], 3) if columns else None
    return _text(table, 2).lower(), _text(table, 1).lower(), (_stamp(table, 9), comment)


def _partition(text):
    """(value, state) of a Partition in Thrift-JSON."""
    partition = json.loads(text)
    return partition["1"]["lst"][2], _stamp(partition, 7)


@dataclass
class Read:
    """An answer through the daemon: what it said of each key, and when it was asked for."""
    reader: str
    asked: float
    states: dict
    # Read at the level `latest`: whatever anybody wrote before shows.
    is_latest: bool = False


@dataclass
class Write:
    """A change that returned: its stamp, or None for a drop between two event ids."""
    returned: float
    key: tuple
    stamp: object
    not_before: int = 0
    is_foreign: bool = False
    # A metastore whose database ran into a deadlock can report a change as done that was rolled
    # back: without a bound, the next drop would be taken for this one.
    not_after: float = float("inf")


class LiveHistory:
    """Positions are numbers of states that a key had before: 0 is before its first event."""

    def __init__(self, events):
        self.states = defaultdict(list)
        self.partitions = defaultdict(set)
        # What a key had under its other name, just before or after a rename.
        self._across_renames = defaultdict(list)
        self.contradictions = Counter()
        self._ids = Counter(event.eventId for event in events)
        self.twins = len(events) - len(self._ids)
        for event in events:
            apply = getattr(self, "_on_" + event.eventType.lower(), None)
            if apply:
                apply(event.eventId, event.dbName.lower(), (event.tableName or "").lower(),
                      decode(event))

    def _put(self, key, event_id, state):
        known = self.states[key]
        is_present = bool(known) and known[-1][1] is not None
        if state is None and not is_present:
            return
        known.append((event_id, state))

    def _drop_partitions(self, event_id, db, table):
        for key in self.partitions[db, table]:
            self._put(key, event_id, None)

    def _put_partition(self, event_id, db, table, value, state):
        key = ("partition", db, table, value)
        self.partitions[db, table].add(key)
        self._put(key, event_id, state)

    def _note_rename(self, old, new, state):
        self._across_renames[new].append(self.state(old))
        self._across_renames[old].append(state)

    # One method for each type of event.

    def _on_create_database(self, event_id, db, _, message):
        self._put(("database", db), event_id, _database_state(message.get("dbJson")))

    def _on_alter_database(self, event_id, db, _, message):
        self._put(("database", db), event_id, _database_state(message.get("dbObjAfterJson")))

    def _on_drop_database(self, event_id, db, _, __):
        for key in list(self.states):
            if key[1] == db:
                self._put(key, event_id, None)

    def _on_create_table(self, event_id, db, name, message):
        state = _table(message["tableObjJson"])[2]
        if self.state(("table", db, name)) is not None:
            self.contradictions["create of a present table"] += 1
        self._put(("table", db, name), event_id, state)
        self._drop_partitions(event_id, db, name)

    def _on_drop_table(self, event_id, db, name, _):
        if self.state(("table", db, name)) is None:
            self.contradictions["drop of an absent table"] += 1
        self._put(("table", db, name), event_id, None)
        self._drop_partitions(event_id, db, name)

    def _on_alter_table(self, event_id, _, __, message):
        old_db, old_name, _ = _table(message["tableObjBeforeJson"])
        db, name, state = _table(message["tableObjAfterJson"])
        if self.state(("table", old_db, old_name)) is None:
            self.contradictions["alter of an absent table"] += 1
        if (old_db, old_name) != (db, name):
            self._note_rename(("table", old_db, old_name), ("table", db, name), state)
            self._put(("table", old_db, old_name), event_id, None)
            for key in list(self.partitions[old_db, old_name]):
                self._put_partition(event_id, db, name, key[3], self.state(key))
                self._put(key, event_id, None)
        self._put(("table", db, name), event_id, state)

    def _on_add_partition(self, event_id, db, table, message):
        for text in message["partitionListJson"]:
            self._put_partition(event_id, db, table, *_partition(text))

    def _on_alter_partition(self, event_id, db, table, message):
        before = _partition(message["partitionObjBeforeJson"])[0]
        value, state = _partition(message["partitionObjAfterJson"])
        if before != value:
            self._note_rename(("partition", db, table, before), ("partition", db, table, value),
                              state)
            self._put_partition(event_id, db, table, before, None)
        self._put_partition(event_id, db, table, value, state)

    _on_alter_partitions = _on_add_partition

    def _on_drop_partition(self, event_id, db, table, message):
        for spec in message["partitions"]:
            self._put_partition(event_id, db, table, *spec.values(), None)

    # Questions.

    def state(self, key):
        known = self.states[key]
        return known[-1][1] if known else None

    def position_of(self, write):
        """The position from which on a write of ours shows, or None when the log lacks it."""
        for position, (event_id, state) in enumerate(self.states[write.key], 1):
            if write.stamp is None:
                if state is None and write.not_before <= event_id <= write.not_after:
                    return position
            elif state is not None and _stamp_of(state) == write.stamp:
                return position
        return None

    def explain(self, key, observed, not_before):
        """The first position from `not_before` on at which the key looked as observed, or None."""
        states = [None] + [state for _, state in self.states[key]]
        for position in range(self._first_twin(key, not_before), len(states)):
            if _same(states[position], observed):
                return position
        return None

    def _first_twin(self, key, position):
        known = self.states[key]
        while position > 1 and known[position - 2][0] == known[position - 1][0]:
            position -= 1
        return position

    def is_torn(self, key, observed):
        """A read of the metastore in the middle of a change: halves of two states, or the content
        that the other end of a rename had."""
        if observed is None or observed is True:
            return False
        states = [state for _, state in self.states[key] if state] + self._across_renames[key]
        if observed in self._across_renames[key]:
            return True
        if not isinstance(observed, tuple) or observed[0] == observed[1]:
            return False
        known = {half for state in states if state for half in state}
        return set(observed) <= known

    def hides_a_twin(self, key, observed, not_before):
        """It looked so a little earlier, and every later event shares its id with another one."""
        known = [(0, None)] + self.states[key]
        for position in range(max(not_before - 3, 0), not_before):
            if _same(known[position][1], observed):
                return all(self._ids[event] > 1 for event, _ in known[position + 1:not_before + 1])
        return False


def _database_state(text):
    """Messages of 2.3 have nothing but the name."""
    if text is None:
        return True
    return _stamp(json.loads(text), 4) or True


def _stamp_of(state):
    return state[0] if isinstance(state, tuple) else state


def _same(state, observed):
    """A list tells presence alone: True."""
    if observed is True or state is True:
        return (state is not None) == (observed is not None)
    return state == observed


@dataclass
class Verdict:
    counts: Counter = field(default_factory=Counter)
    wrong: list = field(default_factory=list)


def judge(history, reads, writes, is_judged):
    """No reader goes back, and whoever asks after a write of ours has returned sees it; at the
    level `latest`, after anybody's write.

    Reads are taken in the order in which they were asked; each is given the earliest position that
    explains it, so that nothing right is called wrong. Keys for which is_judged(key) is false are
    counted only: their writers race, and the metastore itself contradicts its log there.
    """
    verdict = Verdict()
    pending = [(write.returned, number, write) for number, write in enumerate(writes)]
    heapq.heapify(pending)
    written, written_by_all, seen = Counter(), Counter(), Counter()
    for read in sorted(reads, key=lambda r: r.asked):
        while pending and pending[0][0] < read.asked:
            write = heapq.heappop(pending)[2]
            position = history.position_of(write)
            if position is None:
                verdict.counts["own event not in the log"] += 1
                continue
            written_by_all[write.key] = max(written_by_all[write.key], position)
            if not write.is_foreign:
                written[write.key] = max(written[write.key], position)
        for key, observed in read.states.items():
            # Where ids are given twice, the current id can be one that has been passed already.
            is_latest = read.is_latest and history.twins == 0
            bound = (written_by_all if is_latest else written)[key]
            _judge_one(history, read, key, observed, bound, seen, verdict, is_judged(key))
    return verdict


def _judge_one(history, read, key, observed, written, seen, verdict, judged):
    bound = max(written, seen[read.reader, key])
    position = history.explain(key, observed, bound)
    kind = key[0]
    # Before a later position is taken for it, which would make the reads that follow look wrong.
    if position != bound and history.hides_a_twin(key, observed, bound):
        verdict.counts[kind + " under an id given twice"] += 1
    elif position is not None:
        seen[read.reader, key] = position
        verdict.counts[kind + " explained"] += 1
    elif history.is_torn(key, observed):
        verdict.counts[kind + " torn"] += 1
    elif judged:
        verdict.counts[kind + " WRONG"] += 1
        verdict.wrong.append((read, key, observed, written, seen[read.reader, key]))
    else:
        verdict.counts[kind + " beyond the log of racing writers"] += 1
