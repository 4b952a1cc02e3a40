"""Functions, statistics and constraints: the metastore's own answers, kept until the log or an own
write says that they have changed. What the log of a version does not tell is never kept, and what
these change in a table or partition is right as well."""
import contextlib
import threading
import time

import pytest
from pymetastore.hive_metastore import ttypes as t
from thrift_binary import List, Struct
from thrift_connection import Connection

from support import metastore
from support.metastore import change_table
from support.raw import assert_all_same, outcome, partition_reads, table_reads
from support.statistics import set_partition_statistics, set_table_statistics

HITS = "catalogd_side_answer_hits_total"
PASSED = "catalogd_passed_through_total"
DAY = "day=1"


def function(db, name, class_name):
    return t.Function(functionName=name, dbName=db, className=class_name, ownerName="tester",
                      ownerType=t.PrincipalType.USER, createTime=0,
                      functionType=t.FunctionType.JAVA, resourceUris=[])


def function_reads(db, *names):
    return [("get_functions", Struct({1: db, 2: "*"})),
            ("get_all_functions", Struct()),
            *(("get_function", Struct({1: db, 2: name})) for name in names)]


def add_function(client, db, name, class_name="org.example.First"):
    client.create_function(function(db, name, class_name))


def alter_function(client, db, name, class_name):
    client.alter_function(db, name, function(db, name, class_name))


def statistics_reads(db, name):
    return [
        ("get_table_column_statistics", Struct({1: db, 2: name, 3: "id"})),
        ("get_table_statistics_req", Struct({1: Struct({1: db, 2: name, 3: List(["id"])})})),
        ("get_partition_column_statistics", Struct({1: db, 2: name, 3: DAY, 4: "id"})),
        ("get_partitions_statistics_req",
         Struct({1: Struct({1: db, 2: name, 3: List(["id"]), 4: List([DAY])})})),
        ("get_aggr_stats_for",
         Struct({1: Struct({1: db, 2: name, 3: List(["id"]), 4: List([DAY])})})),
    ]


def test_statistics_set_and_deleted_by_others(hms, daemon, direct, db):
    direct.create_table(metastore.table(db, "counted", [("day", "string")]))
    direct.append_partition(db, "counted", ["1"])
    daemon.wait()
    daemon.ctl("sync", f"{db}.counted")

    def assert_same(objects=True):
        daemon.wait()
        assert_all_same(hms.port, daemon.port, statistics_reads(db, "counted"))
        if objects:
            assert_all_same(hms.port, daemon.port, table_reads(db, "counted") +
                            partition_reads(db, "counted", [DAY], [["1"]]))

    # Before Hive 4 the log does not tell what this changes in table and partition.
    announced = hms.version.name == "4.2.0"
    set_table_statistics(direct, db, "counted", "id", 7)
    assert_same(announced)
    set_partition_statistics(direct, db, "counted", DAY, "id", 8)
    assert_same(announced)
    set_table_statistics(direct, db, "counted", "id", 70)
    assert_same(announced)
    direct.delete_partition_column_statistics(db, "counted", DAY, "id")
    assert_same(announced)
    direct.delete_table_column_statistics(db, "counted", "id")
    assert_same(announced)


def test_statistics_set_through_the_daemon_show_in_table_and_partition(hms, daemon, through, db):
    through.create_table(metastore.table(db, "counted", [("day", "string")]))
    through.append_partition(db, "counted", ["1"])
    reads = (statistics_reads(db, "counted") + table_reads(db, "counted") +
             partition_reads(db, "counted", [DAY], [["1"]]))
    set_table_statistics(through, db, "counted", "id", 7)
    assert_all_same(hms.port, daemon.port, reads)
    set_partition_statistics(through, db, "counted", DAY, "id", 8)
    assert_all_same(hms.port, daemon.port, reads)
    through.delete_partition_column_statistics(db, "counted", DAY, "id")
    through.delete_table_column_statistics(db, "counted", "id")
    assert_all_same(hms.port, daemon.port, reads)


def constraint_reads(db, name):
    return [
        ("get_primary_keys", Struct({1: Struct({1: db, 2: name, 3: "hive"})})),
        ("get_not_null_constraints", Struct({1: Struct({1: "hive", 2: db, 3: name})})),
        ("get_unique_constraints", Struct({1: Struct({1: "hive", 2: db, 3: name})})),
        ("get_foreign_keys",
         Struct({1: Struct({3: db, 4: name, 5: "hive"})})),
    ]


def other_constraint_reads(db, name):
    """Of 3.1 and later; before 4 the log does not tell of them."""
    return [
        ("get_default_constraints", Struct({1: Struct({1: "hive", 2: db, 3: name})})),
        ("get_check_constraints", Struct({1: Struct({1: "hive", 2: db, 3: name})})),
    ]


