"""A metastore that judges each user's reads: nobody is shown through the daemon's cache what it
would refuse him.

The listener judges by the rights on a table's directory. 3.1.3 has no place for it here: its server
comes without Hive's query part.
"""
import os

import pytest

from support import metastore
from support.hms import Hms
from support.metastore import change_table, get_table, t

LISTENER = "org.apache.hadoop.hive.ql.security.authorization"
JUDGES = {
    "hive.metastore.pre.event.listeners": f"{LISTENER}.AuthorizationPreEventListener",
    "hive.security.metastore.authorization.manager":
        f"{LISTENER}.StorageBasedAuthorizationProvider",
    "hive.security.metastore.authenticator.manager":
        "org.apache.hadoop.hive.ql.security.HadoopDefaultMetastoreAuthenticator",
    "hive.security.metastore.authorization.auth.reads": "true",
}


class Place:
    """One table, whose directory only its owner may read."""

    def __init__(self, server, daemon):
        self.server, self.daemon = server, daemon
        with metastore.connect(server.port) as owner:
            owner.create_database(metastore.database("sec"))
            owner.create_table(metastore.table("sec", "t"))
            self.path = get_table(owner, "sec", "t").sd.location.removeprefix("file:")
        os.chmod(self.path, 0o700)
        daemon.wait()
        daemon.ctl("sync", "sec.t")

    def read_as(self, user, port):
        with metastore.connect(port) as client:
            client.set_ugi(user, ["nobodys"])
            try:
                return get_table(client, "sec", "t").tableName
            except Exception as refusal:  # Its kind is the server's own.
                return "refused" if "ermission" in str(refusal) else str(refusal)

    def from_cache(self):
        return self.daemon.metric("catalogd_cached_answers_total")


@pytest.fixture(scope="module", params=["4.2.0", "2.3.10"])
def judging(request):
    with Hms(request.param, JUDGES) as server:
        yield server


@pytest.fixture
def place(judging, start_daemon):
    with metastore.connect(judging.port) as owner:
        if "sec" in owner.get_all_databases():
            owner.drop_database("sec", True, True)
    return lambda *options: Place(judging, start_daemon("--metastore", judging.uri, *options))


def test_only_whom_the_metastore_shows_it_sees_a_table(place):
    here = place()
    straight, through = here.server.port, here.daemon.port
    assert here.read_as("alice", straight) == "refused"
    # From the cache once the log was read after the metastore's own answer.
    here.daemon.eventually(lambda _: here.read_as("root", through) == "t" and here.from_cache())
    before = here.from_cache()
    for _ in range(3):
        assert here.read_as("alice", through) == "refused"
    assert here.from_cache() == before
    os.chmod(here.path, 0o755)
    assert here.read_as("alice", through) == "t"
    found = {finding["check"]: finding for finding in here.daemon.ctl("doctor")["findings"]}
    assert "for each user" in found["read authorization"]["text"]


def test_without_authorization_everybody_is_shown_everything(place):
    here = place("--authorization", "none")
    assert here.read_as("alice", here.server.port) == "refused"
    assert here.read_as("alice", here.daemon.port) == "t"
    found = {finding["check"]: finding for finding in here.daemon.ctl("doctor")["findings"]}
    assert found["read authorization"]["level"] == "warning"


def test_what_became_public_does_not_open_the_private_version_before_it(place):
    here = place("--poll-interval", "10m")
    with metastore.connect(here.server.port) as owner:
        for number in range(3):
            secret = f"secret {number}"
            change_table(owner, "sec", "t", parameters={"word": secret})
            os.chmod(here.path, 0o700)
            here.daemon.wait()
            change_table(owner, "sec", "t", parameters={"word": "public"})
            os.chmod(here.path, 0o755)
            for _ in range(3):
                with metastore.connect(here.daemon.port) as client:
                    client.set_ugi("alice", ["nobodys"])
                    assert get_table(client, "sec", "t").parameters["word"] == "public"


def test_an_expected_parameter_tells_nothing_to_whom_the_table_is_not_shown(place):
    here = place()
    with metastore.connect(here.server.port) as owner:
        change_table(owner, "sec", "t", parameters={"cas": "TOPSECRET"})
        table = get_table(owner, "sec", "t")
    context = t.EnvironmentContext({"expected_parameter_key": "cas",
                                    "expected_parameter_value": "guess"})
    with metastore.connect(here.daemon.port) as client:
        client.set_ugi("alice", ["nobodys"])
        with pytest.raises(Exception) as refusal:
            client.alter_table_with_environment_context("sec", "t", table, context)
    assert "TOPSECRET" not in str(refusal.value)
