"""Schema-less calls and comparisons: nothing that a server sends is left out."""
from thrift_binary import I16, I32, List, Struct, canonical
from thrift_connection import ApplicationError, Connection


def outcome(connection, name, arguments):
    """What a call answered, in comparable form: a result, declared exceptions included, or the
    server's own exception."""
    try:
        return "result", canonical(connection.result(name, arguments))
    except ApplicationError as error:
        return "application error", error.kind, error.text


def differences(expected, found, path="answer"):
    """Lines that say where two canonical values differ."""
    if expected == found:
        return []
    if not (isinstance(expected, tuple) and isinstance(found, tuple)
            and expected[:1] == found[:1] and expected[0] in ("result", "struct", "list", "map")):
        return [f"{path}: metastore {expected!r}, daemon {found!r}"]
    if expected[0] == "result":
        return differences(expected[1], found[1], path)
    if expected[0] == "list":
        pairs = [(dict(enumerate(side[1:]))) for side in (expected, found)]
    else:
        pairs = [dict(side[1:]) for side in (expected, found)]
    lines = []
    for key in sorted(set(pairs[0]) | set(pairs[1]), key=repr):
        lines += differences(pairs[0].get(key), pairs[1].get(key), f"{path}.{key}")
    return lines


def sorted_lists(value):
    """A canonical value with the elements of its lists in an order of their own."""
    if not isinstance(value, tuple):
        return value
    parts = tuple(sorted_lists(part) for part in value)
    return (*parts[:1], *sorted(parts[1:], key=repr)) if parts[:1] == ("list",) else parts


def assert_same(hms_port, daemon_port, name, arguments, in_order=True):
    """The daemon answers a call exactly as the metastore does; or but for the order of lists."""
    with Connection(hms_port) as straight, Connection(daemon_port) as through:
        expected = outcome(straight, name, arguments)
        found = outcome(through, name, arguments)
        if not in_order:
            expected, found = sorted_lists(expected), sorted_lists(found)
        assert found == expected, "\n".join([f"{name} {arguments}"] +
                                            differences(expected, found))
    return expected


def table_reads(db, name):
    """Calls that show one table in every way, by methods that 3.1 and 4.2 both know."""
    return [
        ("get_table_req", Struct({1: Struct({1: db, 2: name})})),
        ("get_table_objects_by_name_req", Struct({1: Struct({1: db, 2: List([name])})})),
    ]


def partition_reads(db, name, names, values):
    return [
        ("get_partition_names", Struct({1: db, 2: name, 3: I16(-1)})),
        ("get_partitions", Struct({1: db, 2: name, 3: I16(-1)})),
        ("get_partitions", Struct({1: db, 2: name, 3: I16(1)})),
        ("get_partitions_by_names", Struct({1: db, 2: name, 3: List(names)})),
        *(("get_partition", Struct({1: db, 2: name, 3: List(parts)})) for parts in values),
        *(("get_partition_by_name", Struct({1: db, 2: name, 3: text})) for text in names),
    ]


def database_reads(db):
    return [("get_database", Struct({1: db})), ("get_all_tables", Struct({1: db}))]


def assert_all_same(hms_port, daemon_port, calls):
    for name, arguments in calls:
        assert_same(hms_port, daemon_port, name, arguments)


__all__ = ["I32", "assert_all_same", "assert_same", "database_reads", "outcome", "partition_reads",
           "table_reads"]
