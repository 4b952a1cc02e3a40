"""Transactional tables of the live workload: raw calls, as typed stubs lack what they need."""
from objects import column, table
from thrift_binary import I32, List, Map, Struct
from thrift_connection import ApplicationError, Connection, DeclaredError

REFUSED = (ApplicationError, DeclaredError)
ORC = "org.apache.hadoop.hive.ql.io.orc.Orc"
# What Hive 4 wants to hear of a client before it lets it make such a table.
ABLE = List(["HIVEFULLACIDWRITE", "HIVEFULLACIDREAD", "HIVEMANAGEDINSERTWRITE",
             "HIVEMANAGEDINSERTREAD", "HIVECACHEINVALIDATE", "HIVEMANAGESTATS", "HIVEBUCKET2"])
WHO = "tester@localhost"
# INSERT_ONLY_TABLES, and 1 is the capability of tests.
OLD_ABLE = Struct({1: List([I32(2)])})


def _new_table(db, name, is_full):
    made = table(db, name, [column("id", "bigint"), column("name", "string")],
                 [column("day", "string")])
    made[12] = "MANAGED_TABLE"
    made[9] = Map({"transactional": "true"})
    if not is_full:
        made[9]["transactional_properties"] = "insert_only"
        return made
    storage = made[7]
    storage[3], storage[4] = ORC + "InputFormat", ORC + "OutputFormat"
    storage[7][2] = ORC + "Serde"
    storage[6], storage[8] = I32(2), List(["id"])
    return made


def read(connection, db, name, is_hive4):
    """The Table, or None; with what the server wants to hear of the client."""
    request = Struct({1: db, 2: name, 3: OLD_ABLE})
    if is_hive4:
        request |= {8: ABLE, 9: WHO}
    try:
        return connection.call("get_table_req", request)[1]
    except DeclaredError:
        return None


class AcidTables:
    """One client's transactional tables: create, change, drop. REFUSED when the server says no."""

    def __init__(self, index, port, is_hive4, chooser):
        self._names = [(f"x{index}_full", True)] if is_hive4 else []
        self._names.append((f"x{index}_insert", False))
        self._port, self._is_hive4, self._random = port, is_hive4, chooser

    def change(self, db, stamp):
        name, is_full = self._random.choice(self._names)
        with Connection(self._port) as connection:
            present = read(connection, db, name, self._is_hive4)
            if present is None:
                self._create(connection, _new_table(db, name, is_full))
            elif self._random.random() < 0.2:
                connection.call("drop_table", db, name, False)
            elif self._random.random() < 0.5:
                connection.call("append_partition", db, name, List([stamp]))
            else:
                present[9] = Map({**present[9], "stamp": stamp})
                self._alter(connection, db, name, Struct(present))
        return name

    def _create(self, connection, made):
        if self._is_hive4:
            connection.call("create_table_req", Struct({1: made, 9: ABLE, 10: WHO}))
        else:
            connection.call("create_table", made)

    def _alter(self, connection, db, name, changed):
        if self._is_hive4:
            connection.call("alter_table_req", Struct({2: db, 3: name, 4: changed, 8: ABLE,
                                                       9: WHO}))
        else:
            connection.call("alter_table", db, name, changed)
