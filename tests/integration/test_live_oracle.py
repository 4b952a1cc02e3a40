"""The oracle of the live workload finds what it is there to find."""
import json
from types import SimpleNamespace

from support.live_history import LiveHistory, Read, Write, judge


def table_image(name, stamp, comment=None):
    return json.dumps({
        "1": {"str": name}, "2": {"str": "d"},
        "9": {"map": ["str", "str", 1, {"stamp": stamp}]},
        "7": {"rec": {"1": {"lst": ["rec", 1, {"1": {"str": "id"},
                                              "3": {"str": comment or stamp}}]}}}})


def partition_image(value, stamp):
    return json.dumps({"1": {"lst": ["str", 1, value]},
                       "7": {"map": ["str", "str", 1, {"stamp": stamp}]}})


def event(number, kind, table=None, **message):
    return SimpleNamespace(eventId=number, eventType=kind, dbName="d", tableName=table,
                           message=json.dumps(message), messageFormat="json-0.2")


def create(number, name, stamp):
    return event(number, "CREATE_TABLE", name, tableObjJson=table_image(name, stamp))


def alter(number, name, stamp, to=None):
    return event(number, "ALTER_TABLE", to or name, tableObjBeforeJson=table_image(name, "any"),
                 tableObjAfterJson=table_image(to or name, stamp))


def add(number, value, stamp):
    return event(number, "ADD_PARTITION", "x", partitionListJson=[partition_image(value, stamp)])


X = ("table", "d", "x")
Y = ("table", "d", "y")
P = ("partition", "d", "x", "p")
LOG = [create(1, "x", "s1"), alter(2, "x", "s2"), add(3, "p", "p3"), alter(4, "x", "s4", to="y"),
       event(5, "DROP_TABLE", "y"), create(6, "x", "s6")]


def wrong(reads, writes=(), log=None, is_judged=lambda key: True):
    verdict = judge(LiveHistory(log or LOG), reads, list(writes), is_judged)
    return [found[2] for found in verdict.wrong]


def read(at, key, observed, reader="r", is_latest=False):
    return Read(reader, at, {key: observed}, is_latest)


S1, S2, S6 = ("s1", "s1"), ("s2", "s2"), ("s6", "s6")


def test_a_reader_may_go_forward_and_not_back():
    assert wrong([read(1, X, S1), read(2, X, S2), read(3, X, None), read(4, X, S6)]) == []
    assert wrong([read(1, X, S2), read(2, X, S1)]) == [S1]
    assert wrong([read(1, X, S6), read(2, X, None)]) == [None]
    # Another connection has a position of its own.
    assert wrong([read(1, X, S2), read(2, X, S1, reader="other")]) == []


def test_whoever_asks_after_a_write_sees_it():
    own = Write(2.0, X, "s2")
    assert wrong([read(3, X, S2), read(4, X, None)], [own]) == []
    assert wrong([read(3, X, S1)], [own]) == [S1]
    assert wrong([read(1.9, X, S1)], [own]) == []  # Asked before it returned.


def test_what_was_never_written_is_wrong_and_what_is_torn_is_counted_apart():
    assert wrong([read(3, X, ("no", "no"))]) == [("no", "no")]
    assert wrong([read(3, X, ("s1", "no"))]) == [("s1", "no")]
    assert wrong([read(3, X, ("s2", "s1"))]) == []


def test_the_middle_of_a_rename_is_torn():
    """The metastore was seen to answer the new name with the old content, and the reverse."""
    assert wrong([read(3, Y, S2), read(4, X, ("s4", "s4"))]) == []
    assert wrong([read(3, Y, S1)]) == [S1]
    rename = event(4, "ALTER_PARTITION", "x", partitionObjBeforeJson=partition_image("p", "p3"),
                   partitionObjAfterJson=partition_image("q", "p4"))
    q = ("partition", "d", "x", "q")
    log = LOG[:3] + [rename]
    assert wrong([read(3, q, "p3"), read(4, P, "p4")], log=log) == []
    assert wrong([read(3, q, "p2")], log=log) == ["p2"]


