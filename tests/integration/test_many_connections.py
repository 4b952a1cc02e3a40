"""Thousands of clients that are connected and say nothing cost nobody anything."""
import resource
import socket

from support import metastore

IDLE = 10_000
SHELL = 1024  # Files that a program may have open when it is started from a shell.


def test_ten_thousand_idle_connections(start_daemon):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    idle = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (SHELL, hard))
        daemon = start_daemon()
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        for _ in range(IDLE):
            idle.append(socket.create_connection(("127.0.0.1", daemon.port), timeout=60))
        with metastore.connect(daemon.port) as client:
            client.create_database(metastore.database("beside"))
            assert "beside" in client.get_all_databases()
        daemon.eventually(lambda _: daemon.metric("catalogd_client_connections") >= IDLE)
        # Each of them may still begin.
        for number in range(0, IDLE, IDLE // 10):
            assert "beside" in metastore.over(idle[number]).get_all_databases()
    finally:
        for connection in idle:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    daemon.eventually(lambda _: daemon.metric("catalogd_client_connections") < 10)
