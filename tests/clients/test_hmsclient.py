"""hmsclient, whose stubs are those of Hive 2.3, also before a metastore that dropped the old
methods."""
import pytest
from hmsclient import hmsclient
from hmsclient.genthrift.hive_metastore import ttypes
from thrift.Thrift import TApplicationException

from life import hive_life
from plain_client import PlainClient
from support import metastore

VERSION = "0.1.1"


def client_at(port):
    return hmsclient.HMSClient(host="127.0.0.1", port=port)


@pytest.fixture
def table(direct, daemon, db):
    direct.create_table(metastore.table(db, "one", [("day", "string")], parameters={"note": "1"}))
    direct.append_partition(db, "one", ["x"])
    daemon.wait()
    return db, "one"


@pytest.mark.on_backends("4.2.0")
def test_straight_at_the_metastore_it_cannot_read_tables(hms, table):
    with client_at(hms.port) as client, pytest.raises(TApplicationException, match="get_table"):
        client.get_table(*table)


def test_through_the_daemon_it_reads_and_writes(daemon, table):
    with client_at(daemon.port) as client:
        found = client.get_table(*table)
        assert found.parameters["note"] == "1"
        assert [p.values for p in client.get_partitions(*table, -1)] == [["x"]]
        found.parameters["note"] = "2"
        client.alter_table(*table, found)
        assert client.get_table(*table).parameters["note"] == "2"
        assert client.get_table_objects_by_name(table[0], ["one"])[0].parameters["note"] == "2"
        client.drop_table(*table, True)
        assert client.get_all_tables(table[0]) == []


def test_whole_life(backend, new_name):
    with client_at(backend.port) as client:
        hive_life(PlainClient(client, ttypes, old_calls=True), backend, new_name)
