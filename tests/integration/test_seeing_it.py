"""Pages, metrics and the command line tell the same, about real objects."""
import json

import pytest

from support import metastore
from support.daemon import CommandFailed
from support.metastore import change_table


@pytest.fixture
def known(daemon, through, db):
    through.create_table(metastore.table(db, "shown", [("day", "string")]))
    through.append_partition(db, "shown", ["x"])
    change_table(through, db, "shown", parameters={"note": "<b>bold & loud</b>"})
    return f"{db}.shown"


def test_status(daemon, known):
    status = daemon.status()
    for field in ("ready", "watermark", "latest_event_id", "lag_events", "lag_seconds"):
        assert field in status
    assert status["ready"] is True
    assert status["watermark"] <= status["latest_event_id"]
    assert status["lag_seconds"] >= 0
    assert "ready" in daemon.ctl_text("status")


def test_get_with_and_without_the_kind(daemon, known):
    info = daemon.ctl("get", "table", known)
    assert info["state"] == "present"
    assert info["synced_event_id"] > 0 and info["catalog_version"] > 0
    assert info["partitions"] == 1
    assert daemon.ctl("get", known)["synced_event_id"] == info["synced_event_id"]
    assert known in daemon.ctl_text("get", "table", known)
    database = known.split(".", maxsplit=1)[0]
    assert daemon.ctl("get", "database", database)["state"] in ("present", "stub")


def test_get_of_nothing_and_of_nonsense(daemon, db):
    for name, code in ((f"{db}.nowhere", 3), (f"{db}.", 2), ("", 2)):
        with pytest.raises(CommandFailed) as failure:
            daemon.ctl_text("get", name)
        assert failure.value.code == code, failure.value
        assert name in failure.value.text


def test_list(daemon, known):
    db, table = known.split(".")
    listed = daemon.ctl("list", db)
    assert listed["exact"] is True
    assert [entry["name"].split(".")[-1] for entry in listed["objects"]] == [table]
    assert any(entry["name"].split(".")[-1] == db for entry in daemon.ctl("list")["objects"])
    assert daemon.ctl("list", db, "--filter", "no such")["objects"] == []


def test_events_of_one_object_newest_first(daemon, known):
    daemon.wait()
    events = daemon.ctl("events", known)
    types = [event["type"] for event in events]
    for kind in ("CREATE_TABLE", "ADD_PARTITION", "ALTER_TABLE"):
        assert kind in types
    ids = [event["event_id"] for event in events]
    assert ids == sorted(ids, reverse=True)
    assert "CREATE_TABLE" in daemon.ctl_text("events", known)


def test_sync_reads_again(daemon, known):
    before = daemon.metric("catalogd_object_reads_total")
    assert daemon.ctl("sync", known)["state"] == "present"
    assert daemon.metric("catalogd_object_reads_total") > before


def test_wait_that_can_not_succeed_times_out_with_its_own_code(daemon, known):
    far = daemon.status()["latest_event_id"] + 1000000
    with pytest.raises(CommandFailed) as failure:
        daemon.ctl_text("--timeout", "1", "wait", "--event", str(far))
    assert failure.value.code in (2, 8)
    assert str(far) in failure.value.text


@pytest.mark.parametrize("path", ["/", "/events", "/catalog", "/catalog?db={db}",
                                  "/object?name={name}", "/locks", "/config", "/livez", "/readyz",
                                  "/metrics"])
def test_each_page_is_there(daemon, known, path):
    db = known.split(".", maxsplit=1)[0]
    code, body = daemon.page(path.format(db=db, name=known))
    assert code == 200 and body


@pytest.mark.parametrize("path", ["/", "/events", "/catalog", "/object?name={name}", "/locks",
                                  "/config"])
def test_each_page_is_also_json(daemon, known, path):
    path = path.format(name=known)
    code, body = daemon.page(path + ("&" if "?" in path else "?") + "json")
    assert code == 200
    assert json.loads(body) is not None


def test_pages_show_what_they_are_about_and_escape_it(daemon, known):
    db, _ = known.split(".")
    daemon.wait()
    assert db in daemon.page("/catalog")[1]
    assert "shown" in daemon.page(f"/catalog?db={db}")[1]
    body = daemon.page(f"/object?name={known}")[1]
    assert "&lt;b&gt;bold &amp; loud&lt;/b&gt;" in body and "<b>bold" not in body
    assert known in daemon.page("/events")[1]
    assert "http://" not in daemon.page("/")[1].replace("http://127.0.0.1", "")


def test_pages_that_are_not_there(daemon):
    assert daemon.page("/nowhere")[0] == 404
    assert daemon.page("/object?name=no.such")[0] == 404
    assert daemon.page("/object?name=..")[0] == 400
    assert daemon.page("/events?limit=many")[0] == 400


def test_metrics_are_prometheus_text(daemon, known):
    samples = daemon.metrics()
    for name in ("catalogd_ready", "catalogd_watermark_event_id", "catalogd_lag_events",
                 "catalogd_object_reads_total", "catalogd_ddls_total"):
        assert any(sample == name for sample, _ in samples), name
    assert daemon.metric("catalogd_ready") == 1
    text = daemon.page("/metrics")[1]
    for line in text.splitlines():
        assert line.startswith("# ") or len(line.rsplit(" ", 1)) == 2
    assert known not in text  # No label ever holds a table's name.
