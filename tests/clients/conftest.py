"""Fixtures of the client tests: each test runs on every backend, all of one backend in a row."""
import itertools
import os

import pytest

import results
from backend import Backend
from catalogue import DEFAULT_BACKENDS
from spark_shell import SparkShell
from support import metastore

CHOSEN = os.environ.get("CATALOGD_CLIENT_BACKENDS", " ".join(DEFAULT_BACKENDS)).split()

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def backend(request, tmp_path_factory):
    """A daemon before a real metastore, or alone; shared by all tests of that backend."""
    with Backend(request.param, tmp_path_factory.mktemp("state")) as started:
        yield started


@pytest.fixture(scope="session")
def hms(backend):
    """The real metastore behind the daemon."""
    return backend.hms


@pytest.fixture(scope="session")
def daemon(backend):
    return backend.daemon


@pytest.fixture(scope="session")
def spark_through(backend, tmp_path_factory):
    with SparkShell(backend.port, tmp_path_factory.mktemp("spark-through")) as shell:
        yield shell


@pytest.fixture(scope="session")
def spark_straight(backend, tmp_path_factory):
    with SparkShell(backend.hms.port, tmp_path_factory.mktemp("spark-straight")) as shell:
        yield shell


@pytest.fixture
def direct(backend):
    """The foreign client; where there is nothing behind the daemon it is just another client."""
    with metastore.connect(backend.foreign_port) as client:
        yield client


@pytest.fixture
def new_name(backend):
    """The name of a database that the test makes itself; it is gone after the test."""
    name = f"life{next(_numbers)}"
    yield name
    _drop(backend, name)


@pytest.fixture
def db(backend):
    """A database of the test's own, made by a foreign client and known to the daemon."""
    name = f"t{next(_numbers)}"
    with metastore.connect(backend.foreign_port) as client:
        client.create_database(metastore.database(name))
    backend.wait()
    yield name
    _drop(backend, name)


def _drop(backend, name):
    with metastore.connect(backend.foreign_port) as client:
        if name in client.get_all_databases():
            metastore.drop_database(client, name)


def pytest_generate_tests(metafunc):
    """Every chosen backend; for a test marked on_backends(...) only those that it names."""
    if "backend" in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker("on_backends")
        names = [name for name in CHOSEN if not marker or name in marker.args]
        metafunc.parametrize("backend", names, indirect=True, scope="session")


def pytest_configure(config):
    config.addinivalue_line("markers", "on_backends(names): only on these backends")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if (report.when == "call" and report.outcome != "skipped") or report.failed:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        version = parameters.get("version", getattr(item.module, "VERSION", ""))
        client = item.module.__name__.split(".")[-1].removeprefix("test_")
        results.note(client, version, parameters.get("backend", ""), report.passed)


def pytest_terminal_summary(terminalreporter):
    """What tests tell and do not assert."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if report.when == "call" and name == "told":
                terminalreporter.write_line(f"{report.nodeid}: {value}")
