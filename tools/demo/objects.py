"""The metastore's structs that the demonstration sends, by field id."""
from thrift_binary import I32, List, Map, Struct, STRUCT

TEXT = "org.apache.hadoop.mapred.TextInputFormat"
TEXT_OUT = "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat"
SERDE = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"

# Field ids of Table and Partition that the demonstration changes.
TABLE_STORAGE, TABLE_PARAMETERS = 7, 9
PARTITION_PARAMETERS = 7
STORAGE_COLUMNS, STORAGE_LOCATION = 1, 2


def column(name, kind, comment=""):
    return Struct({1: name, 2: kind, 3: comment})


def storage(columns, location=None):
    return Struct({
        STORAGE_COLUMNS: List(columns), STORAGE_LOCATION: location, 3: TEXT, 4: TEXT_OUT, 5: False,
        6: I32(-1), 7: Struct({1: "", 2: SERDE, 3: Map({"serialization.format": "1"})}),
        8: List(), 9: List(item_type=STRUCT), 10: Map()})


def database(name, description):
    return Struct({1: name, 2: description, 4: Map()})


def table(db, name, columns, keys):
    return Struct({
        1: name, 2: db, 3: "quickstart", 4: I32(0), 5: I32(0), 6: I32(0), 7: storage(columns),
        8: List(keys), 9: Map({"EXTERNAL": "TRUE"}), 12: "EXTERNAL_TABLE"})


def partition(table_struct, values):
    names = [key[1] for key in table_struct[8]]
    path = "/".join(f"{name}={value}" for name, value in zip(names, values))
    own = table_struct[TABLE_STORAGE]
    return Struct({
        1: List(values), 2: table_struct[2], 3: table_struct[1], 4: I32(0), 5: I32(0),
        6: storage(own[STORAGE_COLUMNS], f"{own[STORAGE_LOCATION]}/{path}"), 7: Map()})