def all_constraints_read(db, name):
    return ("get_all_table_constraints", Struct({1: Struct({1: db, 2: name, 3: "hive"})}))


def add_primary_key(client, db, name, key=None):
    client.add_primary_key(t.AddPrimaryKeyRequest([t.SQLPrimaryKey(
        table_db=db, table_name=name, column_name="id", key_seq=1, pk_name=key or f"{name}_pk",
        enable_cstr=False, validate_cstr=False, rely_cstr=True, catName="hive")]))


def add_default(client, db, name):
    client.add_default_constraint(t.AddDefaultConstraintRequest([t.SQLDefaultConstraint(
        catName="hive", table_db=db, table_name=name, column_name="name", default_value="'x'",
        dc_name=f"{name}_dc", enable_cstr=True, validate_cstr=False, rely_cstr=False)]))


def add_foreign_key(client, db, parent, child):
    client.add_foreign_key(t.AddForeignKeyRequest([t.SQLForeignKey(
        pktable_db=db, pktable_name=parent, pkcolumn_name="id", fktable_db=db, fktable_name=child,
        fkcolumn_name="id", key_seq=1, update_rule=0, delete_rule=0, fk_name=f"{child}_fk",
        pk_name=f"{parent}_pk", enable_cstr=False, validate_cstr=False, rely_cstr=True,
        catName="hive")]))


def add_constraints(hms, client, db, name):
    add_primary_key(client, db, name)
    if hms.version.is_before_catalogs:
        return
    client.add_not_null_constraint(t.AddNotNullConstraintRequest([t.SQLNotNullConstraint(
        catName="hive", table_db=db, table_name=name, column_name="name", nn_name=f"{name}_nn",
        enable_cstr=False, validate_cstr=False, rely_cstr=True)]))


def drop_constraint(client, db, name, constraint):
    client.drop_constraint(t.DropConstraintRequest(
        dbname=db, tablename=name, constraintname=constraint, catName="hive"))


def test_constraints_added_and_dropped(hms, daemon, direct, through, db):
    for client, name in ((direct, "theirs"), (through, "ours")):
        client.create_table(metastore.table(db, name))
        reads = constraint_reads(db, name) + table_reads(db, name)
        daemon.wait()
        daemon.ctl("sync", f"{db}.{name}")
        add_constraints(hms, client, db, name)
        daemon.wait()
        assert_all_same(hms.port, daemon.port, reads)
        drop_constraint(client, db, name, f"{name}_pk")
        daemon.wait()
        assert_all_same(hms.port, daemon.port, reads)
        client.drop_table(db, name, True)
        daemon.wait()
        assert_all_same(hms.port, daemon.port, reads)


# --- What is kept, and until when -------------------------------------------------------------

class Kept:
    """The calls that this version's log allows to be kept, about `db` and its table `name`."""

    def __init__(self, hms, db, name):
        is_newest = hms.version.name == "4.2.0"
        self.functions = function_reads(db, "f")
        self.constraints = [] if hms.version.is_before_catalogs else constraint_reads(db, name)
        self.silent = statistics_reads(db, name)
        if hms.version.is_before_catalogs:
            self.silent += [("get_primary_keys", Struct({1: Struct({1: db, 2: name})}))]
        else:
            self.silent += other_constraint_reads(db, name)
        self.statistics = []
        if is_newest:
            self.statistics = statistics_reads(db, name)
            self.constraints += [*other_constraint_reads(db, name), all_constraints_read(db, name)]
            self.silent = []
        self.all = self.functions + self.constraints + self.statistics


@pytest.fixture
def kept(hms, daemon, direct, db):
    """A table with statistics and keys, and a function, all made by others."""
    direct.create_table(metastore.table(db, "t", [("day", "string")]))
    direct.append_partition(db, "t", ["1"])
    set_table_statistics(direct, db, "t", "id", 7)
    set_partition_statistics(direct, db, "t", DAY, "id", 8)
    add_constraints(hms, direct, db, "t")
    if not hms.version.is_before_catalogs:
        add_default(direct, db, "t")
    add_function(direct, db, "f")
    daemon.wait()
    daemon.ctl("sync", f"{db}.t")
    return Kept(hms, db, "t")


def warm(daemon, calls):
    """Reads until each call is answered without the metastore."""
    for name, arguments in calls:
        deadline = time.monotonic() + 60
        while True:
            hits = daemon.metric(HITS)
            with Connection(daemon.port) as connection:
                outcome(connection, name, arguments)
            if daemon.metric(HITS) > hits:
                break
            assert time.monotonic() < deadline, f"{name} is not kept"
            daemon.wait()


