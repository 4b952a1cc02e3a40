"""The embedded metastore answers a list of calls as a real one of the version that it follows."""
import re

import pytest
from pymetastore.hive_metastore import ThriftHiveMetastore as Methods
from pymetastore.hive_metastore import ttypes as t
from thrift.protocol import TBinaryProtocol
from thrift.transport import TTransport

from support.metastore import columns, connect, storage
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
        """Normalised: where the warehouse is, times of now, the order of table names, and the
        number of a table, which counts all that the metastore ever had."""
        with Connection(self.port) as connection:
            found = outcome(connection, method, call)
        text = repr(in_order(found) if method == "get_tables" else found)
        text = re.sub("(file:)?" + re.escape(self.warehouse), "WAREHOUSE", text)
        text = re.sub(r"\(25, \('I64', \d+\)\)", "(25, NUMBER)", text)
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


FILTERED = columns(("p", "string"), ("q", "int"), ("d", "date"))
FILTERS = [
    'p = "a"', "'a' = p", 'P == "a"', 'p <> "a"', 'p >= "b"', '"b" > p', "q = 1", "q = 01",
    "q != 1", "q > 2", "5 >= q", "q = -5", "q = - 5", "d = 2024-01-01", 'd = "2024-01-01"',
    "d = DATE '2024-01-01'", "d > 2024-01-31", 'd != "x"', 'd < "2024-02"', 'p like "a%"',
    'p like "%b"', 'p like "_"', 'p like "x\\.y"', 'd like "2024-01%"', 'p between "a" and "b"',
    "q not between 1 and 4", "d between 2024-01-01 and '2024-01-31'", "(q) in (1, 2)",
    '(p) not in ("a", "b")', "(q) not in (1, 2)", "(d) in (2024-01-01, 2024-01-02)",
    '(struct(p,q)) in (const struct("a",1), const struct("b",-5))',
    '(struct(p,q)) not in (const struct("a",1), const struct("b",-5))',
    'p = "a" or q = 4 and p = "zz"', '(p = "a" or q = 4) and q > 1', '`p` = "a"',
    "p = 'it\\'s'", 'p = "a" junk', "q = 1.5", 'q = "__HIVE_DEFAULT_PARTITION__"',
    'q != "__HIVE_DEFAULT_PARTITION__"', "p = ''", "", "q = 9223372036854775807",
    "d < timestamp '2024-01-01 00:00:00'"]
BAD_FILTERS = ['q = "1"', "p = 1", "d = 5", "q like '1%'", '"a%" like p', 'z = "a"', "p =", "p",
               "not p = 'a'", "q in (1)", "(p = 'a'", "p <=> 'a'", "q = 99999999999999999999"]


def test_partitions_by_filter(sides):
    db = "e_filter"
    rows = [("a", "1", "2024-01-01"), ("a", "2", "2024-01-02"), ("ab", "10", "2024-02-01"),
            ("b", "-5", "2023-12-31"), ("x.y", "01", "2024-01-31"), ("A", "8", "2024-04-04"),
            ("__HIVE_DEFAULT_PARTITION__", "3", "2024-03-01"), ("it's", "5", "2024-04-01"),
            ("c", "__HIVE_DEFAULT_PARTITION__", "2024-03-02"),
            ("d", "4", "__HIVE_DEFAULT_PARTITION__")]
    check(sides, [
        ("create_database", {"database": t.Database(name=db)}),
        ("create_table", {"tbl": table(db, "t", partitionKeys=FILTERED)}),
        ("add_partitions", {"new_parts": [partition(db, "t", list(row)) for row in rows]})])
    at = {"db_name": db, "tbl_name": "t"}
    calls = [("get_partitions_by_filter", {**at, "filter": text, "max_parts": most})
             for text in FILTERS for most in (-1, 2)]
    calls += [("get_num_partitions_by_filter", {**at, "filter": text}) for text in FILTERS]
    calls += [("get_partitions_by_filter", {"db_name": db, "tbl_name": "None", "filter": "p = 'a'",
                                            "max_parts": -1})]
    check(sides, calls)
    # The texts are those of a parser generator; the kind of error is the metastore's.
    for text in BAD_FILTERS:
        call = arguments("get_partitions_by_filter", **at, filter=text, max_parts=-1)
        told = [side.answer("get_partitions_by_filter", call).replace('"', "'") for side in sides]
        # A struct, the number of its only field, and where the text begins.
        assert told[0][:50] == told[1][:50], f"{text}: {told}"


