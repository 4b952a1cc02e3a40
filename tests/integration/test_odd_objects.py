"""Objects that no engine writes but clients may: members that do not fit together, patterns in
values, names with blanks and dots. Answers stay those of the metastore."""
import contextlib

import pytest
from pymetastore.hive_metastore import ttypes
from thrift.Thrift import TException
from thrift_binary import I16, STRING, List, Struct

from support import metastore
from support.metastore import get_table
from support.raw import assert_all_same, assert_same, partition_reads, table_reads

TYPES = ["MANAGED_TABLE", "EXTERNAL_TABLE", "VIRTUAL_VIEW", "MATERIALIZED_VIEW", "virtual_view",
         "FOO", None]
TEXTS = [("text", "expanded"), ("", ""), ("text", None), (None, "expanded")]
EXTERNAL = ["TRUE", "TrUe", " TRUE", "false", None]


def may_be_refused():
    """Some versions refuse some of these; both sides must then tell the same."""
    return contextlib.suppress(TException)


def odd_tables(db):
    for place, kind in enumerate(TYPES):
        for number, (original, expanded) in enumerate(TEXTS):
            table = metastore.table(db, f"kind_{place}_{number}")
            table.tableType = kind
            table.viewOriginalText, table.viewExpandedText = original, expanded
            yield table
    for number, external in enumerate(EXTERNAL):
        for kind in ("MANAGED_TABLE", "EXTERNAL_TABLE", None):
            table = metastore.table(db, f"external_{number}_{str(kind).lower()}")
            table.tableType = kind
            table.parameters = {"EXTERNAL": external} if external else {"note": "x"}
            yield table


def test_types_and_texts_of_views(hms, daemon, direct, db):
    names = []
    for table in odd_tables(db):
        names.append(table.tableName)
        with may_be_refused():
            direct.create_table(table)
    daemon.wait()
    for name in names:
        assert_all_same(hms.port, daemon.port, table_reads(db, name))
    for name in names:
        with may_be_refused():
            table = get_table(direct, db, name)
            table.viewOriginalText, table.viewExpandedText = "changed", "changed"
            direct.alter_table(db, name, table)
    daemon.wait()
    for name in names:
        assert_all_same(hms.port, daemon.port, table_reads(db, name))


SERDE_MEMBERS = [("description", "other"), ("serializerClass", "o.S"), ("deserializerClass", "o.D"),
                 ("serdeType", 2)]


def test_members_of_the_serde_that_alters_may_not_store(hms, daemon, direct, db):
    for member, value in SERDE_MEMBERS:
        for before, after in ((None, value), (value, None)):
            name = f"{member}_{before}".lower().replace(".", "_")
            table = metastore.table(db, name)
            setattr(table.sd.serdeInfo, member, before)
            direct.create_table(table)
            daemon.wait()
            assert_all_same(hms.port, daemon.port, table_reads(db, name))
            changed = get_table(direct, db, name)
            setattr(changed.sd.serdeInfo, member, after)
            direct.alter_table(db, name, changed)
            daemon.wait()
            assert_all_same(hms.port, daemon.port, table_reads(db, name))


VALUES = [(first, second) for first in ("a", "A", "ab", "a b", "a/b", "a=b", "b")
          for second in ("1", "10")]
SPECS = [["a"], ["a", ""], ["", "1"], ["a", "1"], ["a b"], ["zz"], [""], ["", ""], ["a."], [],
         ["a", "1", "2"]]


@pytest.mark.parametrize("method", ["get_partition_names_ps", "get_partitions_ps",
                                    "get_partitions_ps_with_auth"])
def test_the_first_values_of_partitions(hms, daemon, direct, db, method):
    direct.create_table(metastore.table(db, "t", [("p", "string"), ("q", "string")]))
    direct.add_partitions([metastore.partition(direct, db, "t", list(pair)) for pair in VALUES])
    daemon.wait()
    more = {5: "user", 6: List([], STRING)} if method.endswith("auth") else {}
    for spec in SPECS:
        arguments = {1: db, 2: "t", 3: List(spec, STRING), 4: I16(-1), **more}
        # The metastore lists these as its database gives them: the order differs between calls.
        assert_same(hms.port, daemon.port, method, Struct(arguments), in_order=False)


def reads_of_partitions(db, name, values):
    names = [f"p={value}" for value in values]
    return partition_reads(db, name, names, [[value] for value in values])


