"""Fixtures of the client tests: a metastore that dropped the old methods, a daemon before it."""
import pytest

from spark_shell import SparkShell
from support.hms import Hms

VERSION = "4.2.0"


@pytest.fixture(scope="session")
def hms():
    """In place of the fixture that runs every test once for each version."""
    with Hms(VERSION) as server:
        yield server


@pytest.fixture(scope="session")
def spark_through(daemon, tmp_path_factory):
    with SparkShell(daemon.port, tmp_path_factory.mktemp("spark-through")) as shell:
        yield shell


@pytest.fixture(scope="session")
def spark_straight(hms, tmp_path_factory):
    with SparkShell(hms.port, tmp_path_factory.mktemp("spark-straight")) as shell:
        yield shell
