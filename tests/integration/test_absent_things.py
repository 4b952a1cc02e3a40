"""Every method of the service, asked about what is not there (HIVE-25033: a handler that returned
nothing was told as "missing result"). The answer is the metastore's, or at least one of those that
a method has: a value or an exception that it declares."""
import re

import pytest
from pymetastore.hive_metastore import ThriftHiveMetastore as Methods
from thrift.Thrift import TType

from support.raw import differences, outcome
from test_embedded import MetastoreServer
from thrift_binary import Byte, I16, I32, I64, List, Map, Set, Struct
from thrift_connection import Connection

UNKNOWN_METHOD, MISSING_RESULT, INTERNAL_ERROR = 1, 5, 6
NUMBERS = {TType.BYTE: Byte, TType.I16: I16, TType.I32: I32, TType.I64: I64, TType.DOUBLE: float}
# They end something, or leave something behind that other tests would meet.
NOT_ASKED = {"shutdown", "reinitialize", "setOption", "setMetaConf", "set_ugi", "flushCache",
             "open_txns", "add_master_key", "add_token", "create_role", "create_type",
             "create_catalog", "create_wm_trigger", "create_resource_plan", "put_file_metadata",
             "get_current_notificationEventId", "refresh_privileges", "add_package",
             "create_stored_procedure", "set_schema_version_state", "create_ischema",
             "add_replication_metrics", "add_runtime_stats", "repl_tbl_writeid_state",
             "mark_failed", "set_hadoop_jobid", "compact", "compact2", "find_next_compact",
             "find_next_compact2", "seed_txn_id", "seed_write_id", "scheduled_query_maintenance",
             "scheduled_query_poll", "grant_privileges", "grant_role", "create_database",
             "create_database_req", "create_dataconnector", "create_dataconnector_req",
             "create_function", "cm_recycle", "get_lock_materialization_rebuild",
             "heartbeat_lock_materialization_rebuild", "get_lock_materialization_rebuild_req",
             "heartbeat_lock_materialization_rebuild_req", "add_serde"}
# When these fail 3.1 leaves locks of its database behind, and later calls wait for them.
WRITES_OF_STATISTICS = re.compile("(update|delete|set)_.*stat")
# Times and counters of the server: they differ from call to call.
NEVER_THE_SAME = {"aliveSince", "getCounters", "getCounter", "getCpuProfile", "getOptions",
                  "get_next_notification", "get_open_txns", "get_open_txns_info",
                  "get_open_txns_req", "show_locks", "get_all_functions", "get_databases",
                  "get_all_databases", "get_databases_req", "get_runtime_stats", "show_compact"}


def methods():
    names = [name.removesuffix("_args") for name in vars(Methods) if name.endswith("_args")]
    return [name for name in names if name not in NOT_ASKED and hasattr(Methods.Iface, name)
            and not WRITES_OF_STATISTICS.match(name)]


def value(kind, details, name, named, depth):
    """Something of this type: texts say by their field's name what is asked for."""
    if kind == TType.STRING:
        text = name.lower().replace("_", "")
        if text in ("catname", "catalogname", "catalog"):
            return "hive"
        if text in ("dbname", "db", "dbpatterns", "parentdbname", "foreigndbname"):
            return named
        return "nothing"
    if kind == TType.BOOL:
        return False
    if kind in NUMBERS:
        return NUMBERS[kind](1)
    if kind in (TType.LIST, TType.SET):
        items = [value(details[0], details[1], name, named, depth)] if depth < 3 else []
        return (List if kind == TType.LIST else Set)([i for i in items if i is not None],
                                                     details[0])
    if kind == TType.MAP:
        return Map({}, details[0], details[2])
    return struct(details[0].thrift_spec, named, depth + 1) if depth < 3 else Struct()


def struct(spec, named, depth=0):
    fields = [field for field in spec or () if field]
    return Struct({number: made for number, kind, name, details, _ in fields
                   if (made := value(kind, details, name, named, depth)) is not None})


def ask(port, method, named):
    arguments = struct(getattr(Methods, method + "_args").thrift_spec, named)
    with Connection(port, timeout=8) as connection:
        try:
            return outcome(connection, method, arguments)
        except (ConnectionError, TimeoutError) as error:
            return type(error).__name__, None, ""


def is_no_answer(method, answer):
    """Neither a value nor an exception that the method has; where it has none, an internal error is
    all that a server can say."""
    declared = [field for field in getattr(Methods, method + "_result").thrift_spec or () if field]
    no_result = {MISSING_RESULT, INTERNAL_ERROR} if len(declared) > 1 else {MISSING_RESULT}
    return is_broken(answer) or (answer[0] == "application error" and answer[1] in no_result)


def is_broken(answer):
    return answer[0].endswith("Error")


def is_told(answer):
    """Something failed, and is told in an exception of whatever kind."""
    return answer[0] == "application error" or (answer[0] == "result" and
                                                answer[1][1:] and answer[1][1][0] != 0)


def is_unknown(answer):
    return answer[:2] == ("application error", UNKNOWN_METHOD)


@pytest.mark.parametrize("where", ["in a database that is there", "in none"])
def test_the_daemon_says_what_the_metastore_says(hms, daemon, db, where):
    named = db if where != "in none" else "no_such_database"
    wrong = []
    for method in methods():
        expected, found = ask(hms.port, method, named), ask(daemon.port, method, named)
        if is_unknown(expected):  # Made from another method, or as unknown here.
            good = not is_no_answer(method, found)
        elif is_broken(expected):
            good = is_told(found)
        elif expected[0] == "application error":  # The metastore could not read it, or do it.
            good = found[0] == expected[0]
        else:
            good = found == expected or (method in NEVER_THE_SAME and found[0] == expected[0])
        if not good:
            wrong.append("\n".join([f"{method}: {found!r:.300}",
                                    *differences(expected, found)[:3]]))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("hms", ["4.2.0"], indirect=True)
def test_the_embedded_metastore_always_answers(hms, db, tmp_path):
    wrong = []
    with MetastoreServer(tmp_path / "state") as server:
        for named in ("default", "no_such_database"):
            for method in methods():
                found = ask(server.port, method, named)
                if not is_no_answer(method, found):
                    continue
                if not is_no_answer(method, ask(hms.port, method, named)):
                    wrong.append(f"{method} in {named}: {found!r:.300}")
    assert not wrong, "\n".join(wrong)
