"""A random workload of every kind of DDL, straight at a metastore and through a daemon.

Each client has names of its own, which nobody else writes, so that the log alone says what they
are; and all share the names of two databases, where they race. Every write carries a stamp.
"""
import random
import threading
import time
from collections import Counter

from pymetastore.hive_metastore import ttypes as t
from thrift.Thrift import TException
from thrift.transport.TTransport import TTransportException

from . import acid, metastore
from .history import STAMP, state_of_table
from .live_history import Read, Write
from .metastore import columns, get_table

OWN_DB = "own"
ARENAS = ["arena0", "arena1"]
ARENA_TABLES = ["a", "b", "c", "d"]
VALUES = [f"v{i}" for i in range(6)]
GONE = (OSError, TTransportException, EOFError)


def own_names(index):
    return {"plain": f"o{index}_plain", "keyed": f"o{index}_keyed", "view": f"o{index}_view",
            "moving": (f"o{index}_here", f"o{index}_there")}


def is_owned(key):
    return key[1] == OWN_DB or key[1].startswith("db")


def stamped_table(db, name, stamp, partitioned):
    table = metastore.table(db, name, [("day", "string")] if partitioned else [],
                            parameters={STAMP: stamp})
    table.sd.cols[0].comment = stamp
    return table


def restamp(table, stamp):
    table.parameters = {**(table.parameters or {}), STAMP: stamp}
    table.sd.cols[0].comment = stamp
    return table


