"""What clients of other generations put into arguments: values nobody here knows, lists that are
missing, names with catalogs, patterns in other languages, filters on every type."""
import contextlib

import pytest
from thrift.Thrift import TException

from support import metastore
from support.raw import assert_same, outcome, sorted_lists
from thrift_binary import I16, I32, STRING, List, Map, Struct
from thrift_connection import ApplicationError, Connection, DeclaredError

I32_TYPE = 8


@pytest.fixture
def table(direct, daemon, db):
    direct.create_table(metastore.table(db, "t", [("p", "string")]))
    direct.append_partition(db, "t", ["1"])
    daemon.wait()
    daemon.ctl("sync", f"{db}.t")
    return db, "t"


# waggle-dance#317, #110: a proxy that crashed on capabilities without a list, or with new numbers.
CAPABILITIES = [Struct(), Struct({1: List([], I32_TYPE)}), Struct({1: List([I32(1)])}),
                Struct({1: List([I32(1), I32(999)])}), Struct({1: List([I32(-1)])}),
                Struct({9: "new"})]


@pytest.mark.parametrize("capabilities", CAPABILITIES, ids=repr)
def test_capabilities_that_nobody_here_knows(hms, daemon, table, capabilities):
    db, name = table
    one = "get_table_req", Struct({1: Struct({1: db, 2: name, 3: capabilities})})
    many = "get_table_objects_by_name_req", Struct({1: Struct({1: db, 2: List([name]),
                                                               3: capabilities})})
    for method, arguments in (one, many):
        if 1 in capabilities:
            assert_same(hms.port, daemon.port, method, arguments)
        with Connection(daemon.port) as connection:
            with contextlib.suppress(ApplicationError):  # As the metastore says of a missing list.
                answer = connection.call(method, arguments[1])[1]
                assert (answer[0] if method == many[0] else answer)[1] == name
            assert name in connection.call("get_all_tables", db)


# HIVE-24608 and later: fields that a newer client adds to a request.
def test_fields_that_nobody_here_knows(hms, daemon, table):
    db, name = table
    new = {77: "text", 78: Struct({1: List([Map({"a": "b"})])}), 79: True}
    for method, arguments in [
            ("get_table_req", Struct({1: Struct({1: db, 2: name, **new}), **new})),
            ("get_database", Struct({1: db, **new})),
            ("get_all_tables", Struct({1: db, **new})),
            ("get_partition_names", Struct({1: db, 2: name, 3: I16(-1), **new})),
            ("get_partitions_by_names", Struct({1: db, 2: name, 3: List(["p=1"]), **new})),
            ("get_partitions_by_filter",
             Struct({1: db, 2: name, 3: "p = '1'", 4: I16(-1), **new}))]:
        answer = assert_same(hms.port, daemon.port, method, arguments)
        assert answer[0] == "result" and answer[1] != ("struct",)


def test_fields_that_nobody_here_knows_are_passed_on_by_writes(hms, daemon, db):
    """What becomes of them is the metastore's business: the same as without the daemon."""
    for way, port in (("direct", hms.port), ("through", daemon.port)):
        storage = Struct({1: List([Struct({1: "id", 2: "int", 55: "new"})]), 3: "in", 4: "out",
                          7: Struct({1: "s", 2: "lib", 55: "new"}), 55: List([I32(5)])})
        made = Struct({1: way, 2: db, 3: "o", 7: storage, 9: Map({"k": "v"}), 12: "MANAGED_TABLE",
                       99: Map({"a": "b"})})
        with Connection(port) as connection:
            answer = outcome(connection, "create_table", Struct({1: made, 88: "new"}))
        assert answer == ("result", ("struct",))
        daemon.wait()
        assert_same(hms.port, daemon.port, "get_table_req", Struct({1: Struct({1: db, 2: way})}))


# waggle-dance#189, StarRocks#23640, #23457: "@hive#default" of Hive 3 clients.
PREFIXES = ["@hive#{}", "@HIVE#{}", "@Hive#{}", "@hive#", "@hive#!", "@other#{}", "@#{}", "@hive",
            "@other#", "#{}", "@hive#@hive#{}"]
BY_DATABASE = {
    "get_database": {}, "get_databases": {}, "get_all_tables": {}, "get_tables": {2: "*"},
    "get_tables_by_type": {2: "*", 3: "EXTERNAL_TABLE"}, "get_table_meta": {2: "*", 3: List([])},
    "get_functions": {2: "*"}, "get_partition_names": {2: "t", 3: I16(-1)}, "get_fields": {2: "t"},
    "get_table_objects_by_name": {2: List(["t"])}, "get_partition_by_name": {2: "t", 3: "p=1"}}


