"""Objects that no engine writes but clients may: members that do not fit together, patterns in
values, names with blanks and dots. Answers stay those of the metastore."""
import contextlib

import pytest
from thrift.Thrift import TException
from thrift_binary import I16, STRING, List, Struct

from support import metastore
from support.metastore import get_table
from support.raw import assert_all_same, assert_same, database_reads, table_reads

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
