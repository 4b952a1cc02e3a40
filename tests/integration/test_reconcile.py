"""What a metastore changes without telling its log is found by comparing, and only then."""
import pytest

from support import metastore
from support.daemon import CommandFailed
from support.metastore import change_table, get_table
from support.raw import assert_all_same, database_reads, table_reads
from support.statistics import set_table_statistics

# Short periods; the passes are the same ones.
OFTEN = ("--database-reconcile-interval", "1s", "--reconcile-interval", "1s",
         "--reconcile-rate", "500")
NEVER = ("--database-reconcile-interval", "0s", "--reconcile-interval", "0s")


def load(daemon, *names):
    daemon.wait()
    for name in names:
        daemon.ctl("sync", name)


def describe(hms, client, db, text):
    """Changes a database; 2.3 stores no other description, but parameters."""
    changed = client.get_database(db)
    if hms.version.is_before_catalogs:
        changed.parameters = {**(changed.parameters or {}), "note": text}
    else:
        changed.description = text
    client.alter_database(db, changed)


def described(hms, client, db):
    found = client.get_database(db)
    return found.parameters.get("note") if hms.version.is_before_catalogs else found.description


def test_a_database_changed_in_silence_shows_within_the_period(hms, start_daemon, direct, db):
    daemon = start_daemon("--metastore", hms.uri, *OFTEN)
    load(daemon, db)
    before = metastore.current_event(direct)
    describe(hms, direct, db, "told to nobody")
    silent = metastore.current_event(direct) == before
    assert silent == (hms.version.name != "3.1.3")
    with metastore.connect(daemon.port) as client:
        daemon.eventually(lambda _: described(hms, client, db) == "told to nobody")
    assert_all_same(hms.port, daemon.port, database_reads(db))
    if not silent:
        return
    status = daemon.eventually(lambda s: s["reconcile"]["repairs"] >= 1)
    assert status["reconcile"]["differences"] >= 1
    assert db in status["reconcile"]["last_difference"]
    assert daemon.metric("catalogd_reconcile_repairs_total") >= 1
    found = [e for e in daemon.ctl("events", db) if e["type"] == "difference"]
    assert found and found[0]["action"] == "repaired" and found[0]["by"] == "reconcile"
    assert "told to nobody" in found[0]["reason"]
    assert "difference" in daemon.page(f"/events?name={db}")[1]


def test_statistics_that_change_a_table_in_silence(hms, start_daemon, direct, db):
    direct.create_table(metastore.table(db, "counted", [("day", "string")]))
    daemon = start_daemon("--metastore", hms.uri, *OFTEN)
    load(daemon, f"{db}.counted")
    before = metastore.current_event(direct)
    set_table_statistics(direct, db, "counted", "id", 7)
    silent = metastore.current_event(direct) == before
    assert silent == (hms.version.name != "4.2.0")
    expected = get_table(direct, db, "counted").parameters
    assert "COLUMN_STATS_ACCURATE" in expected
    with metastore.connect(daemon.port) as client:
        daemon.eventually(lambda _: get_table(client, db, "counted").parameters == expected)
    assert_all_same(hms.port, daemon.port, table_reads(db, "counted"))


def test_what_is_announced_is_no_difference(hms, start_daemon, direct, db):
    direct.create_table(metastore.table(db, "busy", [("day", "string")]))
    daemon = start_daemon("--metastore", hms.uri, *OFTEN)
    load(daemon, db, f"{db}.busy")
    for n in range(60):
        change_table(direct, db, "busy", parameters={"n": str(n)})
        direct.append_partition(db, "busy", [str(n)])
    passes = daemon.status()["reconcile"]["passes"]
    daemon.eventually(lambda s: s["reconcile"]["passes"] >= passes + 2)
    mine = [e for e in daemon.ctl("events", db, "--limit", "2000") if e["type"] == "difference"]
    assert mine == []
    assert_all_same(hms.port, daemon.port, table_reads(db, "busy"))


def test_diff_tells_and_repairs_on_demand(hms, start_daemon, direct, db):
    direct.create_table(metastore.table(db, "kept"))
    daemon = start_daemon("--metastore", hms.uri, *NEVER)
    load(daemon, db, f"{db}.kept")
    same = daemon.ctl("diff", db)
    assert same["objects"] == [] and same["counts"] == {"equal": 2}
    assert "2 equal" in daemon.ctl_text("diff", db)
    if hms.version.name == "4.2.0":
        changed = db
        describe(hms, direct, db, "told to nobody")
    else:
        changed = f"{db}.kept"
        set_table_statistics(direct, db, "kept", "id", 7)
    daemon.wait()
    with pytest.raises(CommandFailed) as failure:
        daemon.ctl_text("diff", changed)
    assert failure.value.code == 7
    assert daemon.status()["reconcile"]["differences"] == 1
    with pytest.raises(CommandFailed):
        daemon.ctl_text("diff", db, "--repair")
    assert daemon.ctl("diff", db)["counts"] == {"equal": 2}
    assert daemon.ctl("diff")["counts"]["equal"] >= 2
    assert_all_same(hms.port, daemon.port, database_reads(db) + table_reads(db, "kept"))


def test_diff_of_what_is_not_there(hms, start_daemon, direct, db):
    daemon = start_daemon("--metastore", hms.uri, *NEVER)
    daemon.wait()
    assert daemon.ctl("diff", f"{db}.nowhere")["counts"] == {"equal": 1}
    direct.create_table(metastore.table(db, "stub"))
    daemon.wait()
    outcomes = daemon.ctl("diff", db)["counts"]
    assert set(outcomes) <= {"equal", "not_compared"}
