"""Clients that want the same thing at the same moment, and readers who look while it changes."""
import threading

import pytest
from pymetastore.hive_metastore import ttypes as t

from support import metastore
from test_embedded import MetastoreServer

ROUNDS = 40


def at_once(port, *works):
    """Runs each work(client) on a connection of its own, begun together; what each returned."""
    begun = threading.Barrier(len(works))
    results = [None] * len(works)

    def run(place, work):
        with metastore.connect(port) as client:
            begun.wait(60)
            try:
                results[place] = work(client)
            except (t.AlreadyExistsException, t.NoSuchObjectException, t.MetaException,
                    t.InvalidOperationException, t.InvalidObjectException) as error:
                results[place] = type(error).__name__

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    return results


def create_together(port, db):
    """IMPALA-14400: whoever makes a name first has made it, and the others are told so."""
    for number in range(ROUNDS):
        results = at_once(port, *[
            lambda client, who=who: client.create_table(metastore.table(
                db, f"t{number}", parameters={"who": str(who)})) for who in range(3)])
        assert sorted(map(str, results)) == ["AlreadyExistsException"] * 2 + ["None"]
        with metastore.connect(port) as client:
            found = metastore.get_table(client, db, f"t{number}")
            assert found.parameters["who"] == str(results.index(None))
        dropped = at_once(port, *[lambda client: client.drop_table(db, f"t{number}", True)] * 2)
        assert sorted(map(str, dropped)) == ["NoSuchObjectException", "None"]


def test_one_of_many_creates_a_table_through_the_daemon(daemon, db):
    create_together(daemon.port, db)
    daemon.wait()
    with metastore.connect(daemon.port) as client:
        assert client.get_all_tables(db) == []


def test_one_of_many_creates_a_table_of_the_embedded_metastore(tmp_path):
    with MetastoreServer(tmp_path / "state") as server:
        create_together(server.port, "default")


@pytest.mark.parametrize("who", ["others", "own"])
def test_a_database_is_never_half_changed(start_daemon, tmp_path, who):
    """IMPALA-8312: fields that were changed in place, and readers who saw some of each. In front of
    the embedded metastore: a real one reads parameters after the rest and shows such mixtures."""
    with MetastoreServer(tmp_path / "store") as server:
        daemon = start_daemon("--metastore", server.uri)
        daemon.wait()
        alternate(daemon, daemon.port if who == "own" else server.port, "default")


def alternate(daemon, port, db):
    states = [("u1", t.PrincipalType.USER, "1"), ("r2", t.PrincipalType.ROLE, "2")]
    over = threading.Event()
    mixed, seen = [], set()

    def look():
        with metastore.connect(daemon.port) as client:
            while not over.is_set():
                found = client.get_database(db)
                state = (found.ownerName, found.ownerType, (found.parameters or {}).get("note"))
                seen.add(state)
                if state not in states and state[2] is not None:
                    mixed.append(state)

    with metastore.connect(port) as client:
        readers = [threading.Thread(target=look) for _ in range(4)]
        for reader in readers:
            reader.start()
        for number in range(100):
            owner, kind, note = states[number % 2]
            changed = client.get_database(db)
            changed.ownerName, changed.ownerType, changed.parameters = owner, kind, {"note": note}
            client.alter_database(db, changed)
        over.set()
        for reader in readers:
            reader.join(60)
    assert mixed == []
    assert len(seen) >= 2
