"""`catalogctl subscribe` and `events --follow`: every change, in order, and a notice where some are
missing."""
import json
import subprocess

import pytest

from support import metastore
from support.daemon import BIN, ENVIRONMENT
from support.metastore import change_table


class Following:
    """A command of catalogctl that goes on, line by line."""

    def __init__(self, daemon, *arguments):
        self.process = subprocess.Popen(
            [str(BIN / "catalogctl"), "--port", str(daemon.port), "--json", *arguments],
            stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def until(self, condition):
        """All lines up to the first that fulfils a condition."""
        lines = []
        for line in self.process.stdout:
            lines.append(json.loads(line))
            if condition(lines[-1]):
                return lines
        raise AssertionError(f"the command ended after {lines}")


class Replica:
    """What a follower knows: rebuilt from a dump and the changes behind it."""

    def __init__(self):
        self.objects = {}
        self.version = 0

    def take(self, line):
        if line["kind"] == "dump":
            self.objects, self.version = {}, line["catalog_version"]
        elif line["kind"] in ("object", "delta"):
            if line["kind"] == "delta":
                assert line["catalog_version"] >= self.version, "out of order"
                self.version = line["catalog_version"]
            known = self.objects.get(line["name"])
            if known and known["catalog_version"] >= line["catalog_version"]:
                return
            if line["state"] == "absent":
                self.objects.pop(line["name"], None)
            else:
                self.objects[line["name"]] = {key: line[key] for key in (
                    "catalog_version", "state", "synced_event_id", "partitions")}


def replica_of(lines):
    replica = Replica()
    for line in lines:
        replica.take(line)
    return replica


def dump(daemon):
    text = daemon.ctl_text("subscribe", "--json")
    return [json.loads(line) for line in text.splitlines()]


def of_database(objects, db):
    return {name: known for name, known in objects.items() if name.split(".")[0] == db}


def test_changes_rebuild_what_the_daemon_knows(daemon, direct, through, db):
    daemon.wait()
    with Following(daemon, "subscribe", "--follow") as following:
        lines = following.until(lambda line: line["kind"] == "dump_end")
        direct.create_table(metastore.table(db, "a", [("day", "string")]))
        direct.append_partition(db, "a", ["1"])
        through.create_table(metastore.table(db, "b"))
        change_table(direct, db, "a", tableName="c")
        through.drop_table(db, "b", True)
        direct.create_table(metastore.table(db, "last"))
        daemon.wait()
        lines += following.until(lambda line: line.get("name") == f"{db}.last")
    mine = [line for line in lines if line["kind"] == "delta" and line["database"] == db]
    assert {line["table"] for line in mine} >= {"a", "b", "c", "last"}
    assert any(line["partitions_changed"] for line in mine)
    now = replica_of(dump(daemon)).objects
    assert set(of_database(replica_of(lines).objects, db)) == set(of_database(now, db))


def test_replay_from_a_version(daemon, direct, db):
    daemon.wait()
    early = dump(daemon)
    direct.create_table(metastore.table(db, "later"))
    daemon.wait()
    replica = replica_of(early)
    text = daemon.ctl_text("subscribe", "--from", str(replica.version), "--json")
    deltas = [json.loads(line) for line in text.splitlines()]
    assert deltas and all(line["kind"] == "delta" for line in deltas)
    for line in deltas:
        replica.take(line)
    now = replica_of(dump(daemon))
    assert of_database(replica.objects, db) == of_database(now.objects, db)
    assert "later" in daemon.ctl_text("subscribe", "--from", str(early[0]["catalog_version"]))


@pytest.mark.parametrize("version", [1, 2**60])
def test_a_position_that_is_not_kept_is_a_gap_and_starts_over(daemon, db, version):
    daemon.wait()
    text = daemon.ctl_text("subscribe", "--from", str(version), "--json")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["kind"] for line in lines[:2]] == ["gap", "dump"]
    assert db in {line.get("name") for line in lines}
    assert "gap" in daemon.ctl_text("subscribe", "--from", str(version)).splitlines()[0]


def test_a_reset_is_a_gap_for_those_who_follow(hms, start_daemon, db):
    daemon = start_daemon("--metastore", hms.uri)
    daemon.wait()
    with Following(daemon, "subscribe", "--follow") as following:
        following.until(lambda line: line["kind"] == "dump_end")
        daemon.ctl("reset", "--reason", "a test")
        lines = following.until(lambda line: line["kind"] == "gap")
        assert "catalog_version" in lines[-1]
        found = following.until(lambda line: line.get("name") == db)
        assert found[0]["kind"] == "dump"


def test_events_as_they_happen(daemon, direct, db):
    daemon.wait()
    with Following(daemon, "events", db, "--follow", "--limit", "5") as following:
        direct.create_table(metastore.table(db, "seen"))
        lines = following.until(lambda line: line.get("name") == f"{db}.seen")
    assert lines[-1]["type"] == "CREATE_TABLE"
    assert [line["sequence"] for line in lines] == sorted(line["sequence"] for line in lines)


def test_configuration_for_programs(daemon):
    ran = subprocess.run([str(BIN / "catalogd"), "config", "--json", "--port", "1234"],
                         capture_output=True, text=True, check=True, env=ENVIRONMENT)
    rows = {row["name"]: row for row in json.loads(ran.stdout)}
    assert rows["port"]["value"] == "1234" and rows["port"]["origin"] == "flag --port"
    assert set(rows) == {row["name"] for row in daemon.ctl("config")}