def answer_of(port, method, arguments):
    with Connection(port) as connection:
        try:
            return sorted_lists(outcome(connection, method, arguments))
        except ConnectionError:
            return "closed"


@pytest.mark.parametrize("prefix", PREFIXES)
def test_names_with_a_catalog_in_front(hms, daemon, table, prefix):
    db, _ = table
    written = prefix.format(db)
    for method, more in BY_DATABASE.items():
        if method == "get_table_objects_by_name" and not hms.version.has_old_methods:
            continue  # A method that is gone there; see test_old_clients.py.
        meant = written
        if hms.version.is_before_catalogs and written.lower().startswith("@hive#"):
            meant = written[6:]  # It knows no catalogs; the daemon gives it the plain name.
        elif method == "get_databases":  # 3.1 looks up the catalog of this one as it is written.
            meant = written.replace("@HIVE#", "@hive#").replace("@Hive#", "@hive#")
        found = answer_of(daemon.port, method, Struct({1: written, **more}))
        expected = answer_of(hms.port, method, Struct({1: meant, **more}))
        if expected == "closed" or meant in ("", "!"):
            assert found != "closed", f"{method} {written}"
        else:
            assert found == expected, f"{method} {written}"


def test_another_catalog_is_never_the_default_one(daemon, table):
    db, name = table
    with Connection(daemon.port) as connection:
        for method, arguments in [
                ("get_table", (f"@other#{db}", name)),
                ("get_table_req", (Struct({1: db, 2: name, 4: "other"}),)),
                ("drop_table", (f"@other#{db}", name, True)),
                ("drop_database", (f"@other#{db}", True, True))]:
            with pytest.raises((DeclaredError, ApplicationError)):
                connection.call(method, *arguments)
        assert connection.call("get_table", db, name)[1] == name


# waggle-dance 3.10.2: a client without groups. iceberg#11925: one that asks late.
@pytest.mark.parametrize("user", ["somebody", ""])
@pytest.mark.parametrize("groups", [None, [], ["a", "b"]], ids=repr)
def test_a_user_with_and_without_groups(hms, daemon, user, groups):
    told = []
    for port in (hms.port, daemon.port):
        with Connection(port) as connection:
            given = None if groups is None else List(groups)
            try:
                told.append(list(connection.call("set_ugi", user, given) or []))
            except (ApplicationError, DeclaredError, ConnectionError) as error:
                told.append(type(error).__name__)
                continue
            assert "default" in connection.call("get_all_databases")
    if groups is None:  # The Java servers fail on it, as they do on an empty name.
        assert told[1] in ([], told[0])
    else:
        assert told[0] == told[1]


def test_a_user_that_comes_late(hms, daemon):
    for port in (hms.port, daemon.port):
        with metastore.connect(port) as client:
            assert "default" in client.get_all_databases()
            assert client.set_ugi("late", ["g"]) == ["g"]
            assert "default" in client.get_all_databases()


def test_users_cost_the_metastore_no_connections(hms, start_daemon):
    """A client that only reads what is cached needs none of its own."""
    daemon = start_daemon("--metastore", hms.uri)
    daemon.wait()

    before = daemon.metric("catalogd_metastore_connections")
    assert before > 0
    for number in range(50):
        with metastore.connect(daemon.port) as client:
            client.set_ugi(f"user{number}", ["g"])
            assert "default" in client.get_all_databases()
    assert daemon.metric("catalogd_metastore_connections") <= before + 5


# waggle-dance#216: patterns that were taken for those of another language.
PATTERNS = ["*", ".*", "*.*", "a*|b*", "A*", "", "a.b", "%", "_", "[ab]*", "a|b", "|", "a b",
            "a\\.b", "a", "?", "(a)", "a+", "^a$", "T*|nothing", "*a*", "a*b*"]


