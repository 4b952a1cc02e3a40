"""Where exactness can't be shown the daemon is a pure proxy, and says why."""
import time

import pytest

from support import metastore
from support.daemon import CommandFailed
from support.hms import JSON_MESSAGES, NO_LISTENER, REFUSED_LOG, Hms, cleaned_log
from support.metastore import change_table, get_table
from support.raw import assert_all_same, database_reads, table_reads

# 2.3 refuses its log to nobody.
REFUSING = ["4.2.0", "3.1.3"]
VERSIONS = [*REFUSING, "2.3.10"]


def assert_pure_proxy(daemon, server, word):
    """It says why everywhere, and answers rightly all the same."""
    status = daemon.eventually(lambda s: s["pure_proxy"])
    assert status["ready"] is False
    assert word in status["reason"].lower()
    code, body = daemon.page("/readyz")
    assert code == 503 and word in body.lower()
    assert word in daemon.page("/")[1].lower()
    with pytest.raises(CommandFailed) as failure:
        daemon.ctl_text("doctor")
    assert failure.value.code == 5
    with metastore.connect(daemon.port) as client, metastore.connect(server.port) as direct:
        client.create_database(metastore.database("proxied"))
        client.create_table(metastore.table("proxied", "t"))
        assert_all_same(server.port, daemon.port, table_reads("proxied", "t"))
        # Changes that no log tells of are seen at once.
        change_table(direct, "proxied", "t", parameters={"note": "direct"})
        assert get_table(client, "proxied", "t").parameters["note"] == "direct"
        direct.drop_table("proxied", "t", True)
        assert_all_same(server.port, daemon.port,
                        table_reads("proxied", "t") + database_reads("proxied"))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_metastore_without_listener(version, start_daemon):
    with Hms(version, NO_LISTENER) as server:
        daemon = start_daemon("--metastore", server.uri)
        assert_pure_proxy(daemon, server, "listener")


@pytest.mark.parametrize("version", REFUSING)
def test_a_metastore_that_refuses_its_log(version, start_daemon):
    with Hms(version, REFUSED_LOG) as server:
        daemon = start_daemon("--metastore", server.uri)
        assert_pure_proxy(daemon, server, "notification")


def test_doctor_is_content_with_a_good_metastore(daemon):
    report = daemon.ctl("doctor")
    assert report["exact"] is True
    assert report["findings"]
    assert {finding["level"] for finding in report["findings"]} <= {"ok", "warning"}
    assert "listener" in daemon.ctl_text("doctor")


def test_read_mode_passthrough_by_option(hms, start_daemon, direct, db):
    direct.create_table(metastore.table(db, "t", parameters={"note": "old"}))
    daemon = start_daemon("--metastore", hms.uri, "--read-mode", "passthrough", "--poll-interval",
                          "10m")
    with metastore.connect(daemon.port) as client:
        assert get_table(client, db, "t").parameters["note"] == "old"
        change_table(direct, db, "t", parameters={"note": "new"})
        assert get_table(client, db, "t").parameters["note"] == "new"
    assert daemon.status()["read_mode"] == "passthrough"


def note_read_by_a_new_client(daemon, db, name):
    """On a connection of its own: what one has read through must not go back elsewhere either."""
    with metastore.connect(daemon.port) as client:
        return get_table(client, db, name).parameters["note"]


@pytest.mark.parametrize("scope", ["daemon", "database", "table"])
def test_read_mode_passthrough_at_run_time(hms, start_daemon, direct, db, scope):
    direct.create_table(metastore.table(db, "t", parameters={"note": "0"}))
    direct.create_table(metastore.table(db, "other", parameters={"note": "0"}))
    daemon = start_daemon("--metastore", hms.uri, "--poll-interval", "10m")
    daemon.wait()
    names = {"daemon": [], "database": [db], "table": [f"{db}.t"]}[scope]

    value = 0

    def reads_show(expected):
        # A fetch that `wait` has asked for may come after the change and show it: then once more.
        nonlocal value
        for _ in range(5):
            daemon.wait()
            old, value = str(value), value + 1
            for name in ("t", "other"):
                change_table(direct, db, name, parameters={"note": str(value)})
            notes = [note_read_by_a_new_client(daemon, db, name) for name in ("t", "other")]
            if notes == expected(old, str(value)):
                return True
        return False

    for name in ("t", "other"):
        daemon.ctl("sync", f"{db}.{name}")
    assert reads_show(lambda old, new: [old, old])
    daemon.ctl("read-mode", "passthrough", *names)
    assert reads_show(lambda old, new: [new, old] if scope == "table" else [new, new])
    daemon.ctl("read-mode", "default" if names else "cached", *names)
    assert reads_show(lambda old, new: [old, old])


def test_json_messages_of_a_new_server(start_daemon):
    with Hms("4.2.0", JSON_MESSAGES) as server:
        daemon = start_daemon("--metastore", server.uri)
        with metastore.connect(server.port) as direct:
            direct.create_database(metastore.database("j"))
            direct.create_table(metastore.table("j", "t", [("day", "string")]))
            direct.append_partition("j", "t", ["x"])
            change_table(direct, "j", "t", parameters={"note": "x"})
        daemon.wait()
        assert_all_same(server.port, daemon.port, table_reads("j", "t"))
        assert daemon.get("j.t")["state"] == "present"


def test_a_log_that_was_cut_off_behind_a_stopped_daemon(start_daemon, tmp_path):
    """The events in between are gone: nothing old may be served, everything heals."""
    with Hms("4.2.0", cleaned_log("1s", "1s")) as server, \
            metastore.connect(server.port) as direct:
        direct.create_database(metastore.database("c"))
        direct.create_table(metastore.table("c", "t", parameters={"note": "old"}))
        daemon = start_daemon("--metastore", server.uri, state_dir=tmp_path / "kept")
        daemon.wait()
        daemon.ctl("pause")
        change_table(direct, "c", "t", parameters={"note": "new"})
        direct.create_table(metastore.table("c", "more"))
        wait_until_cleaned(direct)
        daemon.ctl("resume")
        current = metastore.current_event(direct)
        daemon.eventually(lambda s: s["ready"] and s["watermark"] >= current)
        daemon.wait()
        assert_all_same(server.port, daemon.port, table_reads("c", "t") + table_reads("c", "more") +
                        database_reads("c"))


def wait_until_cleaned(client):
    for _ in range(600):
        if not metastore.events_after(client, 0):
            return
        time.sleep(0.05)
    raise AssertionError("the metastore did not clean its log")


def test_another_metastore_at_the_same_address_starts_a_new_epoch(start_daemon, tmp_path):
    """Its ids begin again at 1 and mean something else."""
    with Hms("3.1.3") as first:
        port = first.port
        with metastore.connect(port) as direct:
            direct.create_database(metastore.database("e"))
            direct.create_table(metastore.table("e", "t", parameters={"note": "first"}))
        daemon = start_daemon("--metastore", first.uri, state_dir=tmp_path / "kept")
        daemon.wait()
        epoch = daemon.status()["epoch"]
        version = daemon.get("e.t")["catalog_version"]
    with Hms("3.1.3", port=port) as second:
        with metastore.connect(port) as direct:
            direct.create_database(metastore.database("e"))
            direct.create_table(metastore.table("e", "t", parameters={"note": "second"}))
        daemon.eventually(lambda s: s["epoch"] > epoch and s["ready"])
        daemon.wait()
        assert_all_same(second.port, daemon.port, table_reads("e", "t") + database_reads("e"))
        assert daemon.get("e.t")["catalog_version"] > version