def test_functions(sides):
    db = "e_functions"

    def function(name, db_name=db, **changes):
        made = t.Function(functionName=name, dbName=db_name, className="a.B", ownerName="o",
                          ownerType=1, createTime=5, functionType=1,
                          resourceUris=[t.ResourceUri(1, "hdfs://x/a.jar")])
        for field, value in changes.items():
            setattr(made, field, value)
        return {"func": made}

    at = {"dbName": db}
    check(sides, [
        ("create_database", {"database": t.Database(name=db)}),
        ("create_function", function("Ff")), ("create_function", function("ff")),
        ("create_function", function("f g")), ("create_function", function("f", "nodb")),
        ("create_function", function("fn", className=None)),
        ("create_function", function("fr", resourceUris=None)),
        ("create_function", function("fz", None)), ("create_function", function(None)),
        ("get_function", {**at, "funcName": "FF"}), ("get_function", {**at, "funcName": "fr"}),
        ("get_function", {**at, "funcName": "None"}), ("get_function", {}),
        ("get_function", {"dbName": f"@hive#{db}", "funcName": "Ff"}),
        *(("get_functions", {**at, "pattern": pattern}) for pattern in ["*", "f", "F*", "", None]),
        ("get_functions", {"dbName": "nodb", "pattern": "*"}),
        ("alter_function",
         {**at, "funcName": "ff", "newFunc": function("gg", className="c")["func"]}),
        ("alter_function", {**at, "funcName": "gone", "newFunc": function("h")["func"]}),
        ("get_function", {**at, "funcName": "gg"}),
        ("drop_database", {"name": db, "deleteData": False, "cascade": False}),
        ("drop_function", {**at, "funcName": "gone"}), ("drop_function", {}),
        ("drop_function", {**at, "funcName": "GG"}), ("drop_function", {**at, "funcName": "gg"})])


def test_constraints(sides):
    db = "e_constraints"

    def key(column, name, table_name="c1"):
        return {"req": t.AddPrimaryKeyRequest(
            [t.SQLPrimaryKey(db, table_name, column, 1, name, True, False, True)])}

    foreign = {"req": t.AddForeignKeyRequest([t.SQLForeignKey(
        pktable_db=db, pktable_name="c1", pkcolumn_name="id", fktable_db=db, fktable_name="c2",
        fkcolumn_name="id", key_seq=1, update_rule=0, delete_rule=0, fk_name="fk1", pk_name="pk1",
        enable_cstr=True, validate_cstr=False, rely_cstr=True)])}
    unique = {"req": t.AddUniqueConstraintRequest(
        [t.SQLUniqueConstraint("hive", db, "c1", "id", 1, "u1", True, False, True)])}
    check_id = {"req": t.AddCheckConstraintRequest(
        [t.SQLCheckConstraint("hive", db, "c1", "id", "id > 0", "k1", True, False, True)])}
    default = {"req": t.AddDefaultConstraintRequest(
        [t.SQLDefaultConstraint("hive", db, "c1", "id", "7", "d1", True, False, True)])}
    not_null = {"req": t.AddNotNullConstraintRequest(
        [t.SQLNotNullConstraint("hive", db, "c1", "ID", "N1", True, False, True)])}

    def of(kind, table_name="c1"):
        return {"request": kind("hive", db, table_name)}

    check(sides, [
        ("create_database", {"database": t.Database(name=db)}),
        ("create_table", {"tbl": table(db, "c1")}), ("create_table", {"tbl": table(db, "c2")}),
        ("add_primary_key", key("id", "Pk1")), ("add_primary_key", key("name", "pk2")),
        ("add_primary_key", key("nocol", "pk3", "c2")), ("add_primary_key", key("id", "p", "none")),
        ("add_primary_key", {"req": t.AddPrimaryKeyRequest([])}),
        ("get_primary_keys", {"request": t.PrimaryKeysRequest(db_name=db, tbl_name="C1")}),
        ("get_primary_keys", {"request": t.PrimaryKeysRequest(db_name=db, tbl_name="none")}),
        ("add_foreign_key", foreign), ("add_foreign_key", foreign),
        ("get_foreign_keys", {"request": t.ForeignKeysRequest(
            parent_db_name=db, parent_tbl_name="c1", foreign_db_name=db, foreign_tbl_name="c2")}),
        ("get_foreign_keys", {"request": t.ForeignKeysRequest(
            parent_db_name=db, parent_tbl_name="c2", foreign_db_name=db, foreign_tbl_name="c2")}),
        ("add_unique_constraint", unique), ("add_unique_constraint", unique),
        ("get_unique_constraints", of(t.UniqueConstraintsRequest)),
        ("add_not_null_constraint", not_null),
        ("get_not_null_constraints", of(t.NotNullConstraintsRequest)),
        ("add_default_constraint", default),
        ("get_default_constraints", of(t.DefaultConstraintsRequest)),
        ("add_check_constraint", check_id),
        ("get_check_constraints", of(t.CheckConstraintsRequest)),
        ("get_check_constraints", of(t.CheckConstraintsRequest, "none")),
        *(("drop_constraint", {"req": t.DropConstraintRequest(db, name, constraint)})
          for name, constraint in [("c1", "gone"), ("none", "x"), ("c1", "U1"), ("c2", "fk1")]),
        ("get_unique_constraints", of(t.UniqueConstraintsRequest))])


