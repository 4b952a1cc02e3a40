"""The embedded metastore answers a list of calls as a real one of the version that it follows."""
import re

import pytest
from pymetastore.hive_metastore import ThriftHiveMetastore as Methods
from pymetastore.hive_metastore import ttypes as t
from thrift.protocol import TBinaryProtocol
from thrift.transport import TTransport

from support.metastore import columns, storage
from support.raw import outcome
from test_embedded import MetastoreServer
from thrift_binary import Reader
from thrift_connection import Connection

FOLLOWED = "4.2.0"
KEYS = columns(("p", "string"), ("q", "int"))
PLAIN = columns(("id", "bigint"), ("name", "string"))


def arguments(method, **values):
    """The argument struct of a call; what is not given is not sent."""
    buffer = TTransport.TMemoryBuffer()
    getattr(Methods, method + "_args")(**values).write(TBinaryProtocol.TBinaryProtocol(buffer))
    return Reader(buffer.getvalue()).struct()


def in_order(value):
    if not isinstance(value, tuple):
        return value
    if value[:1] == ("list",):
        return ("list", *sorted(value[1:]))
    return tuple(in_order(part) for part in value)


class Side:
    """One of the two servers, with what its answers are stripped of."""

    def __init__(self, port, warehouse):
        self.port, self.warehouse = port, str(warehouse)

    def answer(self, method, call):
        """Normalised: where the warehouse is, times of now, the order of table names."""
        with Connection(self.port) as connection:
            found = outcome(connection, method, call)
        text = repr(in_order(found) if method == "get_tables" else found)
        text = re.sub("(file:)?" + re.escape(self.warehouse), "WAREHOUSE", text)
        return re.sub(r"\b1[78]\d{8}\b", "TIME", text)


@pytest.fixture(scope="module")
def sides(hms, tmp_path_factory):
    state = tmp_path_factory.mktemp("followed")
    with MetastoreServer(state) as server:
        yield Side(hms.port, hms.home / "warehouse"), Side(server.port, state / "warehouse")


def check(sides, calls):
    real, embedded = sides
    different = []
    for method, values in calls:
        call = arguments(method, **values)
        expected, found = real.answer(method, call), embedded.answer(method, call)
        if expected != found:
            different.append(f"{method} {values}\n  metastore: {expected}\n  embedded:  {found}")
    assert not different, "\n".join(different)


def table(db, name, **changes):
    made = t.Table(tableName=name, dbName=db, owner="tester", createTime=0, lastAccessTime=0,
                   retention=0, sd=storage(PLAIN), partitionKeys=[],
                   parameters={"EXTERNAL": "TRUE"}, tableType="EXTERNAL_TABLE")
    for field, value in changes.items():
        owner = made.sd if hasattr(made.sd, field) and not hasattr(made, field) else made
        setattr(owner, field, value)
    return made


def partition(db, name, values):
    return t.Partition(values=values, dbName=db, tableName=name, createTime=0, lastAccessTime=0,
                       sd=storage(PLAIN), parameters={})


def get_table(db, name):
    return "get_table_req", {"req": t.GetTableRequest(dbName=db, tblName=name)}


def start(db):
    return [("create_database", {"database": t.Database(name=db)}),
            ("create_table", {"tbl": table(db, "two", partitionKeys=KEYS)})]


pytestmark = pytest.mark.parametrize("hms", [FOLLOWED], indirect=True)


def test_databases_of_every_name(sides):
    for name in ["da b", "da.b", "da-b", "da'b", "..", "d$1", "dtab\tname"]:
        check(sides, [("create_database", {"database": t.Database(name=name)}),
                      ("get_database", {"name": name}),
                      ("drop_database", {"name": name, "deleteData": True, "cascade": True})])
    check(sides, [("create_database", {"database": t.Database()}),
                  ("get_database", {}), ("get_database", {"name": "@hive#"}),
                  ("create_database", {"database": t.Database(name="rel", locationUri="a/b")})])


