"""LIKE in filters over partitions: "x.*" of clients of Hive 2 and 3, "x%" of those of Hive 4, in
front of metastores that read one of them only."""
import pytest
from thrift_binary import I16, I32, List, Struct
from thrift_connection import Connection, DeclaredError

from support import metastore

VALUES = ["ab", "a_b", "a-b", "a.b", "axb", "a%b", "2024-01-01", "2024-02-01", "b"]
# The same in both dialects, and what it finds.
PATTERNS = [("a.*", "a%", ["a%b", "a-b", "a.b", "a_b", "ab", "axb"]),
            ("a_b", "a\\_b", ["a_b"]),
            ("a.b", "a_b", ["a%b", "a-b", "a.b", "a_b", "axb"]),
            ("a\\.b", "a.b", ["a.b"]),
            ("a-.*", "a-%", ["a-b"]),
            (".*-01-.*", "%-01-%", ["2024-01-01"]),
            ("2024-.*", "2024-%", ["2024-01-01", "2024-02-01"]),
            ("ab", "ab", ["ab"])]
CACHED = "catalogd_cached_answers_total"


def old_client(connection, db):
    connection.call("get_database", db)


def new_client(connection, db):
    connection.call("get_database_req", Struct({1: db, 2: "hive"}))


@pytest.fixture
def table(daemon, direct, db):
    """The daemon has seen every partition come: those of Hive 3 may lack something when read."""
    direct.create_table(metastore.table(db, "t", [("p", "string"), ("q", "int")]))
    daemon.wait()
    daemon.ctl("sync", f"{db}.t")
    for number, value in enumerate(VALUES):
        direct.append_partition(db, "t", [value, str(number)])
    daemon.wait()
    return db


@pytest.fixture
def proxy(hms, start_daemon, table):
    """Passes all reads through."""
    process = start_daemon("--metastore", hms.uri, "--read-mode", "passthrough")
    process.wait()
    return process


def found(connection, db, like, old_name=""):
    return sorted(part[1][0] for part in connection.call(
        "get_partitions_by_filter", f"{old_name}{db}", "t", f'p like "{like}"', I16(-1)))


def specs(connection, db, like):
    answer = connection.call("get_part_specs_by_filter", db, "t", f'p like "{like}"', I32(-1))
    return sum(len(spec[5].get(1, [])) for spec in answer)


def found_by_request(connection, db, like):
    answer = connection.call("get_partitions_by_filter_req", Struct(
        {1: "hive", 2: db, 3: "t", 4: f'p like "{like}"', 5: I16(-1)}))
    return sorted(part[1][0] for part in answer)


def test_patterns_reach_the_metastore_in_its_dialect(proxy, table):
    with Connection(proxy.port) as old, Connection(proxy.port) as new:
        old_client(old, table)
        new_client(new, table)
        for regex, sql, expected in PATTERNS:
            assert found(old, table, regex) == expected, regex
            assert found(new, table, sql) == expected, sql
            assert found_by_request(new, table, sql) == expected, sql
            for connection, like in ((old, regex), (new, sql)):
                assert connection.call("get_num_partitions_by_filter", table, "t",
                                       f"p like '{like}'") == len(expected)
                assert specs(connection, table, like) == len(expected)


def test_the_sign_of_the_other_dialect_is_left_to_the_metastore(hms, proxy, daemon, table):
    """Whoever writes it has seen such a metastore."""
    with Connection(hms.port) as straight:
        expected = found(straight, table, "a%")
    for port in (proxy.port, daemon.port):
        with Connection(port) as old:
            old_client(old, table)
            assert found(old, table, "a%") == expected


def test_names_with_a_catalog_and_patterns(proxy, table):
    with Connection(proxy.port) as old:
        old_client(old, table)
        assert found(old, table, "2024-.*", "@hive#") == ["2024-01-01", "2024-02-01"]


def test_the_cache_answers_in_the_dialect_of_the_client(daemon, table):
    with Connection(daemon.port) as old, Connection(daemon.port) as new:
        old_client(old, table)
        new_client(new, table)
        before = daemon.metric(CACHED)
        for regex, sql, expected in PATTERNS:
            assert found(old, table, regex) == expected, regex
            assert found_by_request(new, table, sql) == expected, sql
        assert daemon.metric(CACHED) - before >= len(PATTERNS)


def test_a_pattern_beside_a_number_is_no_error_for_clients_of_hive_4(daemon, hms, table):
    """Metastores before Hive 4 refuse such a filter; the cache has no need to."""
    with Connection(daemon.port) as new, Connection(hms.port) as straight:
        new_client(new, table)
        answer = new.call("get_partitions_by_filter", table, "t", 'p like "a%" and q = 1', I16(-1))
        assert [part[1] for part in answer] == [List(["a_b", "1"])]
        if hms.version.has_old_methods:
            with pytest.raises(DeclaredError, match="only on partition keys of type string"):
                straight.call("get_partitions_by_filter", table, "t", 'p like "a.*" and q = 1',
                              I16(-1))


def test_who_shows_no_release_is_answered_as_the_metastore_does(hms, proxy, table):
    with Connection(hms.port) as straight, Connection(proxy.port) as anyone:
        for regex, sql, _ in PATTERNS:
            for like in (regex, sql):
                assert found(anyone, table, like) == found(straight, table, like), like