def test_at_the_level_latest_the_writes_of_others_show_too():
    foreign = Write(2.0, X, "s2", is_foreign=True)
    assert wrong([read(3, X, S1)], [foreign]) == []
    assert wrong([read(3, X, S1, is_latest=True)], [foreign]) == [S1]
    assert wrong([read(1.9, X, S1, is_latest=True)], [foreign]) == []


def test_a_drop_is_found_by_where_the_log_was():
    drop = Write(2.0, Y, None, not_before=4)
    assert wrong([read(3, Y, ("s4", "s4"))], [drop]) == [("s4", "s4")]
    assert wrong([read(3, Y, None)], [drop]) == []
    # Reported as done and rolled back: the drop that came later is another one.
    undone = Write(2.0, Y, None, not_before=4, not_after=4)
    assert wrong([read(3, Y, ("s4", "s4"))], [undone]) == []


def test_a_rename_moves_table_and_partitions():
    history = LiveHistory(LOG[:4])
    assert history.state(X) is None and history.state(Y) == ("s4", "s4")
    assert history.state(P) is None
    assert history.state(("partition", "d", "y", "p")) == "p3"


def test_partitions_go_with_their_table_and_database():
    assert LiveHistory(LOG[:3] + [event(4, "DROP_TABLE", "x")]).state(P) is None
    history = LiveHistory(LOG[:3] + [event(4, "DROP_DATABASE")])
    assert history.state(P) is None and history.state(X) is None


def test_changes_of_partitions():
    rename = event(4, "ALTER_PARTITION", "x", partitionObjBeforeJson=partition_image("p", "p3"),
                   partitionObjAfterJson=partition_image("q", "p4"))
    history = LiveHistory(LOG[:3] + [rename])
    assert history.state(P) is None
    assert history.state(("partition", "d", "x", "q")) == "p4"
    many = event(5, "ALTER_PARTITIONS", "x", partitionListJson=[partition_image("q", "p5")])
    drop = event(6, "DROP_PARTITION", "x", partitions=[{"day": "q"}])
    assert LiveHistory(LOG[:3] + [rename, many]).state(("partition", "d", "x", "q")) == "p5"
    assert LiveHistory(LOG[:3] + [rename, many, drop]).state(("partition", "d", "x", "q")) is None
    assert wrong([read(1, P, "p3"), read(2, P, None), read(3, P, "p3")]) == ["p3"]


def test_lists_tell_presence_alone():
    assert wrong([read(1, X, True), read(2, X, None), read(3, X, True)]) == []
    assert wrong([read(1, X, S6), read(2, X, None)]) == [None]
    assert wrong([read(1, Y, True), read(2, Y, None), read(3, Y, True)]) == [True]


def test_names_of_racing_writers_are_counted_only():
    reads = [read(1, X, S2), read(2, X, S1)]
    verdict = judge(LiveHistory(LOG), reads, [], lambda key: False)
    assert verdict.wrong == []
    assert verdict.counts["table beyond the log of racing writers"] == 1


def test_an_id_given_twice_excuses_what_hides_under_it():
    log = [create(1, "x", "s1"), alter(3, "x", "s3"), alter(3, "other", "o"), alter(5, "x", "s5")]
    late = [read(1, X, ("s3", "s3")), read(2, X, S1)]
    assert wrong(late, log=log) == []
    assert wrong([read(1, X, ("s5", "s5")), read(2, X, S1)], log=log) == [S1]


def test_databases_of_old_logs_have_no_content():
    history = LiveHistory([event(1, "CREATE_DATABASE")])
    key = ("database", "d")
    assert history.state(key) is True
    assert history.explain(key, True, 0) == 1
    assert history.explain(key, None, 1) is None