def long_stats(column, low, high, nulls, distinct):
    data = t.LongColumnStatsData(lowValue=low, highValue=high, numNulls=nulls, numDVs=distinct)
    return t.ColumnStatisticsObj(column, "bigint", t.ColumnStatisticsData(longStats=data))


def test_column_statistics(sides):
    db = "e_statistics"

    def of(name, *objects, part=None):
        return t.ColumnStatistics(
            t.ColumnStatisticsDesc(part is None, db, name, part, 123), list(objects))

    def read(name, names):
        return "get_table_statistics_req", {"request": t.TableStatsRequest(db, name, names)}

    first = long_stats("id", 1, 9, 2, 5)
    check(sides, [
        ("create_database", {"database": t.Database(name=db)}),
        ("create_table", {"tbl": table(db, "s1")}),
        ("create_table", {"tbl": table(db, "s2", partitionKeys=columns(("p", "string")))}),
        ("add_partitions", {"new_parts": [partition(db, "s2", [p]) for p in "ab"]}),
        read("s1", ["id"]), read("none", ["id"]),
        ("update_table_column_statistics", {"stats_obj": of("s1", first)}),
        read("S1", ["ID", "name", "zz"]), read("s1", []), get_table(db, "s1"),
        ("get_table_column_statistics", {"db_name": db, "tbl_name": "s1", "col_name": "id"}),
        ("update_table_column_statistics", {"stats_obj": of("s1", long_stats("no", 1, 9, 2, 5))}),
        ("update_table_column_statistics", {"stats_obj": of("none", first)}),
        ("set_aggr_stats_for", {"request": t.SetPartitionsStatsRequest(
            colStats=[of("s1", long_stats("id", -1, 4, 1, 2))], needMerge=True)}),
        read("s1", ["id"]),
        ("set_aggr_stats_for", {"request": t.SetPartitionsStatsRequest(
            colStats=[of("s1", long_stats("id", 0, 0, 0, 0))], needMerge=False)}),
        read("s1", ["id"]),
        ("set_aggr_stats_for", {"request": t.SetPartitionsStatsRequest(colStats=[])}),
        ("update_partition_column_statistics", {"stats_obj": of("s2", first, part="p=a")}),
        ("update_partition_column_statistics", {"stats_obj": of("s2", first, part="p=none")}),
        ("get_partitions_statistics_req", {"request": t.PartitionsStatsRequest(
            db, "s2", ["id", "name"], ["p=a", "p=b", "p=c"])}),
        ("get_partitions_statistics_req", {"request": t.PartitionsStatsRequest(
            db, "none", ["id"], ["p=a"])}),
        ("get_aggr_stats_for", {"request": t.PartitionsStatsRequest(db, "s2", ["id"], [])}),
        ("get_partition", {"db_name": db, "tbl_name": "s2", "part_vals": ["a"]}),
        ("delete_partition_column_statistics",
         {"db_name": db, "tbl_name": "s2", "part_name": "p=a", "col_name": "id"}),
        ("delete_table_column_statistics", {"db_name": db, "tbl_name": "s1", "col_name": "id"}),
        ("delete_table_column_statistics", {"db_name": db, "tbl_name": "none", "col_name": "id"}),
        read("s1", ["id"])])


