"""A compaction executor: takes plans of coordinated tables from catalogd and completes them.

Its stubs: thrift --gen py -out STUBS thrift/idl/catalogd_coord.thrift; PYTHONPATH=STUBS, and the
package `thrift`. Instead of `merge` a real one reads the plan's files and writes new ones.
"""
import os
import socket
import sys
import threading

from catalogd_coord import CatalogdCoord
from catalogd_coord.ttypes import (ClaimPlanRequest, CommitRequest, CoordCaller, CoordError,
                                   DataFile, EndPlanRequest, PlanCall)
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport


def connect(port):
    transport = TBufferedTransport(TSocket("127.0.0.1", port))
    transport.open()
    return CatalogdCoord.Client(TBinaryProtocol(transport))


def merge(plan, fence):
    """The fence is in each name: no two attempts ever write the same file."""
    return [DataFile(partition=group.partition, size=1,
                     name=f"{group.file_id}_0-{fence}-1_{plan.requested}.parquet")
            for group in plan.groups]


def beat(port, call, lease_ms, done, stop):
    """On a connection of its own. Whoever lost his claim stops; so does whoever is asked to."""
    client = connect(port)
    while not done.wait(lease_ms / 3000):
        try:
            if client.catalogd_coord_heartbeat_plan(call).cancel:
                stop.set()
        except CoordError:
            stop.set()


def run_one(port, client, owner):
    anything = CoordCaller(owner=owner)
    claimed = client.catalogd_coord_claim_plan(
        ClaimPlanRequest(caller=anything, types=["COMPACT"], wait_ms=60000))
    plan, fence, done, stop = claimed.plan, claimed.fence, threading.Event(), threading.Event()
    caller = CoordCaller(table=plan.table_id, owner=owner)
    call = PlanCall(caller=caller, plan_id=plan.plan_id, fence=fence)
    threading.Thread(target=beat, args=(port, call, claimed.lease_ms, done, stop)).start()
    try:
        added = merge(plan, fence)
        if stop.is_set():
            return client.catalogd_coord_abort_plan(
                EndPlanRequest(caller=caller, plan_id=plan.plan_id, fence=fence))
        return client.catalogd_coord_complete_plan(
            CommitRequest(caller=caller, plan_id=plan.plan_id, fence=fence, added=added))
    except OSError as error:
        return client.catalogd_coord_fail_plan(
            EndPlanRequest(caller=caller, plan_id=plan.plan_id, fence=fence, error=str(error)))
    finally:
        done.set()


def main():
    port, owner = int(sys.argv[1]), f"{socket.gethostname()}-{os.getpid()}"
    client = connect(port)
    while True:
        try:
            print(run_one(port, client, owner), flush=True)
        except CoordError as error:
            if error.name != "NONE_AVAILABLE":
                print(error.name, error.message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