def test_the_second_read_costs_no_call(hms, daemon, kept):
    warm(daemon, kept.all)
    for name, arguments in kept.all:
        if "function" in name:
            warm(daemon, [(name, arguments)])  # These live for a short time only.
        passed, hits = daemon.metric(PASSED), daemon.metric(HITS)
        with Connection(daemon.port) as connection:
            found = outcome(connection, name, arguments)
        assert daemon.metric(PASSED) == passed, name
        assert daemon.metric(HITS) == hits + 1, name
        with Connection(hms.port) as connection:
            assert found == outcome(connection, name, arguments), name


def test_what_the_log_does_not_tell_is_not_kept(hms, daemon, direct, db, kept):
    """Right at once, whoever changes it: not even `wait` is needed."""
    for _ in range(3):
        hits = daemon.metric(HITS)
        assert_all_same(hms.port, daemon.port, kept.silent)
        assert daemon.metric(HITS) == hits
        daemon.wait()
    set_table_statistics(direct, db, "t", "id", 70)
    set_partition_statistics(direct, db, "t", DAY, "id", 80)
    if kept.silent:
        drop_constraint(direct, db, "t", "t_pk" if hms.version.is_before_catalogs else "t_dc")
    assert_all_same(hms.port, daemon.port, kept.silent)


def changes(hms, client, db):
    """Every kind of change, each to be followed by a look."""
    yield set_table_statistics(client, db, "t", "id", 70)
    yield set_partition_statistics(client, db, "t", DAY, "id", 80)
    yield client.append_partition(db, "t", ["2"])
    yield client.delete_partition_column_statistics(db, "t", DAY, "id")
    yield client.delete_table_column_statistics(db, "t", "id")
    yield client.drop_partition(db, "t", ["1"], True)
    yield drop_constraint(client, db, "t", "t_pk")
    yield add_primary_key(client, db, "t")
    if not hms.version.is_before_catalogs:
        yield drop_constraint(client, db, "t", "t_dc")
        yield add_default(client, db, "t")
    yield add_function(client, db, "g")
    yield client.drop_function(db, "f")
    yield add_function(client, db, "f", "org.example.Other")
    yield change_table(client, db, "t", parameters={"note": "x"})


def test_changes_of_others_show_once_the_log_was_read(hms, daemon, direct, db, kept):
    for _ in changes(hms, direct, db):
        daemon.wait()
        assert_all_same(hms.port, daemon.port, kept.all)
        daemon.wait()  # What was read just now may be kept from here on.
        assert_all_same(hms.port, daemon.port, kept.all)


def test_own_changes_show_at_the_very_next_read(hms, daemon, through, db, kept):
    warm(daemon, kept.all)
    for _ in changes(hms, through, db):
        assert_all_same(hms.port, daemon.port, kept.all + kept.silent)
        daemon.wait()  # What was read just now may be kept from here on.
        assert_all_same(hms.port, daemon.port, kept.all + kept.silent)


def test_functions_altered_in_place(hms, daemon, direct, through, db, kept):
    """No log tells of it: `latest` shows it at once, other levels soon, own changes at once."""
    def class_of(client):
        return client.get_function(db, "f").className

    warm(daemon, kept.functions)
    through.setMetaConf("catalogd.read", "latest")
    try:
        for number in range(3):
            alter_function(direct, db, "f", f"org.example.C{number}")
            assert class_of(through) == f"org.example.C{number}"
    finally:
        through.setMetaConf("catalogd.read", "cached")
    warm(daemon, kept.functions)
    alter_function(direct, db, "f", "org.example.Last")
    deadline = time.monotonic() + 60
    while class_of(through) != "org.example.Last":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    warm(daemon, kept.functions)
    alter_function(through, db, "f", "org.example.Own")
    assert_all_same(hms.port, daemon.port, kept.functions)


@pytest.mark.parametrize("who", ["others", "own"])
def test_a_table_that_goes_and_comes_takes_its_answers_along(hms, daemon, direct, through, db,
                                                             kept, who):
    client = direct if who == "others" else through

    def look():
        if who == "others":
            daemon.wait()
        assert_all_same(hms.port, daemon.port, kept.all + kept.silent + at_new_name)

    at_new_name = constraint_reads(db, "renamed") + statistics_reads(db, "renamed")
    warm(daemon, kept.all)
    change_table(client, db, "t", tableName="renamed")
    look()
    change_table(client, db, "renamed", tableName="t")
    look()
    daemon.ctl("sync", f"{db}.t")
    warm(daemon, kept.constraints)
    client.drop_table(db, "t", True)
    look()
    client.create_table(metastore.table(db, "t", [("day", "string")]))
    look()
    daemon.wait()
    look()