def test_locks_and_transactions(sides):
    def part(kind, level=2, name="t", partition_name=None):
        return t.LockComponent(type=kind, level=level, dbname="e_locks", tablename=name,
                               partitionname=partition_name)

    def lock(side, *parts, **more):
        request = t.LockRequest(component=list(parts), user="u", hostname="h", agentInfo="a",
                                **more)
        with connect(side.port) as client:
            try:
                answer = client.lock(request)
                return answer.lockid, answer.state
            except Exception as error:
                return None, repr(error)

    def life(side):
        """What a list of calls answers; ids counted from the first that the server gave."""
        first, state = lock(side, part(3))
        told = [state, lock(side, part(1))[1], lock(side, part(1, 1, None))[1],
                lock(side, part(2, 3, "u", "p=1"))[1], lock(side, part(2, 3, "u", "p=2"))[1],
                lock(side, part(3, 3, "u", "p=2"))[1], lock(side)[1],
                lock(side, part(3), txnid=7777777)[1]]
        with connect(side.port) as client:
            shown = client.show_locks(t.ShowLocksRequest(dbname="e_locks")).locks
            told += sorted((one.lockid - first, one.tablename, one.partname, one.state, one.type,
                            one.txnid, one.agentInfo, (one.blockedByExtId or first) - first)
                           for one in shown if one.tablename)
            client.unlock(t.UnlockRequest(first))
            client.unlock(t.UnlockRequest(7777777))
            told.append(client.check_lock(t.CheckLockRequest(first + 1)).state)
            for call in [lambda: client.check_lock(t.CheckLockRequest(7777777)),
                         lambda: client.heartbeat(t.HeartbeatRequest(lockid=7777777)),
                         lambda: client.heartbeat(t.HeartbeatRequest(txnid=7777777)),
                         lambda: client.heartbeat(t.HeartbeatRequest()),
                         lambda: client.commit_txn(t.CommitTxnRequest(7777777)),
                         lambda: client.abort_txn(t.AbortTxnRequest(7777777)),
                         lambda: client.open_txns(t.OpenTxnRequest(0, "u", "h"))]:
                try:
                    told.append(call())
                except Exception as error:
                    told.append(repr(error))
            one, two = client.open_txns(t.OpenTxnRequest(2, "u", "h")).txn_ids
            told.append(two - one)
            request = t.AllocateTableWriteIdsRequest(dbName="e_locks", tableName="T",
                                                     txnIds=[one, two])
            ids = client.allocate_table_write_ids(request).txnToWriteIds
            told += [(pair.txnId - one, pair.writeId) for pair in ids]
            valid = client.get_valid_write_ids(t.GetValidWriteIdsRequest(
                fullTableNames=["e_locks.t", "e_locks.zz"],
                validTxnList=f"{two}:{2 ** 63 - 1}::{two}"))
            told.append(repr(valid))
            client.commit_txn(t.CommitTxnRequest(one))
            client.commit_txn(t.CommitTxnRequest(one))
            client.abort_txn(t.AbortTxnRequest(two))
            client.abort_txn(t.AbortTxnRequest(two))
            for call in [lambda: client.abort_txn(t.AbortTxnRequest(one)),
                         lambda: client.commit_txn(t.CommitTxnRequest(two)),
                         lambda: client.heartbeat(t.HeartbeatRequest(txnid=two))]:
                try:
                    told.append(call())
                except Exception as error:
                    told.append(repr(error).replace(f"txnid:{one}", "ONE")
                                .replace(f"txnid:{two}", "TWO"))
        return told

    real, embedded = sides
    assert life(embedded) == life(real)


def test_roles_and_privileges(sides):
    db = "e_roles"
    target = t.HiveObjectRef(3, db, "two", None, None)

    def bag(privilege, name="alice", kind=1, to=target):
        info = t.PrivilegeGrantInfo(privilege, 0, "admin", 1, False)
        return {"privileges": t.PrivilegeBag([t.HiveObjectPrivilege(
            hiveObject=to, principalName=name, principalType=kind, grantInfo=info,
            authorizer="SQL")])}

    alice = {"principal_name": "alice", "principal_type": 1}
    grant = {"role_name": "r1", **alice, "grantor": "admin", "grantorType": 1,
             "grant_option": False}
    check(sides, start(db) + [
        ("get_role_names", {}), ("create_role", {"role": t.Role("r1", 0, "own")}),
        ("create_role", {"role": t.Role("R1", 0, "own")}), ("get_role_names", {}),
        ("grant_role", grant), ("grant_role", grant),
        ("grant_role", {**grant, "role_name": "none"}), ("list_roles", alice),
        ("list_roles", {**alice, "principal_name": "bob"}),
        ("get_principals_in_role", {"request": t.GetPrincipalsInRoleRequest("r1")}),
        ("grant_privileges", bag("SELECT")), ("grant_privileges", bag("SELECT")),
        ("grant_privileges", bag("INSERT", "r1", 2)),
        ("grant_privileges", bag("SELECT", to=t.HiveObjectRef(3, db, "none", None, None))),
        ("list_privileges", alice),
        ("get_privilege_set", {"hiveObject": target, "user_name": "alice", "group_names": []}),
        ("get_privilege_set", {"hiveObject": target, "user_name": "bob", "group_names": ["g"]}),
        ("revoke_privileges", bag("DELETE")), ("revoke_privileges", bag("SELECT")),
        ("get_privilege_set", {"hiveObject": target, "user_name": "alice", "group_names": []}),
        ("revoke_role", {"role_name": "r1", **alice}), ("drop_role", {"role_name": "none"}),
        ("drop_role", {"role_name": "r1"}), ("drop_role", {"role_name": "R1"})])
