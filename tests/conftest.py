"""Fixtures that every Python test may use: metastores, daemons, databases of a test's own."""
import itertools
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools" / "demo")]

from support import metastore  # noqa: E402
from support.daemon import Daemon  # noqa: E402
from support.hms import Hms  # noqa: E402

# The newest release, which dropped the old methods, and the newest of the 3.1 line, which most
# deployments run.
VERSIONS = ["4.2.0", "3.1.3", "2.3.10"]

# Racing writers make the server try again; by default it waits 2 s first.
QUICK_RETRIES = {"hive.hmshandler.retry.interval": "50ms",
                 "metastore.hmshandler.retry.interval": "50ms"}

_numbers = itertools.count(1)


@pytest.fixture(scope="session", params=VERSIONS)
def hms(request):
    """One metastore of each version, shared by all tests: they keep to databases of their own."""
    with Hms(request.param, QUICK_RETRIES) as server:
        yield server


@pytest.fixture(scope="session")
def daemon(hms, tmp_path_factory):
    """One daemon in front of the shared metastore, for tests that leave it as it is."""
    with Daemon(["--metastore", hms.uri], tmp_path_factory.mktemp("state")) as process:
        yield process


@pytest.fixture
def start_daemon(tmp_path):
    """start_daemon(*options): a daemon of the test's own; stopped at its end if it still runs."""
    started = []

    def start(*options, state_dir=None):
        process = Daemon(list(options), state_dir or tmp_path / f"state-{len(started)}")
        started.append(process)
        return process.start()

    yield start
    for process in started:
        process.kill()


@pytest.fixture
def direct(hms):
    """A typed connection straight to the metastore: the foreign client."""
    with metastore.connect(hms.port) as client:
        yield client


@pytest.fixture
def through(daemon):
    """A typed connection to the shared daemon."""
    with metastore.connect(daemon.port) as client:
        yield client


@pytest.fixture
def db(hms, request):
    """A database of the test's own, made and dropped by a foreign client.

    The shared daemon, where the test uses it, knows the database before the test begins: what
    others do directly in the metastore is seen at the next poll.
    """
    name = f"t{next(_numbers)}"
    with metastore.connect(hms.port) as client:
        client.create_database(metastore.database(name))
        if "daemon" in request.fixturenames:
            request.getfixturevalue("daemon").wait()
        yield name
    with metastore.connect(hms.port) as client:
        metastore.drop_database(client, name)
