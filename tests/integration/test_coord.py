"""Table coordination through the daemon's own port: a table's life from its registration to a
compaction, as engines and executors lead it, on the embedded metastore and on real ones."""
import json
import sqlite3

import pytest

from coord_client import Coord, base, in_partition, log, types
from support import metastore
from support.daemon import CommandFailed
from support.metastore import change_table, get_table

STATE = "catalogd.coord.state"
GROUP = "f0000000-0000-0000-0000-000000000001-0"


@pytest.fixture
def embedded(start_daemon):
    daemon = start_daemon()
    with metastore.connect(daemon.port) as client:
        client.create_database(metastore.database("c"))
        client.create_table(metastore.table("c", "t"))
    return daemon


@pytest.fixture
def coord(embedded):
    with Coord(embedded.port, "c.t") as client:
        yield client


def refused(name):
    return pytest.raises(types().CoordError, match=name)


def write_base(coord):
    """The first commit: one base file."""
    txn = coord.begin()
    return coord.commit(txn, [base(GROUP, txn.requested)])


def write_log(coord, slices):
    txn = coord.begin("UPDATE")
    return coord.commit(txn, [log(GROUP, txn.requested)])


def test_a_table_is_registered_and_shown(embedded, coord):
    table = coord.register()
    assert (table.name, table.state, table.id_version, table.cas) == ("c.t", "ACTIVE", 0, True)
    assert coord.state().table_id == table.table_id
    assert embedded.ctl("coord", "tables")[0]["table_id"] == table.table_id
    with refused("ALREADY_REGISTERED"):
        coord.register()
    with refused("NOT_FOUND"):
        coord.call("get_table_state", "TableRequest", table="c.other")


def test_a_commit_is_in_the_metastore_and_in_the_slices_when_it_is_answered(embedded, coord):
    table = coord.register()
    done = write_base(coord)
    assert done.id_version == 1 and done.time_version == done.completed
    with metastore.connect(embedded.port) as client:
        state = get_table(client, "c", "t").parameters[STATE]
    assert state.startswith(f"{table.table_id}:{table.epoch}:1:")
    page = coord.slices()
    assert [piece.file_id for piece in page.slices] == [GROUP]
    assert (page.id_version, page.completed) == (1, done.completed)


def test_a_commit_that_is_sent_again_has_the_answer_of_the_first(coord):
    coord.register()
    txn = coord.begin(key="k1")
    assert coord.begin(key="k1").txn_id == txn.txn_id
    first = coord.commit(txn, [base(GROUP, txn.requested)])
    again = coord.commit(txn, [base(GROUP, txn.requested)])
    assert again.repeated and again.id_version == first.id_version


def test_what_was_not_committed_is_not_seen(coord):
    coord.register()
    write_base(coord)
    txn = coord.begin("UPDATE")
    coord.call("abort_txn", "AbortRequest", txn_id=txn.txn_id, fence=txn.fence, reason="no")
    with refused("TXN_NOT_OPEN"):
        coord.commit(txn, [log(GROUP, txn.requested)])
    assert [piece.logs for piece in coord.slices().slices] == [[]]


def test_a_compaction_is_claimed_once_and_completed_with_its_fence(embedded, coord):
    coord.register()
    write_base(coord)
    write_log(coord, coord.slices())
    planned = coord.schedule()
    assert planned.plan, planned.reason
    claimed = coord.claim(planned.plan.plan_id)
    with refused("PLAN_BUSY") as busy:
        coord.owner = "another"
        coord.claim(planned.plan.plan_id)
    assert busy.value.retryable and busy.value.details["owner"] == "anonymous/test"
    coord.owner = "test"
    group = claimed.plan.groups[0]
    compacted = base(GROUP, claimed.plan.requested, claimed.fence)
    with refused("FENCED"):
        coord.call("complete_plan", "CommitRequest", plan_id=claimed.plan.plan_id,
                   fence=claimed.fence - 1, added=[compacted])
    done = coord.complete(claimed, [compacted])
    assert done.id_version == 3 and not done.time_version
    piece = coord.slices().slices[0]
    assert (piece.base, piece.logs) == (compacted.name, [])
    assert compacted.name in embedded.ctl_text("coord", "slices", "c.t")
    assert embedded.ctl("coord", "plans", "--state", "ALL")[0]["state"] == "COMPLETED"
    assert group.base != piece.base


