"""Long, large and many: what is refused is refused by name, and the rest comes back whole."""
import pytest
from pymetastore.hive_metastore import ttypes as t

from support import metastore
from support.metastore import columns, get_table
from support.raw import assert_all_same, assert_same, table_reads
from test_embedded import MetastoreServer
from test_wire_input import exchange
from thrift_binary import EXCEPTION, I16, I32, List, Struct, message
from thrift_connection import ApplicationError, Connection

MIB = 1 << 20


def large_table(db, name, size=0, parameters=0, kind=0):
    table = metastore.table(db, name, [("p", "string")])
    table.parameters["schema"] = "v" * size
    table.parameters.update({f"key.{number}": f"value {number}" for number in range(parameters)})
    if kind:
        fields = ",".join(f"f{number}:int" for number in range(kind // 12))
        table.sd.cols = columns(("id", "int"), ("wide", f"struct<{fields}>"))
    return table


# SPARK-6024, HIVE-12274: schemas in parameters that were cut off at 4,000 characters.
LARGE = {"value of 4001": {"size": 4001}, "value of 1 MiB": {"size": MIB},
         "2,000 parameters": {"parameters": 2000}, "type of 1 MiB": {"kind": MIB}}


@pytest.mark.parametrize("who", ["others", "own"])
@pytest.mark.parametrize("what", LARGE)
def test_a_large_table_is_whole_or_refused(hms, daemon, direct, through, db, who, what):
    client = direct if who == "others" else through
    table = large_table(db, "t", **LARGE[what])
    try:
        client.create_table(table)
    except t.MetaException as refused:
        assert what == "type of 1 MiB" and "maximum length" in refused.message
        assert_all_same(hms.port, daemon.port, table_reads(db, "t"))
        return
    daemon.wait()
    with metastore.connect(daemon.port) as reader:
        found = get_table(reader, db, "t")
        assert {**found.parameters, **table.parameters} == found.parameters
        assert found.sd.cols == table.sd.cols
    assert_all_same(hms.port, daemon.port, table_reads(db, "t"))
    daemon.ctl("sync", f"{db}.t")
    assert_all_same(hms.port, daemon.port, table_reads(db, "t"))


@pytest.mark.parametrize("hms", ["4.2.0"], indirect=True)
@pytest.mark.parametrize("what", [*LARGE, "value of 16 MiB"])
def test_the_embedded_metastore_keeps_a_large_table_whole(hms, tmp_path, what):
    table = large_table("default", "t", **LARGE.get(what, {"size": 16 * MIB}))
    with MetastoreServer(tmp_path / "state") as server:
        with metastore.connect(server.port) as client:
            client.create_table(table)
            found = get_table(client, "default", "t")
            assert {**found.parameters, **table.parameters} == found.parameters
            assert found.sd.cols == table.sd.cols
            (created,) = metastore.events_after(client, 0)
            assert len(created.message) > len(repr(table)) / 2


# Airflow#7963, HIVE-27667: the largest 16-bit number was taken for "all", and tables were cut.
@pytest.mark.parametrize("loaded", [True, False])
def test_how_many_partitions_are_asked_for(hms, daemon, direct, db, loaded):
    direct.create_table(metastore.table(db, "t", [("p", "string"), ("q", "int")]))
    made = [metastore.partition(direct, db, "t", [f"a{n % 4}", str(n)]) for n in range(40)]
    direct.add_partitions(made)
    daemon.wait()
    if loaded:
        daemon.ctl("sync", f"{db}.t")
    at = {1: db, 2: "t"}
    for most in (-1, 0, 1, 39, 40, 41, 32767, -2, -32768):
        for method, arguments in [
                ("get_partition_names", {**at, 3: I16(most)}),
                ("get_partitions", {**at, 3: I16(most)}),
                ("get_partitions_pspec", {**at, 3: I32(most)}),
                ("get_partition_names_ps", {**at, 3: List(["a1", ""]), 4: I16(most)}),
                ("get_partitions_by_filter", {**at, 3: 'p = "a1"', 4: I16(most)}),
                ("get_partitions_with_auth", {**at, 3: I16(most), 4: "u", 5: List(["g"])})]:
            # How many there are is told; which of them, where the metastore's order is its own.
            ordered = most < 0 or most >= 40 or method in ("get_partition_names", "get_partitions")
            if ordered:
                assert_same(hms.port, daemon.port, method, Struct(arguments), in_order=False)
    for most in (32768, 100000):  # These have no room in 16 bits; requests have more.
        if not hms.version.is_before_catalogs:
            assert_same(hms.port, daemon.port, "get_partitions_pspec", Struct({**at, 3: I32(most)}),
                        in_order=False)


def test_the_largest_small_number_is_a_number(start_daemon):
    """More partitions than 16 bits count: all of them, or as many as were asked for."""
    many, most = 32800, 32767
    daemon = start_daemon()
    daemon.wait()
    with metastore.connect(daemon.port, timeout=300) as client:
        client.create_table(metastore.table("default", "t", [("p", "int")]))
        place = metastore.storage([])
        for first in range(0, many, 4100):
            client.add_partitions([
                t.Partition([str(number)], "default", "t", 0, 0, place, {})
                for number in range(first, first + 4100)])
        for _ in range(2):
            assert len(client.get_partition_names("default", "t", -1)) == many
            assert len(client.get_partition_names("default", "t", most)) == most
            daemon.ctl("sync", "default.t")
            assert daemon.get("default.t")["partitions"] == many


# SPARK-49489, HIVE-26633, HIVE-27113: limits that closed a connection without a word, and numbers
# that overflowed into the default.
SIZES = {"2147483647": True, "2147483648": False, "2GiB": False, "1GiB": True, "0": False,
         "-1": False, "1023": False, "2g": False, "": False}


@pytest.mark.parametrize("size", SIZES)
def test_a_limit_that_cannot_be_is_refused_at_the_start(start_daemon, size):
    if SIZES[size]:
        start_daemon("--max-message-size", size)
        return
    with pytest.raises(RuntimeError) as failure:
        start_daemon("--max-message-size", size)
    assert "max-message-size" in str(failure.value)


@pytest.mark.parametrize("framed", [False, True])
def test_an_answer_may_be_longer_than_a_request(hms, start_daemon, direct, db, framed):
    """The limit is for what clients send; no answer of the metastore is cut or refused for it."""
    limit = 64 << 10
    daemon = start_daemon("--metastore", hms.uri, "--max-message-size", "64KiB")
    direct.create_table(large_table(db, "t", size=limit * 4))
    daemon.wait()
    with Connection(daemon.port, framed=framed) as connection:
        for _ in range(2):  # Passed through, then from the cache.
            table = connection.call("get_table_req", Struct({1: db, 2: "t"}))[1]
            assert table[9]["schema"] == "v" * limit * 4
            daemon.ctl("sync", f"{db}.t")
        with pytest.raises(ApplicationError) as refused:
            connection.call("get_table_objects_by_name", db, List(["x" * 1000] * 200))
        assert str(limit) in refused.value.text


def test_answers_of_more_than_the_usual_hundred_megabytes(start_daemon, tmp_path):
    """Java clients take 100 MiB unless told otherwise; that is theirs to know, not the daemon's."""
    with MetastoreServer(tmp_path / "store") as server:
        with metastore.connect(server.port) as client:
            for number in range(9):
                client.create_table(large_table("default", f"t{number}", size=15 * MIB))
        daemon = start_daemon("--metastore", server.uri)
        daemon.wait()
        names = List([f"t{number}" for number in range(9)])
        with Connection(daemon.port) as connection:
            for _ in range(2):
                found = connection.call("get_table_objects_by_name_req",
                                        Struct({1: "default", 2: names}))[1]
                assert [len(table[9]["schema"]) for table in found] == [15 * MIB] * 9
                for name in names:
                    daemon.ctl("sync", f"default.{name}")


def test_a_refused_message_says_what_the_limit_is(daemon):
    head = message("get_database", Struct())[:-1] + b"\x0b\x00\x01"
    heard = exchange(daemon.port, head + (200 * MIB).to_bytes(4, "big"))
    assert heard[3] == EXCEPTION and b"get_database" in heard
    print(heard)
    assert str(100 * MIB).encode() in heard
