"""Objects whose writer left fields out: event images lack them, answers of the metastore do not.

Engines send whole structs; small clients (PyIceberg, hmsclient programs, scripts) do not. A field
that is missing in an image and has a default in the answer would be an answer that the metastore
never gave, and a client that sends such a table back may be refused ("partition keys can not be
changed").
"""
import contextlib
import copy

from thrift.Thrift import TException

from support import metastore
from support.metastore import columns, get_table
from support.raw import assert_all_same, partition_reads, table_reads

TABLE_FIELDS = ["owner", "createTime", "lastAccessTime", "retention", "partitionKeys", "parameters",
                "tableType"]
STORAGE_FIELDS = ["compressed", "numBuckets", "bucketCols", "sortCols", "parameters", "inputFormat",
                  "outputFormat", "serdeInfo", "cols"]
SERDE_FIELDS = ["name", "serializationLib", "parameters"]
PARTITION_FIELDS = ["createTime", "lastAccessTime", "parameters"]
INSIDE = [("sd", field) for field in STORAGE_FIELDS] + [("serde", field) for field in SERDE_FIELDS]
# (part, field): one field left out, or without a field named everything that may be.
SPARSE = [("", field) for field in TABLE_FIELDS] + INSIDE + [("", ""), ("sd", ""), ("serde", "")]
SPARSE_PARTITION = [("", field) for field in PARTITION_FIELDS] + INSIDE + [("", ""), ("sd", "")]


def without(holder, part, field):
    sparse = copy.deepcopy(holder)
    struct = {"": sparse, "sd": sparse.sd, "serde": sparse.sd.serdeInfo}[part]
    all_fields = {"": TABLE_FIELDS if hasattr(sparse, "partitionKeys") else PARTITION_FIELDS,
                  "sd": [name for name in STORAGE_FIELDS if name not in ("cols", "serdeInfo")],
                  "serde": SERDE_FIELDS}[part]
    for name in [field] if field else all_fields:
        setattr(struct, name, None)
    return sparse


def may_be_refused():
    """Some versions refuse some of these; both sides must then tell the same."""
    return contextlib.suppress(TException)


def title(prefix, part, field):
    return f"{prefix}_{part or 'table'}_{field or 'all'}".lower()


def assert_same_tables(hms, daemon, db, names):
    daemon.wait()
    for name in names:
        assert_all_same(hms.port, daemon.port, table_reads(db, name))


def test_tables(hms, daemon, direct, db):
    names = []
    for part, field in SPARSE:
        plain = metastore.table(db, title("plain", part, field))
        keyed = metastore.table(db, title("keyed", part, field), [("day", "string")])
        managed = metastore.table(db, title("managed", part, field))
        managed.tableType, managed.parameters = "MANAGED_TABLE", {"note": "x"}
        for table in (plain, keyed, managed):
            names.append(table.tableName)
            with may_be_refused():
                direct.create_table(without(table, part, field))
    assert_same_tables(hms, daemon, db, names)


def test_altered_tables(hms, daemon, direct, db):
    names = []
    for part, field in SPARSE:
        for prefix, keys in (("plain", []), ("keyed", [("day", "string")])):
            name = title(prefix, part, field)
            names.append(name)
            direct.create_table(metastore.table(db, name, keys))
            changed = get_table(direct, db, name)
            changed.parameters["note"] = "changed"
            with may_be_refused():
                direct.alter_table(db, name, without(changed, part, field))
    assert_same_tables(hms, daemon, db, names)


def test_partitions(hms, daemon, direct, db):
    direct.create_table(metastore.table(db, "keyed", [("day", "string")]))
    values = []
    for part, field in SPARSE_PARTITION:
        made, altered = title("made", part, field), title("altered", part, field)
        values += [[made], [altered]]
        partition = metastore.partition(direct, db, "keyed", [made], {"note": "x"})
        with may_be_refused():
            direct.add_partitions([without(partition, part, field)])
        direct.append_partition(db, "keyed", [altered])
        changed = direct.get_partition(db, "keyed", [altered])
        changed.parameters["note"] = "changed"
        with may_be_refused():
            direct.alter_partition(db, "keyed", without(changed, part, field))
    daemon.wait()
    names = direct.get_partition_names(db, "keyed", -1)
    assert len(names) > len(SPARSE_PARTITION)
    assert_all_same(hms.port, daemon.port, partition_reads(db, "keyed", names, values))


def test_columns(hms, daemon, direct, db):
    for field in ("comment", "type"):
        fields = columns(("a", "int"), ("b", "string"))
        setattr(fields[0], field, None)
        with may_be_refused():
            direct.create_table(metastore.table(db, f"without_{field}", fields=fields))
    assert_same_tables(hms, daemon, db, ["without_comment", "without_type"])
