"""A client of table coordination: stubs made from the IDL by the Thrift compiler, once per run."""
import functools
import importlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pymetastore.hive_metastore import ThriftHiveMetastore
from thrift.protocol import TBinaryProtocol
from thrift.transport import TSocket, TTransport

IDL = Path(__file__).resolve().parents[2] / "thrift" / "idl" / "catalogd_coord.thrift"


@functools.cache
def stubs():
    """The generated package: its service and its structs."""
    compiler = shutil.which("thrift")
    assert compiler, "the Thrift compiler, which builds the daemon, is not on the path"
    folder = tempfile.mkdtemp(prefix="catalogd-coord-py-")
    subprocess.run([compiler, "--gen", "py", "-out", folder, str(IDL)], check=True)
    sys.path.insert(0, folder)
    return (importlib.import_module("catalogd_coord.CatalogdCoord"),
            importlib.import_module("catalogd_coord.ttypes"))


def types():
    return stubs()[1]


class Coord:
    """with Coord(port) as coord: calls by their short names, on one table unless another is said.

    coord.call("begin_txn", "BeginTxnRequest", op="INSERT") is
    catalogd_coord_begin_txn(BeginTxnRequest(...)).
    """

    def __init__(self, port, table="", owner="test", user="", timeout=60.0):
        socket = TSocket.TSocket("127.0.0.1", port)
        socket.setTimeout(timeout * 1000)
        self._transport = TTransport.TBufferedTransport(socket)
        self._protocol = TBinaryProtocol.TBinaryProtocol(self._transport)
        self._client = stubs()[0].Client(self._protocol)
        self._user = user
        self.table, self.owner = table, owner

    def __enter__(self):
        self._transport.open()
        if self._user:
            ThriftHiveMetastore.Client(self._protocol).set_ugi(self._user, [])
        return self

    def __exit__(self, *unused):
        self._transport.close()

    def call(self, method, request, table=None, key="", **fields):
        caller = types().CoordCaller(table=self.table if table is None else table,
                                     owner=self.owner, request_id="test", idempotency_key=key,
                                     deadline_ms=30000)
        request = getattr(types(), request)(caller=caller, **fields)
        return getattr(self._client, "catalogd_coord_" + method)(request)

    def register(self, **fields):
        return self.call("register_table", "RegisterTableRequest", **fields)

    def state(self):
        return self.call("get_table_state", "TableRequest")

    def begin(self, op="INSERT", **fields):
        return self.call("begin_txn", "BeginTxnRequest", op=op, **fields)

    def commit(self, txn, added, removed=(), **fields):
        return self.call("commit_txn", "CommitRequest", txn_id=txn.txn_id, fence=txn.fence,
                         added=list(added), removed=list(removed), **fields)

    def schedule(self, kind="COMPACT", forced=True):
        return self.call("schedule_plan", "SchedulePlanRequest", type=kind, forced=forced)

    def claim(self, plan_id=0, **fields):
        return self.call("claim_plan", "ClaimPlanRequest", plan_id=plan_id, **fields)

    def complete(self, claimed, added, removed=(), **fields):
        return self.call("complete_plan", "CommitRequest", plan_id=claimed.plan.plan_id,
                         fence=claimed.fence, added=list(added), removed=list(removed), **fields)

    def slices(self, **fields):
        return self.call("get_file_slices", "GetFileSlicesRequest", **fields)


def base(group, instant, fence=1, partition=""):
    return types().DataFile(partition=partition, name=f"{group}_0-{fence}-1_{instant}.parquet",
                            size=100)


def log(group, instant, version=1, partition=""):
    name = f".{group}_{instant}.log.{version}_0-1-1"
    return types().DataFile(partition=partition, name=name, size=10)


def in_partition(file):
    return types().PartitionFile(partition=file.partition, name=file.name)
