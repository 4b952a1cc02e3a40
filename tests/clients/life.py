"""The whole life of a table as a client leads it, with a second client that reads in between.

`client` has one method for each word of a life, see PlainClient; a program in another language
gets the same words on its standard input. All reads of the second client go through the daemon on
a connection that was open all the time: what a call has changed it must see, at once.
"""
import threading

from plain_client import PlainClient
from support import metastore
from support.raw import assert_all_same, partition_reads, table_reads

PARTITIONS = [("d1", "1"), ("d1", "2"), ("d2", "3"), ("e3", "3")]
NAMES = [f"day={day}/n={number}" for day, number in PARTITIONS]
FILTERS = {
    'day = "d1"': ["d1/1", "d1/2"],
    "n > 2": ["d2/3", "e3/3"],
    'day = "d2" and n >= 3': ["d2/3"],
    'day > "d1" or n = 1': ["d1/1", "d2/3", "e3/3"],
}
ROUNDS = 12


class Watcher:
    """Reads a growing number all the time, and notes each answer that was older than allowed.

    with Watcher(read) as watcher: write(1); watcher.written(1); ...
    """

    def __init__(self, read):
        self._read = read
        self._least = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.stale = []
        self.reads = 0
        self.error = None

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, *unused):
        self._stop.set()
        self._thread.join(60)
        if kind is None:
            assert self.error is None, self.error
            assert not self._thread.is_alive() and self.reads > 0
            assert not self.stale, f"stale answers (expected at least, found): {self.stale[:5]}"

    def written(self, number):
        """Every read that begins from now on must find this number or a later one."""
        self._least = number

    def _run(self):
        newest = 0
        try:
            while not self._stop.is_set():
                expected = max(self._least, newest)
                found = self._read()
                self.reads += 1
                if found < expected:
                    self.stale.append((expected, found))
                newest = max(newest, found)
        except Exception as error:  # noqa: BLE001 Told in the main thread.
            self.error = error


def assert_equal_to_metastore(backend, db, name):
    """The daemon's cached answers, field for field those of the metastore behind it."""
    if backend.hms is None:
        return
    calls = partition_reads(db, name, NAMES, [list(values) for values in PARTITIONS])
    # 2.3 does not know the second of the two by this name.
    calls += table_reads(db, name)[:1 if backend.name.startswith("2.") else 2]
    assert_all_same(backend.hms.port, backend.port, calls)


def hive_life(client, backend, db):
    with metastore.connect(backend.port) as second, metastore.connect(backend.port) as third:
        see = PlainClient(second)
        _databases(client, see, db)
        _tables(client, see, db)
        _partitions(client, see, db)
        assert_equal_to_metastore(backend, db, "t")
        _hot_table(client, PlainClient(third), db)
        _changes_of_others(client, backend, db)
        assert_equal_to_metastore(backend, db, "t")
        _locks(client, see, db)
        _end(client, see, db)


def _databases(client, see, db):
    client.create_database(db)
    assert db in see.databases() and db in client.databases()
    client.set_database_parameter(db, "kind", "life")
    assert see.database_parameter(db, "kind") == client.database_parameter(db, "kind") == ["life"]


def _tables(client, see, db):
    assert see.tables(db) == client.tables(db) == []
    client.create_table(db, "t")
    assert see.tables(db) == client.tables(db) == ["t"]
    assert client.tables(db, "t*|x") == ["t"] and client.tables(db, "x*") == []
    assert see.columns(db, "t") == client.columns(db, "t") == ["id:bigint", "name:string"]
    assert see.parameter(db, "t", "note") == []
    client.set_parameter(db, "t", "note", "first")
    assert see.parameter(db, "t", "note") == client.parameter(db, "t", "note") == ["first"]
    client.add_column(db, "t", "more", "int")
    assert see.columns(db, "t") == client.columns(db, "t") == [
        "id:bigint", "name:string", "more:int"]


def _partitions(client, see, db):
    assert see.partitions(db, "t") == client.partitions(db, "t") == []
    for count, values in enumerate(PARTITIONS, 1):
        client.add_partition(db, "t", *values)
        assert see.partitions(db, "t") == NAMES[:count]
    assert client.partitions(db, "t") == NAMES
    for expression, expected in FILTERS.items():
        assert client.pruned(db, "t", expression) == expected, expression
        assert see.pruned(db, "t", expression) == expected, expression
    client.set_partition_parameter(db, "t", "note", "x", "d1", "2")
    assert see.partition_parameter(db, "t", "note", "d1", "2") == ["x"]
    assert client.partition_parameter(db, "t", "note", "d1", "2") == ["x"]
    assert see.partition_parameter(db, "t", "note", "d1", "1") == []