def test_tables_of_every_name_and_kind(sides):
    db = "e_tables"
    calls = start(db)
    for name in ["a b", "a.b", ".", "..", "a/b", "q't", "T Up", "", "tab\tle"]:
        calls += [("create_table", {"tbl": table(db, name)}), get_table(db, name)]
    for kind in ["INT", "int ", "array<int", "struct<>", "nosuch", "array<nosuch>", "dec",
                 "timestamp with time zone"]:
        calls += [("create_table", {"tbl": table(db, "typed", cols=columns(("a", kind)))}),
                  ("drop_table", {"dbname": db, "name": "typed", "deleteData": True})]
    for change in [{"location": ""}, {"location": "a/b"}, {"location": "file:a"},
                   {"serdeInfo": None}, {"skewedInfo": t.SkewedInfo(["zz"], [["1"]], {})},
                   {"partitionKeys": columns(("id", "int"))},
                   {"partitionKeys": columns(("p", "nosuch"))}]:
        calls += [("create_table", {"tbl": table(db, "changed", **change)}),
                  get_table(db, "changed"),
                  ("drop_table", {"dbname": db, "name": "changed", "deleteData": True})]
    for pattern in ["", "*", "t*", "T*", "t.o", "a\\.b", "t[w]o", "[", "t?", "two|", None]:
        calls += [("get_tables", {"db_name": db, "pattern": pattern})]
    for kind in ["EXTERNAL_TABLE", "external_table", "FOO", ""]:
        calls += [("get_tables_by_type", {"db_name": db, "pattern": "*", "tableType": kind})]
    calls += [get_table("NoDb", "NoTable"), ("create_table", {"tbl": table("NoDb", "t")}),
              ("create_table", {"tbl": table(db, "TWO")}),
              ("drop_table", {"dbname": "NoDb", "name": "x", "deleteData": False})]
    check(sides, calls)


def test_partitions_by_every_name(sides):
    db = "e_parts"
    calls = start(db)
    for values in [["a", "1"], ["a b", "3"], ["a/b", "4"], ["", "11"], ["x:y", "8"]]:
        calls += [("add_partition", {"new_part": partition(db, "two", values)}),
                  ("get_partition", {"db_name": db, "tbl_name": "two", "part_vals": values})]
    at = {"db_name": db, "tbl_name": "two"}
    for name in ["p=a/q=1", "P=a/Q=1", "p=a", "q=1/p=a", "p=a/q=1/", "", "p=/q=11", "nonsense",
                 "p=a/q=1/r=2", "p=a/b/q=4", "p==a/q=1", "p=b/p=a/q=1", "p=%41/q=1"]:
        calls += [("get_partition_by_name", {**at, "part_name": name}),
                  ("partition_name_to_vals", {"part_name": name}),
                  ("partition_name_to_spec", {"part_name": name})]
    for values in [["a"], ["a", "1", "2"], [], ["", ""], ["A", "1"]]:
        calls += [("get_partition", {**at, "part_vals": values}),
                  ("get_partitions_ps", {**at, "part_vals": values, "max_parts": -1}),
                  ("drop_partition", {**at, "part_vals": ["no", *values], "deleteData": False}),
                  ("append_partition", {**at, "part_vals": values[:1]})]
    for name in ["p=n", "P=n/Q=1", "", "p=n/q=1"]:
        calls += [("append_partition_by_name", {**at, "part_name": name})]
    for name in ["p=n", "", "p=no/q=1"]:
        calls += [("drop_partition_by_name", {**at, "part_name": name, "deleteData": False})]
    for name in ["None", ""]:
        gone = {"db_name": db, "tbl_name": name}
        calls += [("get_partition_names", {**gone, "max_parts": -1}),
                  ("get_partitions", {**gone, "max_parts": -1}),
                  ("get_partition", {**gone, "part_vals": ["1"]}),
                  ("get_partition_by_name", {**gone, "part_name": "p=1"}),
                  ("get_partitions_by_names", {**gone, "names": ["p=1"]}),
                  ("append_partition", {**gone, "part_vals": ["1"]}),
                  ("drop_partition", {**gone, "part_vals": ["1"], "deleteData": False})]
    calls += [("add_partitions", {}), ("add_partition", {}),
              ("get_partition_names", {**at, "max_parts": -1})]
    check(sides, calls)