class Client(threading.Thread):
    """One writer, straight at the metastore or through the daemon; `writes` are those that
    returned."""

    def __init__(self, index, seed, port, version, direct_port):
        super().__init__(daemon=True, name=f"client{index}")
        self.index, self.is_foreign = index, port == direct_port
        self.writes = []
        self.done, self.refused = Counter(), Counter()
        self._port, self._direct_port = port, direct_port
        self._random = random.Random(seed * 1000 + index)
        self._names = own_names(index)
        self._number = 0
        self._stop_asked = threading.Event()
        self._direct = None
        self._open_transactions = []
        # Foreign changes of these are told by no event, and tables are read again seldom.
        self._has_silent_statistics = not version.name.startswith("4.")
        self._acid = None if version.is_before_catalogs else acid.AcidTables(
            index, port, version.name.startswith("4."), self._random)

    # Life.

    def finish(self):
        self._stop_asked.set()
        self.join(120)
        assert not self.is_alive(), f"{self.name} hangs"

    def run(self):
        while not self._stop_asked.is_set():
            try:
                with metastore.connect(self._port) as client, \
                        metastore.connect(self._direct_port) as self._direct:
                    while not self._stop_asked.is_set():
                        self._one(client)
            except GONE as error:
                self.refused[type(error).__name__] += 1
                self._stop_asked.wait(0.1)

    def _one(self, client):
        operation = self._random.choices(OPERATIONS, WEIGHTS)[0]
        self._number += 1
        stamp = f"{self.index}-{self._number}"
        try:
            changes = operation(self, client, stamp)
        except GONE:
            raise
        except (TException, *acid.REFUSED) as error:
            self.refused[f"{operation.__name__}: {type(error).__name__}"] += 1
            self._stop_asked.wait(0.01)  # A metastore that is away refuses very quickly.
            return
        self.done[operation.__name__] += 1
        returned = time.monotonic()
        is_drop = any(written is None for _, written, _ in changes or ())
        not_after = self._current() if is_drop else float("inf")
        for key, written, not_before in changes or ():
            self.writes.append(Write(returned, key, written, not_before, self.is_foreign,
                                     not_after))

    def _current(self):
        """Where the log is now: a drop that is asked for afterwards comes later, one that has
        returned does not."""
        return metastore.current_event(self._direct)

    def _arena(self):
        return self._random.choice(ARENAS), self._random.choice(ARENA_TABLES)

    def _is_there(self, client, db, name):
        return name in client.get_all_tables(db)

    # Operations on names of its own: they return [(key, stamp, not before)].

    def own_table(self, client, stamp):
        return self._create_change_or_drop(client, OWN_DB, self._names["plain"], stamp, False)

    def own_keyed_table(self, client, stamp):
        return self._create_change_or_drop(client, OWN_DB, self._names["keyed"], stamp, True)

    def _create_change_or_drop(self, client, db, name, stamp, partitioned):
        key = ("table", db, name)
        if not self._is_there(client, db, name):
            client.create_table(stamped_table(db, name, stamp, partitioned))
            return [(key, stamp, 0)]
        if self._random.random() < (0.05 if partitioned else 0.15):
            before = self._current()
            client.drop_table(db, name, self._random.random() < 0.5)
            return [(key, None, before)]
        changed = restamp(get_table(client, db, name), stamp)
        self._change_columns(changed)
        if self._random.random() < 0.3:
            client.alter_table_with_cascade(db, name, changed, True)
        else:
            client.alter_table(db, name, changed)
        return [(key, stamp, 0)]

    def _change_columns(self, table):
        kind = self._random.random()
        if kind < 0.15:
            table.sd.cols = table.sd.cols + columns((f"more{len(table.sd.cols)}", "int"))
        elif kind < 0.3 and len(table.sd.cols) > 2:
            table.sd.cols = table.sd.cols[:-1]
        elif kind < 0.4:
            table.owner = f"owner{self._number}"

    def own_rename(self, client, stamp):
        """Exactly one of two names is there, always."""
        here, there = self._names["moving"]
        tables = client.get_all_tables(OWN_DB)
        if here not in tables and there not in tables:
            client.create_table(stamped_table(OWN_DB, here, stamp, True))
            client.append_partition(OWN_DB, here, ["v0"])
            return [(("table", OWN_DB, here), stamp, 0)]
        if here not in tables:
            here, there = there, here
        changed = restamp(get_table(client, OWN_DB, here), stamp)
        changed.tableName = there
        before = self._current()
        client.alter_table(OWN_DB, here, changed)
        return [(("table", OWN_DB, there), stamp, 0), (("table", OWN_DB, here), None, before)]

    def own_partitions(self, client, stamp):
        return self._change_partitions(client, OWN_DB, self._names["keyed"], stamp)

    def _change_partitions(self, client, db, table, stamp):
        there = {name.split("=")[1] for name in client.get_partition_names(db, table, -1)}
        absent = sorted(set(VALUES) - there)
        kind = self._random.choice(["add", "add", "alter", "alter", "drop", "rename"])
        if not there or (kind == "add" and absent):
            some = self._random.sample(absent, self._random.randint(1, min(3, len(absent))))
            client.add_partitions([metastore.partition(client, db, table, [value], {STAMP: stamp})
                                   for value in some])
            return [(("partition", db, table, value), stamp, 0) for value in some]
        some = self._random.sample(sorted(there), self._random.randint(1, min(3, len(there))))
        if kind == "drop":
            before = self._current()
            client.drop_partition(db, table, [some[0]], False)
            return [(("partition", db, table, some[0]), None, before)]
        if kind == "rename" and absent:
            return self._rename_partition(client, db, table, some[0], absent[0], stamp)
        changed = client.get_partitions_by_names(db, table, [f"day={value}" for value in some])
        for partition in changed:
            partition.parameters = {**(partition.parameters or {}), STAMP: stamp}
        if len(changed) == 1:
            client.alter_partition(db, table, changed[0])
        else:
            client.alter_partitions(db, table, changed)
        return [(("partition", db, table, p.values[0]), stamp, 0) for p in changed]

    def _rename_partition(self, client, db, table, old, new, stamp):
        changed = client.get_partition(db, table, [old])
        changed.parameters = {**(changed.parameters or {}), STAMP: stamp}
        changed.values = [new]
        before = self._current()
        client.rename_partition(db, table, [old], changed)
        return [(("partition", db, table, new), stamp, 0),
                (("partition", db, table, old), None, before)]

    def own_view(self, client, stamp):
        name = self._names["view"]
        key = ("table", OWN_DB, name)
        if self._is_there(client, OWN_DB, name):
            before = self._current()
            client.drop_table(OWN_DB, name, False)
            return [(key, None, before)]
        view = stamped_table(OWN_DB, name, stamp, False)
        view.tableType = "VIRTUAL_VIEW"
        view.parameters = {STAMP: stamp}
        view.viewOriginalText = view.viewExpandedText = f"select '{stamp}'"
        client.create_table(view)
        return [(key, stamp, 0)]

    def own_database(self, client, stamp):
        name = f"db{self.index}"
        if name not in client.get_all_databases():
            made = metastore.database(name)
            made.parameters = {STAMP: stamp}
            client.create_database(made)
            client.create_table(stamped_table(name, "inside", stamp, False))
            return [(("table", name, "inside"), stamp, 0)]
        before = self._current()
        client.drop_database(name, True, True)
        return [(("database", name), None, before), (("table", name, "inside"), None, before)]

    # Operations on names that all share.

    def arena_table(self, client, stamp):
        db, name = self._arena()
        self._create_change_or_drop(client, db, name, stamp, name in "bd")

    def arena_rename(self, client, stamp):
        db, name = self._arena()
        changed = restamp(get_table(client, db, name), stamp)
        changed.dbName, changed.tableName = self._arena()
        client.alter_table(db, name, changed)

    def arena_partitions(self, client, stamp):
        db, name = self._arena()
        self._change_partitions(client, db, name, stamp)

    def arena_database(self, client, stamp):
        name = self._random.choice(ARENAS)
        if name not in client.get_all_databases():
            client.create_database(metastore.database(name))
        elif self._random.random() < 0.2:
            client.drop_database(name, True, True)
        else:
            changed = client.get_database(name)
            # A description is told by no event of 4.x, nothing by one of 2.3.
            if self._random.random() < 0.5:
                changed.description = stamp
            else:
                changed.parameters = {**(changed.parameters or {}), STAMP: stamp}
            client.alter_database(name, changed)

    def truncate(self, client, _):
        db, name = self._arena()
        client.truncate_table(db, name, None)

    def statistics(self, client, _):
        if self.is_foreign and self._has_silent_statistics:
            return
        db, name = self._arena()
        value = self._random.randint(0, 1000)
        statistics = t.ColumnStatistics(
            t.ColumnStatisticsDesc(isTblLevel=True, dbName=db, tableName=name),
            [t.ColumnStatisticsObj("id", "bigint", t.ColumnStatisticsData(
                longStats=t.LongColumnStatsData(lowValue=0, highValue=value, numNulls=0,
                                                numDVs=9)))])
        if name not in "bd":
            statistics.engine = "hive"
            client.update_table_column_statistics(statistics)
            return
        statistics.statsDesc = t.ColumnStatisticsDesc(
            isTblLevel=False, dbName=db, tableName=name,
            partName=f"day={self._random.choice(VALUES)}")
        statistics.engine = "hive"
        client.update_partition_column_statistics(statistics)

    def function(self, client, _):
        db = self._random.choice([OWN_DB, *ARENAS])
        name = f"f{self._random.randint(0, 2)}"
        kind = self._random.random()
        if kind < 0.4:
            client.drop_function(db, name)
            return
        function = t.Function(
            functionName=name, dbName=db, className=f"c.C{self._number}", ownerName="o",
            ownerType=t.PrincipalType.USER, createTime=1, functionType=t.FunctionType.JAVA,
            resourceUris=[])
        if kind < 0.6:
            client.alter_function(db, name, function)
        else:
            client.create_function(function)

    def exchange(self, client, _):
        """A partition moves from one table to another."""
        client.exchange_partition({"day": self._random.choice(VALUES)}, self._random.choice(ARENAS),
                                  "b", self._random.choice(ARENAS), "d")

    def constraint(self, client, _):
        db, name = self._arena()
        key = f"key_{db}_{name}"
        if self._random.random() < 0.5:
            client.drop_constraint(t.DropConstraintRequest(db, name, key))
            return
        client.add_primary_key(t.AddPrimaryKeyRequest([t.SQLPrimaryKey(
            table_db=db, table_name=name, column_name="id", key_seq=1, pk_name=key,
            enable_cstr=False, validate_cstr=False, rely_cstr=False, catName="hive")]))

    def transaction(self, client, _):
        if not self._open_transactions:
            opened = client.open_txns(t.OpenTxnRequest(1, "tester", "localhost"))
            self._open_transactions += opened.txn_ids
            return
        transaction = self._open_transactions[0]
        kind = self._random.random()
        if kind < 0.4:
            db, name = self._arena()
            client.allocate_table_write_ids(t.AllocateTableWriteIdsRequest(
                dbName=db, tableName=name, txnIds=[transaction]))
            return
        self._open_transactions.pop(0)
        if kind < 0.8:
            client.commit_txn(t.CommitTxnRequest(transaction))
        else:
            client.abort_txn(t.AbortTxnRequest(transaction))

    def acid_table(self, client, stamp):
        if self._acid is None:
            return
        name = self._acid.change(OWN_DB, stamp)
        if self._open_transactions:
            client.allocate_table_write_ids(t.AllocateTableWriteIdsRequest(
                dbName=OWN_DB, tableName=name, txnIds=self._open_transactions[:1]))

    def insert(self, client, _):
        db, name = self._arena()
        data = t.FireEventRequestData(t.InsertEventRequestData(
            filesAdded=[f"file:/nowhere/{self._number}"], filesAddedChecksum=["0"]))
        client.fire_listener_event(t.FireEventRequest(True, data, db, name, ["v0"] if name in "bd"
                                                      else None))