@pytest.fixture(scope="module")
def patterned(hms, daemon):
    db = "patterned"
    names = ["a", "ab", "axb", "b", "ba", "c_d", "cxd", "a1"]
    with metastore.connect(hms.port) as client:
        client.create_database(metastore.database(db))
        for name in names:
            client.create_table(metastore.table(db, name))
            client.create_database(metastore.database(f"{db}{name}"))
        daemon.wait()
        yield db
        for made in [db, *(f"{db}{name}" for name in names)]:
            metastore.drop_database(client, made)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_of_names(hms, daemon, patterned, pattern):
    for method, arguments in [
            ("get_tables", {1: patterned, 2: pattern}),
            ("get_tables_by_type", {1: patterned, 2: pattern, 3: "EXTERNAL_TABLE"}),
            ("get_table_meta", {1: patterned, 2: pattern, 3: List([])}),
            ("get_table_meta", {1: pattern, 2: "a", 3: List([])}),
            ("get_databases", {1: pattern}), ("get_databases", {1: f"patterned{pattern}"}),
            ("get_functions", {1: patterned, 2: pattern})]:
        assert_same(hms.port, daemon.port, method, Struct(arguments), in_order=False)


# Metacat#293, SPARK-17992, SPARK-33477, SPARK-30181, SPARK-12313: filters that failed or dropped
# partitions in silence, by the type of their key.
KEYS = [("s", "string"), ("i", "int"), ("d", "date"), ("c", "char(3)"), ("v", "varchar(5)"),
        ("t", "timestamp"), ("b", "boolean"), ("n", "decimal(5,2)"), ("g", "bigint")]
ROWS = [["a'b", "10", "2024-01-01", "ab", "x", "2024-01-01 00:00:00", "true", "1.50", "1"],
        ['x"y', "9", "2024-01-02", "ab ", "y", "2024-01-01 00:00:01", "false", "2", "2"],
        ["a", "-1", "2023-12-31", "abc", "xy", "2023-12-31 23:59:59", "true", "-3.25",
         "99999999999"],
        ["", "0", "2024-02-29", "", "x ", "2024-02-29 12:00:00", "false", "0", "-7"],
        [" a ", "010", "2024-01-01", "b", "", "2024-01-01 00:00:00", "TRUE", "10", "10"]]
FILTERS = [
    "s = 'a''b'", 's = "a\'b"', "s = 'x\"y'", 's="x\\"y"', "i >= 10 and i < 9", "i = '10'",
    "i = 10", "i = 010", "i > -2", "i in (10, 9)", "d = '2024-01-01'", "d = 2024-01-01",
    "d > '2024-01-01'",
    "d = DATE '2024-01-01'", "d = '2024-1-1'", "s like 'a%'", "s like 'a.*'", "c = 'ab'",
    "c = 'ab '", "c > 'aa'", "c like 'a%'", "v = 'x'", "v = 'x '", "v != 'x'",
    "t = '2024-01-01 00:00:00'", "t > '2024-01-01'", "t = 2024-01-01", "b = 'true'", "b = true",
    "b != 'TRUE'", "n = 1.5", "n = '1.50'", "n > 1", "g = 1", "g > 99999999998",
    "g = 99999999999999999999", "not i = 10", "i not in (10)", "nosuch = 'x'", "s = ''",
    "s = ' a '", "s = 'a '", "(i = 10", "i = 10)", "i = 10 and", "", "i = null", "i is null",
    "s = null", "i <=> 10", "i between 9 and 10", "s between 'a' and 'b'",
    "i = 10 or s = 'a' and i = -1", "i = 9 # x", "i = 9; drop table t", "1 = 1", "i = i",
    "S = 'a'", "`s` = 'a'", "s <> 'a'", "s > '\u00e9'", "i = 1e1", "i = +9",
    f"i in ({', '.join(str(n) for n in range(2000))})",
    " or ".join(f"i = {n}" for n in range(300))]


@pytest.fixture(scope="module")
def filtered(hms, daemon):
    db = "filtered"
    with metastore.connect(hms.port) as client:
        client.create_database(metastore.database(db))
        client.create_table(metastore.table(db, "t", KEYS))
        for row in ROWS:
            with contextlib.suppress(TException):  # Some versions check the values.
                client.add_partition(metastore.partition(client, db, "t", row))
        assert len(client.get_partition_names(db, "t", -1)) >= 3
        daemon.wait()
        daemon.ctl("sync", f"{db}.t")
        yield db
        metastore.drop_database(client, db)


@pytest.mark.parametrize("text", FILTERS, ids=lambda text: text[:40])
def test_filters_on_every_type(hms, daemon, filtered, text):
    at = {1: filtered, 2: "t", 3: text}
    for method, more in [("get_partitions_by_filter", {4: I16(-1)}),
                         ("get_num_partitions_by_filter", {}),
                         ("get_part_specs_by_filter", {4: I32(-1)})]:
        assert_same(hms.port, daemon.port, method, Struct({**at, **more}))
