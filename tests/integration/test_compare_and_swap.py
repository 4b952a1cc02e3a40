"""Commits of table formats that take no lock: an alter that expects what its writer has read.

4.2.0 compares itself; 3.1.3 ignores what is expected, and 2.3.10 on its embedded database refuses
every such alter. Through the daemon none is lost and none is refused without need, anywhere.
"""
import threading

import pytest
from pymetastore.hive_metastore import ttypes as t

from support import metastore
from support.metastore import get_table

KEY = "metadata_location"
WRITERS = 4
COMMITS = 12


@pytest.fixture
def pointed(daemon, db):
    """A table whose parameter says v0."""
    with metastore.connect(daemon.port) as client:
        client.create_table(metastore.table(db, "pointed", parameters={KEY: "v0"}))
        yield client


def expecting(value):
    return t.EnvironmentContext({"expected_parameter_key": KEY, "expected_parameter_value": value})


def commit(client, db, after, expected):
    table = get_table(client, db, "pointed")
    table.parameters[KEY] = after
    client.alter_table_with_environment_context(db, "pointed", table, expecting(expected))


def state(client, db):
    return get_table(client, db, "pointed").parameters[KEY]


def test_what_is_expected_is_stored(daemon, pointed, hms, db):
    commit(pointed, db, "v1", "v0")
    with metastore.connect(hms.port) as direct:
        assert state(direct, db) == "v1"
    assert state(pointed, db) == "v1"


def test_what_is_not_expected_is_refused_in_the_metastores_words(daemon, pointed, hms, db):
    with pytest.raises(t.MetaException) as refused:
        commit(pointed, db, "v2", "v1")
    assert refused.value.message == (
        f"The table has been modified. The parameter value for key '{KEY}' is 'v0'. "
        "The expected was value was 'v1'")
    with metastore.connect(hms.port) as direct:
        assert state(direct, db) == "v0"


def test_a_missing_new_value_is_refused(pointed, db):
    table = get_table(pointed, db, "pointed")
    del table.parameters[KEY]
    with pytest.raises(t.MetaException, match=f"New value for expected key {KEY} is not set"):
        pointed.alter_table_with_environment_context(db, "pointed", table, expecting("v0"))


def test_a_foreign_commit_that_no_poll_has_shown_counts(hms, start_daemon, db):
    slow = start_daemon("--metastore", hms.uri, "--poll-interval", "10m")
    with metastore.connect(slow.port) as client, metastore.connect(hms.port) as direct:
        client.create_table(metastore.table(db, "pointed", parameters={KEY: "v0"}))
        metastore.change_table(direct, db, "pointed", parameters={KEY: "elsewhere"})
        with pytest.raises(t.MetaException, match="'elsewhere'"):
            commit(client, db, "v1", "v0")
        assert state(client, db) == "elsewhere"  # A client that tries again finds the reason.


def test_no_commit_of_many_writers_is_lost(daemon, pointed, hms, db):
    """Each reads a number and stores the next one, until all are stored."""
    errors = []

    def write():
        try:
            done = 0
            with metastore.connect(daemon.port) as client:
                while done < COMMITS:
                    now = state(client, db)
                    try:
                        commit(client, db, f"v{int(now[1:]) + 1}", now)
                        done += 1
                    except t.MetaException as refused:
                        assert "has been modified" in refused.message, refused
        except Exception as error:
            errors.append(error)

    writers = [threading.Thread(target=write) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(300)
    assert errors == []
    with metastore.connect(hms.port) as direct:
        assert state(direct, db) == f"v{WRITERS * COMMITS}"