def _hot_table(client, third, db):
    def read():
        return int((third.parameter(db, "t", "round") or ["0"])[0])

    with Watcher(read) as watcher:
        for number in range(1, ROUNDS + 1):
            client.set_parameter(db, "t", "round", str(number))
            watcher.written(number)


def _changes_of_others(client, backend, db):
    """By the second client through the daemon, and by one that does not know the daemon."""
    for port in (backend.port, backend.foreign_port):
        with metastore.connect(port) as other:
            metastore.change_table(other, db, "t", parameters={"from": str(port)})
            other.drop_partition(db, "t", ["e3", "3"], False)
            if port == backend.foreign_port:
                backend.wait()
            assert client.parameter(db, "t", "from") == [str(port)]
            assert client.partitions(db, "t") == NAMES[:-1]
            assert client.pruned(db, "t", "n > 2") == ["d2/3"]
        client.add_partition(db, "t", "e3", "3")


def _locks(client, see, db):
    lock, state = client.lock_table(db, "t")
    assert state == "acquired"
    mine, state = see.lock_table(db, "t")
    assert state == "waiting"
    see.unlock(mine)
    client.unlock(lock)
    mine, state = see.lock_table(db, "t")
    assert state == "acquired"
    see.unlock(mine)


def _end(client, see, db):
    client.rename_table(db, "t", "moved")
    assert see.tables(db) == client.tables(db) == ["moved"]
    assert see.partitions(db, "moved") == client.partitions(db, "moved") == NAMES
    assert client.parameter(db, "moved", "round") == [str(ROUNDS)]
    client.drop_partition(db, "moved", "d1", "1")
    assert see.partitions(db, "moved") == client.partitions(db, "moved") == NAMES[1:]
    client.drop_table(db, "moved")
    assert see.tables(db) == client.tables(db) == []
    client.drop_database(db)
    assert db not in see.databases() and db not in client.databases()


def metadata_version(client, db, name):
    """How many commits an Iceberg table has, as the metastore's answer to `client` says."""
    location = (client.parameter(db, name, "metadata_location") or ["/0-none"])[0]
    return int(location.rsplit("/", 1)[1].split("-", 1)[0])


def iceberg_life(client, backend, namespace, second, commits=True):
    """`second` is a PyIceberg catalog on the same daemon."""
    with metastore.connect(backend.port) as connection:
        see = PlainClient(connection)
        client.create_namespace(namespace)
        assert (namespace,) in second.list_namespaces() and namespace in client.namespaces()
        assert client.tables(namespace) == []
        client.create_table(namespace, "events")
        assert metadata_version(see, namespace, "events") == 0
        assert second.list_tables(namespace) == [(namespace, "events")]
        assert client.tables(namespace) == ["events"]
        loaded = second.load_table(f"{namespace}.events")
        assert loaded.schema().column_names == ["id", "name"] == client.columns(
            namespace, "events")
        if commits:
            _iceberg_commits(client, see, second, namespace)
        client.rename_table(namespace, "events", "moved")
        assert second.list_tables(namespace) == [(namespace, "moved")]
        assert client.tables(namespace) == ["moved"]
        assert not second.table_exists(f"{namespace}.events")
        assert client.columns(namespace, "moved") == (
            second.load_table(f"{namespace}.moved").schema().column_names)
        client.drop_table(namespace, "moved")
        assert second.list_tables(namespace) == [] == client.tables(namespace)
        client.drop_namespace(namespace)
        assert (namespace,) not in second.list_namespaces()
        assert namespace not in client.namespaces()


def _iceberg_commits(client, see, second, namespace):
    name = f"{namespace}.events"
    with Watcher(lambda: metadata_version(see, namespace, "events")) as watcher:
        for number in range(1, 6):
            client.append(namespace, "events")
            watcher.written(number)
    assert len(second.load_table(name).snapshots()) == 5
    assert client.snapshots(namespace, "events") == ["5"]
    client.set_property(namespace, "events", "note", "of a life")
    assert second.load_table(name).properties["note"] == "of a life"
    client.add_column(namespace, "events", "more")
    assert second.load_table(name).schema().column_names == ["id", "name", "more"]
    # The other way round: what the second client commits is in the first one's next load.
    with second.load_table(name).update_schema() as change:
        change.rename_column("more", "less")
    assert client.columns(namespace, "events") == ["id", "name", "less"]
    client.append(namespace, "events")
    assert len(second.load_table(name).snapshots()) == 6
