"""The oracle of the hammer test finds what it is there to find."""
import json
from types import SimpleNamespace

from support.history import History
from test_hammer import judge_rounds, judge_watcher


def image(name, stamp, comment=None):
    return json.dumps({
        "1": {"str": name}, "9": {"map": ["str", "str", 1, {"stamp": stamp}]},
        "7": {"rec": {"1": {"lst": ["rec", 1, {"1": {"str": "id"},
                                              "3": {"str": comment or stamp}}]}}}})


def event(number, kind, table, **message):
    return SimpleNamespace(eventId=number, eventType=kind, dbName="d", tableName=table,
                           message=json.dumps(message), messageFormat="json-0.2")


def create(number, table, stamp):
    return event(number, "CREATE_TABLE", table, tableObjJson=image(table, stamp))


def alter(number, table, stamp, before=None):
    return event(number, "ALTER_TABLE", table, tableObjAfterJson=image(table, stamp),
                 tableObjBeforeJson=image(before or table, "any"))


def drop(number, table):
    return event(number, "DROP_TABLE", table)


LOG = [create(1, "x", "s1"), alter(3, "x", "s3"), alter(5, "x", "s5"), drop(7, "x"),
       create(9, "x", "s9")]
S1, S3, S5, S9 = (("s1", "s1"), ("s3", "s3"), ("s5", "s5"), ("s9", "s9"))


def stale_reads(*reads):
    return len(judge_rounds(History(LOG, "d"), reads)[1])


def test_a_read_of_the_own_change_or_a_later_one_is_right():
    assert stale_reads(("x", "s3", 0, S3, S3)) == 0
    assert stale_reads(("x", "s3", 0, S5, S5)) == 0
    assert stale_reads(("x", "s3", 0, None, None)) == 0


def test_a_read_from_before_the_own_change_is_stale():
    assert stale_reads(("x", "s3", 0, S1, S5)) == 1
    assert stale_reads(("x", "s9", 0, None, S9)) == 1
    assert stale_reads(("x", None, 5, S5, None)) == 1


def test_what_the_metastore_says_itself_is_counted_apart():
    counts, stale = judge_rounds(History(LOG, "d"), [("x", "s3", 0, S1, S1)])
    assert stale == []
    assert counts["contradicted by the metastore"] == 1


def test_a_mixture_is_torn_and_not_stale():
    counts, stale = judge_rounds(History(LOG, "d"), [("x", "s3", 0, ("s5", "s3"), S5)])
    assert stale == []
    assert counts["torn"] == 1


def test_going_back_is_found():
    history = History(LOG, "d")
    assert judge_watcher(history, [("x", S1), ("x", S5), ("x", None), ("x", S9)])[1] == []
    assert judge_watcher(history, [("x", S5), ("x", S3)])[1] == [("x", 3, S3)]
    assert judge_watcher(history, [("x", S9), ("x", None)])[1] == [("x", 5, None)]


def test_two_events_of_one_id_may_have_happened_in_either_order():
    twins = [create(1, "x", "s1"), alter(3, "x", "s3"), alter(3, "x", "s5"), drop(7, "x")]
    history = History(twins, "d")
    assert history.twins == 1
    assert judge_watcher(history, [("x", S5), ("x", S3), ("x", None)])[1] == []
    assert judge_watcher(history, [("x", S5), ("x", S1)])[1] == [("x", 3, S1)]


def test_a_rename_ends_one_name_and_begins_another():
    history = History([create(1, "x", "s1"), alter(2, "y", "s2", before="x")], "d")
    assert history.states["x"] == [(1, S1), (2, None)]
    assert history.states["y"] == [(2, ("s2", "s2"))]
    assert history.contradictions == 0


def test_contradictions_of_the_log_are_counted():
    assert History([alter(1, "x", "s1")], "d").contradictions == 1
    assert History([create(1, "x", "s1"), create(2, "x", "s2")], "d").contradictions == 1


def test_an_id_given_twice_excuses_only_what_hides_under_it():
    log = [create(1, "x", "s1"), alter(3, "x", "s3"), alter(3, "y", "other"), alter(5, "x", "s5"),
           alter(5, "x", "t5"), alter(7, "x", "s7")]
    history = History(log, "d")
    assert history.twins == 2

    def excused(*seen):
        counts, back = judge_watcher(history, [("x", (stamp, stamp)) for stamp in seen])
        return back == [] and counts["an id given twice"] == 1

    assert excused("s3", "s1")  # The other table's event was seen under 3, this one was not.
    assert not excused("t5", "s3")  # Both events under 5 are of this table: one was seen.
    assert not excused("s7", "t5")