def test_changes_between_two_versions_leave_services_out(embedded, coord):
    coord.register()
    write_base(coord)
    write_log(coord, coord.slices())
    changes = coord.call("get_incremental", "GetIncrementalRequest", from_exclusive="1").changes
    assert [(change.id_version, change.op) for change in changes] == [(2, "UPDATE")]
    assert [row["id_version"] for row in embedded.ctl("coord", "versions", "c.t")] in (
        [1, 2], [2, 1])


def test_a_renamed_table_stays_the_same_and_a_dropped_one_is_gone(embedded, coord):
    table = coord.register()
    write_base(coord)
    with metastore.connect(embedded.port) as client:
        renamed = get_table(client, "c", "t")
        renamed.tableName = "u"
        client.alter_table("c", "t", renamed)
        coord.table = table.table_id
        embedded.eventually(lambda _: coord.state().name == "c.u")
        assert write_log(coord, None).id_version == 2
        txn = coord.begin()
        client.drop_table("c", "u", True)
        embedded.eventually(lambda _: coord.state().state == "DROPPED")
        with refused("TABLE_GONE"):
            coord.commit(txn, [base(GROUP[:-1] + "1", txn.requested)])


def test_a_table_made_anew_is_not_coordinated(embedded, coord):
    table = coord.register()
    with metastore.connect(embedded.port) as client:
        client.drop_table("c", "t", True)
        client.create_table(metastore.table("c", "t"))
    embedded.wait()
    coord.table = table.table_id
    embedded.eventually(lambda _: coord.state().state == "DROPPED")
    assert coord.register(table="c.t").table_id != table.table_id


def test_a_state_that_somebody_removed_comes_back(embedded, coord):
    coord.register()
    write_base(coord)
    with metastore.connect(embedded.port) as client:
        before = get_table(client, "c", "t")
        state = before.parameters.pop(STATE)
        client.alter_table("c", "t", before)

        def is_back(_):
            return get_table(client, "c", "t").parameters.get(STATE, "").startswith(
                ":".join(state.split(":")[:3]))
        embedded.eventually(is_back)


def test_all_of_it_is_there_after_a_restart(start_daemon, tmp_path):
    daemon = start_daemon(state_dir=tmp_path / "kept")
    with metastore.connect(daemon.port) as client:
        client.create_database(metastore.database("c"))
        client.create_table(metastore.table("c", "t"))
    with Coord(daemon.port, "c.t") as coord:
        coord.register()
        write_base(coord)
        txn = coord.begin("UPDATE")
    daemon.kill()
    daemon = start_daemon(state_dir=tmp_path / "kept")
    with Coord(daemon.port, "c.t") as coord:
        daemon.eventually(lambda _: coord.state().state == "ACTIVE")
        assert coord.commit(txn, [log(GROUP, txn.requested)]).id_version == 2


def test_rights_are_the_options(start_daemon):
    daemon = start_daemon("--coord-admins", "root", "--coord-writers", "engine")
    with metastore.connect(daemon.port) as client:
        client.create_database(metastore.database("c"))
        client.create_table(metastore.table("c", "t"))
    with Coord(daemon.port, "c.t", user="engine") as engine, \
            Coord(daemon.port, "c.t", user="root") as root, Coord(daemon.port, "c.t") as nobody:
        with refused("PERMISSION_DENIED.*--coord-admins"):
            engine.register()
        root.register()
        assert engine.begin().owner == "engine/test"
        with refused("PERMISSION_DENIED.*'anonymous'"):
            nobody.begin()
        assert nobody.state().open_txns == 1
    with pytest.raises(CommandFailed, match="PERMISSION_DENIED"):
        daemon.ctl("coord", "unregister", "c.t", "--force")
    daemon.ctl("coord", "--user", "root", "unregister", "c.t", "--force")