def in_capitals(thing, db, name):
    thing.catName, thing.dbName, thing.tableName = "HIVE", db.upper(), name.upper()
    return thing


def test_names_in_capitals(hms, daemon, direct, db):
    table = in_capitals(metastore.table(db, "t", [("P", "string")]), db, "t")
    table.sd.cols = metastore.columns(("ID", "bigint"), ("Name", "string"))
    table.sd.bucketCols, table.sd.sortCols = ["ID"], [ttypes.Order("ID", 1)]
    table.sd.skewedInfo = ttypes.SkewedInfo(["ID"], [["X"]], {})
    table.owner = "Somebody"
    direct.create_table(table)
    daemon.wait()
    assert_all_same(hms.port, daemon.port, table_reads(db, "t"))
    for value in ("1", "2"):
        partition = metastore.partition(direct, db, "t", [value])
        direct.add_partition(in_capitals(partition, db, "t"))
    daemon.wait()
    assert_all_same(hms.port, daemon.port, reads_of_partitions(db, "t", ["1", "2"]))
    partition = in_capitals(direct.get_partition(db, "t", ["2"]), db, "t")
    partition.parameters["note"] = "Other"
    direct.alter_partition(db, "t", partition)
    table = in_capitals(get_table(direct, db, "t"), db, "t")
    table.parameters["Note"] = "Other"
    direct.alter_table(db, "t", table)
    daemon.wait()
    assert_all_same(hms.port, daemon.port,
                    table_reads(db, "t") + reads_of_partitions(db, "t", ["1", "2"]))


def test_partitions_of_a_view_keep_their_storage(hms, daemon, direct, db):
    view = metastore.table(db, "v", [("p", "string")])
    view.tableType, view.sd.location = "VIRTUAL_VIEW", None
    view.viewOriginalText = view.viewExpandedText = "select 1"
    direct.create_table(view)
    storage = metastore.storage(metastore.columns(("id", "bigint")))
    direct.add_partition(ttypes.Partition(["1"], db, "v", parameters={}, sd=storage))
    daemon.wait()
    assert_all_same(hms.port, daemon.port, reads_of_partitions(db, "v", ["1"]))
    partition = direct.get_partition(db, "v", ["1"])
    partition.sd.inputFormat = "changed"
    partition.sd.cols = metastore.columns(("other", "int"))
    partition.parameters["note"] = "changed"
    direct.alter_partition(db, "v", partition)
    daemon.wait()
    assert_all_same(hms.port, daemon.port, reads_of_partitions(db, "v", ["1"]))


def skewed(length):
    return ttypes.SkewedInfo(["id"], [["v" * length]], {})


LONG_IN_STORAGE = {
    "bucket": (lambda sd, n: setattr(sd, "bucketCols", ["b" * n]), 300),
    "sort": (lambda sd, n: setattr(sd, "sortCols", [ttypes.Order("s" * n, 1)]), 900),
    "skew": (lambda sd, n: setattr(sd, "skewedInfo", skewed(n)), 300),
    "comment": (lambda sd, n: setattr(sd.cols[0], "comment", "c" * n), 4100),
    "location": (lambda sd, n: setattr(sd, "location", f"{sd.location}/{'l' * n}"), 4100),
    "format": (lambda sd, n: setattr(sd, "inputFormat", "i" * n), 4100),
    "serde": (lambda sd, n: setattr(sd.serdeInfo, "name", "s" * n), 300),
    "parameter": (lambda sd, n: setattr(sd, "parameters", {"k" * n: "v"}), 300),
}
LONG_IN_TABLES = {
    "text": (lambda t, n: setattr(t, "viewExpandedText", "x" * n), 33000),
    "original": (lambda t, n: setattr(t, "viewOriginalText", "x" * n), 33000),
    "type": (lambda t, n: setattr(t, "tableType", "T" * n), 300),
    "owner": (lambda t, n: setattr(t, "owner", "o" * n), 4100),
    "key": (lambda t, n: setattr(t.partitionKeys[0], "comment", "c" * n), 4100),
    "parameter": (lambda t, n: t.parameters.update({"k" * n: "v"}), 300),
    "value": (lambda t, n: t.parameters.update({"k": "v" * n}), 33000),
    **{f"sd_{what}": (lambda t, n, change=change: change(t.sd, n), length)
       for what, (change, length) in LONG_IN_STORAGE.items()},
}
LONG_IN_PARTITIONS = {
    "parameter": (lambda p, n: p.parameters.update({"k" * n: "v"}), 300),
    "value": (lambda p, n: p.parameters.update({"k": "v" * n}), 4100),
    **{f"sd_{what}": (lambda p, n, change=change: change(p.sd, n), length)
       for what, (change, length) in LONG_IN_STORAGE.items()},
}