_MIX = [(Client.own_table, 12), (Client.own_keyed_table, 6), (Client.own_partitions, 14),
        (Client.own_rename, 8), (Client.own_view, 3), (Client.own_database, 3),
        (Client.arena_table, 16), (Client.arena_partitions, 10), (Client.arena_rename, 5),
        (Client.arena_database, 3), (Client.truncate, 2), (Client.statistics, 4),
        (Client.function, 3), (Client.constraint, 2), (Client.transaction, 4), (Client.insert, 3),
        (Client.acid_table, 5), (Client.exchange, 3)]
OPERATIONS = [operation for operation, _ in _MIX]
WEIGHTS = [weight for _, weight in _MIX]


class Reader(threading.Thread):
    """Reads through the daemon on a connection of its own and notes what it was told."""

    def __init__(self, name, port, clients, seed, level="cached"):
        super().__init__(daemon=True, name=name)
        self.reads, self.failures = [], Counter()
        # Lists in which a moving table was under both of its names, or under neither.
        self.broken_moves = []
        self._port, self._clients, self._level = port, clients, level
        self._random = random.Random(seed)
        self._stop_asked = threading.Event()
        self._moving_seen = set()

    def finish(self):
        self._stop_asked.set()
        self.join(120)
        assert not self.is_alive(), f"{self.name} hangs"

    def run(self):
        connection = 0
        while not self._stop_asked.is_set():
            connection += 1
            try:
                with metastore.connect(self._port) as client:
                    client.setMetaConf("catalogd.read", self._level)
                    while not self._stop_asked.wait(0.002):
                        self.read(client, f"{self.name}.{connection}")
            except GONE as error:
                self.failures[type(error).__name__] += 1
                self._stop_asked.wait(0.1)

    def read(self, client, connection):
        what = self._random.choice([self._table, self._table, self._tables, self._partitions,
                                    self._databases])
        asked = time.monotonic()
        try:
            states = what(client)
        except GONE:
            raise
        except TException as error:
            self.failures[f"{what.__name__[1:]}: {type(error).__name__}"] += 1
            self._stop_asked.wait(0.01)
            return
        self.reads.append(Read(connection, asked, states, self._level == "latest"))

    def _any_table(self):
        if self._random.random() < 0.3:
            return self._random.choice(ARENAS), self._random.choice(ARENA_TABLES)
        index = self._random.randrange(self._clients)
        if self._random.random() < 0.1:
            return f"db{index}", "inside"
        names = own_names(index)
        return OWN_DB, self._random.choice([names["plain"], names["keyed"], names["view"],
                                            *names["moving"]])

    def _table(self, client):
        db, name = self._any_table()
        try:
            observed = state_of_table(get_table(client, db, name))
        except t.NoSuchObjectException:
            observed = None
        return {("table", db, name): observed}

    def _tables(self, client):
        db = self._random.choice([OWN_DB, OWN_DB, *ARENAS])
        listed = set(client.get_all_tables(db))
        if db != OWN_DB:
            return {("table", db, name): True if name in listed else None
                    for name in ARENA_TABLES}
        states = {}
        for index in range(self._clients):
            names = own_names(index)
            moving = [name for name in names["moving"] if name in listed]
            if len(moving) == 1:
                self._moving_seen.add(index)
            elif index in self._moving_seen:
                self.broken_moves.append((index, sorted(listed)))
            for name in (names["plain"], names["keyed"], names["view"], *names["moving"]):
                states["table", db, name] = True if name in listed else None
        return states

    def _partitions(self, client):
        if self._random.random() < 0.3:
            db, name = self._random.choice(ARENAS), self._random.choice("bd")
        else:
            db = OWN_DB
            name = own_names(self._random.randrange(self._clients))["keyed"]
        try:
            found = client.get_partitions(db, name, -1)
        except t.NoSuchObjectException:
            found = []
        stamps = {p.values[0]: (p.parameters or {}).get(STAMP) for p in found if p.values}
        return {("partition", db, name, value): stamps.get(value) for value in VALUES}

    def _databases(self, client):
        listed = set(client.get_all_databases())
        names = [*ARENAS, OWN_DB, *[f"db{index}" for index in range(self._clients)]]
        return {("database", name): True if name in listed else None for name in names}