@pytest.mark.parametrize("who", ["others", "own"])
def test_a_dropped_database_takes_all_answers_along(hms, daemon, direct, through, db, kept, who):
    client = direct if who == "others" else through
    warm(daemon, kept.all)
    client.drop_database(db, True, True)
    if who == "others":
        daemon.wait()
    assert_all_same(hms.port, daemon.port, kept.all + kept.silent)
    client.create_database(metastore.database(db))
    client.create_table(metastore.table(db, "t", [("day", "string")]))
    add_function(client, db, "f", "org.example.Reborn")
    if who == "others":
        daemon.wait()
    assert_all_same(hms.port, daemon.port, kept.all + kept.silent)


def test_foreign_keys_follow_both_tables(hms, daemon, direct, db):
    if hms.version.is_before_catalogs:
        calls = []
    else:
        calls = [("get_foreign_keys", Struct({1: Struct({3: db, 4: "child", 5: "hive"})})),
                 ("get_foreign_keys",
                  Struct({1: Struct({1: db, 2: "parent", 3: db, 4: "child", 5: "hive"})}))]
    if hms.version.name == "4.2.0":
        calls.append(all_constraints_read(db, "child"))
    for name in ("parent", "child"):
        direct.create_table(metastore.table(db, name))
    add_primary_key(direct, db, "parent")

    def look():
        daemon.wait()
        assert_all_same(hms.port, daemon.port, calls)

    daemon.wait()
    warm(daemon, calls)
    add_foreign_key(direct, db, "parent", "child")
    look()
    warm(daemon, calls)
    drop_constraint(direct, db, "child", "child_fk")
    look()
    add_foreign_key(direct, db, "parent", "child")
    look()
    warm(daemon, calls)
    change_table(direct, db, "parent", tableName="grown_up")
    look()
    change_table(direct, db, "grown_up", tableName="parent")
    look()
    with contextlib.suppress(t.MetaException):
        direct.drop_table(db, "parent", True)
    look()


def test_levels(hms, direct, db, start_daemon):
    """A daemon that does not look at the log by itself."""
    if hms.version.is_before_catalogs:
        call = ("get_functions", Struct({1: db, 2: "*"}))
        there, gone = add_function, type(direct).drop_function
        there_of, gone_of = (direct, db, "f"), (direct, db, "f")
    else:
        direct.create_table(metastore.table(db, "t"))
        call = constraint_reads(db, "t")[0]
        there, gone = add_primary_key, drop_constraint
        there_of, gone_of = (direct, db, "t"), (direct, db, "t", "t_pk")
    daemon = start_daemon("--metastore", hms.uri, "--poll-interval", "10m")
    daemon.wait()
    warm(daemon, [call])
    with Connection(daemon.port) as cached:
        before = outcome(cached, *call)
        there(*there_of)
        assert outcome(cached, *call) == before
        event = metastore.current_event(direct)
        with Connection(daemon.port) as newer:
            newer.result("setMetaConf", Struct({1: "catalogd.read", 2: f"at-least {event}"}))
            after = outcome(newer, *call)
        assert after != before
        with Connection(hms.port) as straight:
            assert after == outcome(straight, *call)
    with Connection(daemon.port) as latest:
        latest.result("setMetaConf", Struct({1: "catalogd.read", 2: "latest"}))
        gone(*gone_of)
        assert outcome(latest, *call) == before


@pytest.mark.parametrize("who", ["others", "own"])
def test_readers_never_fall_behind_a_writer(hms, daemon, direct, through, db, who):
    """`latest` after foreign writes, any level after own ones: what had returned is seen."""
    direct.create_table(metastore.table(db, "t"))
    daemon.wait()
    writer = direct if who == "others" else through
    call = constraint_reads(db, "t")[0]
    written, ended, faults, answers = [0], threading.Event(), [], []

    def read():
        with Connection(daemon.port) as connection:
            if who == "others":
                connection.result("setMetaConf", Struct({1: "catalogd.read", 2: "latest"}))
            while not ended.is_set():
                least = written[0]
                keys = connection.result(*call)[0][1]
                shown = int(keys[0][5].split("_")[1]) if keys else None
                answers.append(shown)
                if shown is not None and shown < least:
                    faults.append(f"key {shown} is shown after key {least} was there")

    hits = daemon.metric(HITS)
    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(1, 41):
        add_primary_key(writer, db, "t", f"key_{number}")
        written[0] = number
        seen = len(answers)
        deadline = time.monotonic() + 30
        while len(answers) < seen + 20 and time.monotonic() < deadline:
            time.sleep(0.001)
        drop_constraint(writer, db, "t", f"key_{number}")
    # An answer is kept from the next poll on; a quick writer may leave none that long.
    keeps = not hms.version.is_before_catalogs
    deadline = time.monotonic() + 30
    while keeps and daemon.metric(HITS) == hits and time.monotonic() < deadline:
        time.sleep(0.05)
    ended.set()
    for reader in readers:
        reader.join(60)
    assert not faults, faults[:3]
    assert set(answers) > {1, 40}
    assert not keeps or daemon.metric(HITS) > hits