def test_altered_tables_with_texts_too_long_to_be_stored(hms, daemon, direct, db):
    """The alter is answered as done and the log has its image; the text is not stored."""
    for what, (change, length) in LONG_IN_TABLES.items():
        table = metastore.table(db, what, [("p", "string")])
        if what in ("text", "original"):
            table.tableType, table.viewOriginalText, table.viewExpandedText = "VIRTUAL_VIEW", "", ""
        direct.create_table(table)
        table = get_table(direct, db, what)
        change(table, length)
        table.parameters["note"] = "altered"
        with may_be_refused():
            direct.alter_table(db, what, table)
        daemon.wait()
        assert_all_same(hms.port, daemon.port, table_reads(db, what))


def test_partitions_with_texts_too_long_to_be_stored(hms, daemon, direct, db):
    for what, (change, length) in LONG_IN_PARTITIONS.items():
        direct.create_table(metastore.table(db, what, [("p", "string")]))
        direct.add_partition(metastore.partition(direct, db, what, ["1"]))
        daemon.wait()
        for value in ("1", "2"):
            partition = metastore.partition(direct, db, what, [value])
            change(partition, length)
            partition.parameters["note"] = "changed"
            with may_be_refused():
                if value == "1":
                    direct.alter_partition(db, what, partition)
                else:
                    direct.add_partition(partition)
        daemon.wait()
        assert_all_same(hms.port, daemon.port, reads_of_partitions(db, what, ["1", "2"]))


SKEWS = [(["id"], [["0"]]), ([], [["0"]]), (["id"], []), (["id"], [[]]), (["id"], [["0"], ["1"]]),
         (["ID"], [["x"]]), (["nosuch"], [["x"]])]


def test_skewed_partitions(hms, daemon, direct, db):
    for number, (names, values) in enumerate(SKEWS):
        name = f"s{number}"
        direct.create_table(metastore.table(db, name, [("p", "string")]))
        partition = metastore.partition(direct, db, name, ["1"])
        partition.sd.skewedInfo = ttypes.SkewedInfo(names, values, {})
        with may_be_refused():
            direct.add_partition(partition)
        daemon.wait()
        reads = reads_of_partitions(db, name, ["1"])
        if hms.version.name.startswith("2") and values and not names:
            # A read of many leaves the values out, and reads of one are answered from it.
            reads = [read for read in reads if read[0].startswith("get_partitions")]
        assert_all_same(hms.port, daemon.port, reads)


DEFAULT = "__HIVE_DEFAULT_PARTITION__"


@pytest.mark.parametrize("stored", ["", DEFAULT])
def test_the_empty_value_of_a_partition(hms, daemon, direct, db, stored):
    direct.create_table(metastore.table(db, "t", [("p", "string"), ("q", "string")]))
    partition = metastore.partition(direct, db, "t", [stored, "1"])
    partition.sd.location = None
    direct.add_partition(partition)
    daemon.wait()
    names = [f"p={DEFAULT}/q=1"]
    asked = [["", "1"], [DEFAULT, "1"], [DEFAULT, ""]]
    assert_all_same(hms.port, daemon.port, partition_reads(db, "t", names, asked))


def test_catalogs_without_a_name(hms, daemon, direct, db):
    direct.create_table(metastore.table(db, "t"))
    daemon.wait()
    for catalog in ("", " ", "hive", "HIVE", " hive"):
        for name, arguments in [("get_table_req", {1: db, 2: "t", 4: catalog}),
                                ("get_database_req", {1: db, 2: catalog})]:
            if name == "get_table_req" or hms.version.name.startswith("4"):
                assert_same(hms.port, daemon.port, name, Struct({1: Struct(arguments)}))
        # The default one in front of a name is understood for 2.3, which does not know it.
        if hms.version.name.startswith("2") and catalog.strip():
            continue
        for name in ("get_database", "get_all_tables"):
            assert_same(hms.port, daemon.port, name, Struct({1: f"@{catalog}#{db}"}))