def test_pages_and_metrics_show_what_is_going_on(embedded, coord):
    table = coord.register()
    write_base(coord)
    stale = coord.begin("UPDATE")
    txn = coord.begin("OVERWRITE")
    coord.commit(txn, [base(GROUP[:-1] + "1", txn.requested)], partitions=[""])
    with refused("CONFLICT"):
        coord.commit(stale, [log(GROUP, stale.requested)])
    coord.begin()

    def page(path):
        status, html = embedded.page(path)
        assert status == 200, html
        return json.loads(embedded.page(path + ("&" if "?" in path else "?") + "json")[1]), html

    rows, html = page("/coord")
    assert [(row["name"], row["id_version"]) for row in rows["tables"]] == [("c.t", 2)]
    assert f"/coord/table?name={table.table_id}" in html
    shown, html = page("/coord/table?name=c.t")
    assert [bar["bar_state"] for bar in shown["bars"]] == ["COMMITTED", "OPEN", "COMMITTED",
                                                           "OPEN"]
    assert shown["published"]["publication_version"] == 2
    assert [piece["file_id"] for piece in shown["slices"]] == [GROUP[:-1] + "1"]
    assert html.count("<rect") == 4 and html.count('class="OPEN"') == 2
    conflicts, html = page("/coord/conflicts")
    assert [(row["earlier"], row["later"]) for row in conflicts["conflicts"]] == [
        ("OVERWRITE", "UPDATE")]
    hits = [(row["row"], cell["letter"]) for row in conflicts["rows"]
            for cell in row["cells"] if cell["hit"]]
    assert hits == [("OVERWRITE", "F")]
    assert sum(len(row["cells"]) for row in conflicts["rows"]) == 25
    assert embedded.page("/coord/table?name=c.absent")[0] == 404
    assert embedded.metric("catalogd_coord_txns_committed_total") == 2
    assert embedded.metric("catalogd_coord_conflicts_total") == 1
    assert embedded.metric("catalogd_coord_open_txns") == 2
    assert embedded.metric("catalogd_coord_least_lease_seconds") > 0
    assert "c.t" in embedded.ctl_text("coord", "conflicts")
    assert "explain" in embedded.ctl_text("coord", "--help")


def test_without_coordination_every_call_says_so(start_daemon):
    daemon = start_daemon("--coordination", "off")
    with Coord(daemon.port, "c.t") as coord, refused("UNSUPPORTED"):
        coord.register()
    assert "--coordination off" in daemon.page("/coord")[1]
    assert daemon.metric("catalogd_coord_up") == 0


def test_a_broken_store_stops_coordination_alone(start_daemon, tmp_path):
    state = tmp_path / "broken"
    state.mkdir()
    with sqlite3.connect(state / "coord.db") as other:
        other.execute("CREATE TABLE something (x)")
    daemon = start_daemon(state_dir=state)
    assert any("coord.db" in warning for warning in daemon.status()["warnings"])
    with Coord(daemon.port, "c.t") as coord, refused("TIMELINE_CORRUPT.*coord.db"):
        coord.register()
    daemon.wait()


def test_a_real_metastore_shows_commits_and_foreign_parameters_survive(hms, daemon, db, direct):
    """Hive 4 compares before it alters, the others do not; each commit is there all the same."""
    direct.create_table(metastore.table(db, "t"))
    change_table(direct, db, "t", parameters={"note": "stays"})
    daemon.wait()
    with Coord(daemon.port, f"{db}.t") as coord:
        table = coord.register(accept_no_cas=True)
        assert table.cas == (not hms.version.has_old_methods)
        assert write_base(coord).id_version == 1
        assert write_log(coord, None).id_version == 2

        def is_there(_):  # At once where the metastore compares, else soon.
            published = get_table(direct, db, "t").parameters
            assert published["note"] == "stays"
            return published[STATE].startswith(f"{table.table_id}:{table.epoch}:2:")
        if table.cas:
            assert is_there(None)
        daemon.eventually(is_there)
        assert not [name for name in direct.get_all_tables(db) if name.startswith("catalogd_probe")]
        coord.call("unregister_table", "UnregisterTableRequest", force=True)
