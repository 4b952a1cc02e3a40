"""Iceberg's HiveCatalog in Java on three generations of Hive's client, with and without locks.

Without locks a commit is an alter_table that says which metadata file it expects. A real 3.1.3
ignores what is expected: racing commits are lost and all report success. Threads of one process
take turns inside Iceberg, so each race is between processes.
"""
import contextlib

import pytest

from jars import ICEBERG, ICEBERG_VERSION, java_command, oldest_java
from life import Watcher, iceberg_life, metadata_version
from plain_client import PlainClient
from program import Program
from support import metastore
from test_pyiceberg import catalog_at

VERSION = ICEBERG_VERSION
PROCESSES, THREADS, COMMITS = 3, 2, 5


@pytest.fixture
def open_catalog(backend, tmp_path):
    """open_catalog(hive client, mode): a process with a catalog of its own."""
    with contextlib.ExitStack() as opened:
        def start(hive, mode, port=backend.port):
            command = java_command("IcebergLife.java", ICEBERG[hive], oldest_java(hive))
            log = tmp_path / f"log-{len(list(tmp_path.glob('log-*')))}"
            return opened.enter_context(Program(
                [*command, f"thrift://127.0.0.1:{port}", f"file://{tmp_path}", mode], log))
        yield start


@pytest.mark.parametrize("mode", ["lock", "no-lock"])
@pytest.mark.parametrize("hive", list(ICEBERG))
def test_whole_life(backend, open_catalog, new_name, tmp_path, hive, mode):
    iceberg_life(open_catalog(hive, mode), backend, new_name, catalog_at(backend.port, tmp_path))


def race(writers, namespace):
    """(ids of the commits that were reported as done, ids in the table)."""
    writers[0].create_table(namespace, "hot")
    for number, writer in enumerate(writers):
        writer.send("race", namespace, "hot", number, THREADS, COMMITS)
    done = [commit for writer in writers for commit in writer.answer("race")]
    return sorted(done), sorted(writers[0].commit_ids(namespace, "hot"))


@pytest.mark.parametrize("mode", ["lock", "no-lock"])
def test_no_commit_of_racing_processes_is_lost(backend, open_catalog, new_name, mode):
    writers = [open_catalog("3.1.3", mode) for _ in range(PROCESSES)]
    writers[0].create_namespace(new_name)
    with metastore.connect(backend.port) as connection:
        see = PlainClient(connection)

        def version():
            exists = "hot" in see.tables(new_name)
            return metadata_version(see, new_name, "hot") if exists else 0

        with Watcher(version):
            done, found = race(writers, new_name)
    assert len(done) == PROCESSES * THREADS * COMMITS
    assert found == done


@pytest.mark.on_backends("3.1.3")
def test_straight_at_the_metastore_commits_without_locks_may_be_lost(
        backend, open_catalog, new_name, record_property):
    """How many is a matter of timing, so only told: the daemon is not asked here at all."""
    writers = [open_catalog("3.1.3", "no-lock", backend.foreign_port) for _ in range(PROCESSES)]
    writers[0].create_namespace(new_name)
    done, found = race(writers, new_name)
    record_property("told", f"{len(found)} of {len(done)} commits are in the table")
    assert set(found) <= set(done) and found
