"""Hms: a real Hive Metastore with embedded Derby on a loopback port, for tests."""
import atexit
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from xml.sax.saxutils import escape

from .artifacts import artifacts_of
from .java import find_java, java_options
from .schema import make_database
from .versions import LISTENER, LISTENER_CLASS, VERSIONS

_MAIN_CLASS = "org.apache.hadoop.hive.metastore.HiveMetaStore"

_LOGGING = """\
status = warn
name = hms
appender.err.type = Console
appender.err.name = err
appender.err.target = SYSTEM_ERR
appender.err.layout.type = PatternLayout
appender.err.layout.pattern = %d{ISO8601} %5p [%t] %c{1}: %m%n
rootLogger.level = ${sys:hms.log.level}
rootLogger.appenderRef.err.ref = err
logger.datanucleus.name = DataNucleus
logger.datanucleus.level = error
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port: int, timeout: float = 5.0) -> bool:
    """One real call, get_all_databases; True when the reply is not an exception."""
    name = b"get_all_databases"
    call = struct.pack(">II", 0x80010001, len(name)) + name + struct.pack(">IB", 1, 0)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
            connection.sendall(call)
            return connection.recv(4) == b"\x80\x01\x00\x02"
    except OSError:
        return False


class Hms:
    """One metastore process and the folder it owns.

    Used as a context manager, or through start() and stop(). Without `home` the folder is temporary
    and goes away at the end; with one, the data stays and may be started again. `props` go to
    hive-site.xml and win over the fixture's own; a value of None takes a property away.
    """

    def __init__(self, version: str, props: dict | None = None, home: Path | None = None,
                 port: int | None = None, log_level: str = "warn", detached: bool = False):
        if version not in VERSIONS:
            raise ValueError(f"unknown metastore version {version}; known: {', '.join(VERSIONS)}")
        self.version = VERSIONS[version]
        self.props = props or {}
        self.port = port or free_port()
        self.log_level = log_level
        self._temporary = home is None
        self.home = Path(tempfile.mkdtemp(prefix=f"hms-{version}-") if home is None else home)
        self._detached = detached
        self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *unused):
        self.stop()

    @property
    def uri(self) -> str:
        return f"thrift://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.home / "log"

    def start(self, timeout: float = 180.0):
        self.home = self.home.resolve()
        for folder in ("warehouse", "tmp", "conf"):
            (self.home / folder).mkdir(parents=True, exist_ok=True)
        java = find_java(self.version.oldest_java)
        artifacts = artifacts_of(self.version)
        make_database(self.version, java, artifacts, self.home / "db")
        self._write_configuration()
        self._launch(java, artifacts)
        atexit.register(self.stop)
        self._wait_until_ready(timeout)
        return self

    def stop(self, timeout: float = 15.0):
        """Ends the process; the folder goes too if it was temporary."""
        atexit.unregister(self.stop)
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None
        (self.home / "pid").unlink(missing_ok=True)
        if self._temporary:
            shutil.rmtree(self.home, ignore_errors=True)

    def terminate(self, timeout: float = 15.0):
        """Ends the process in good order and keeps the folder; start() goes on from there."""
        self.process.terminate()
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process = None

    def kill(self):
        """Ends the process at once and keeps the folder, as a machine failure would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None

    def pause(self):
        """Stops the process without closing its connections: a server that hangs."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def _properties(self) -> dict:
        properties = {
            "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={self.home / 'db'}",
            "javax.jdo.option.ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
            "javax.jdo.option.ConnectionUserName": "APP",
            "javax.jdo.option.ConnectionPassword": "mine",
            "datanucleus.schema.autoCreateAll": "false",
            "hive.metastore.schema.verification": "true",
            "hive.metastore.warehouse.dir": f"file:{self.home / 'warehouse'}",
            "hive.metastore.port": str(self.port),
            "hive.metastore.server.min.threads": "8",
            "hive.metastore.server.max.threads": "200",
            "hive.metastore.dml.events": "true",
            # The transactional kind writes the log entry with the change itself.
            LISTENER: LISTENER_CLASS,
            **self.version.properties,
            **self.props,
        }
        return {name: value for name, value in properties.items() if value is not None}

    def _write_configuration(self):
        rows = "".join(f"  <property><name>{escape(name)}</name><value>{escape(value)}</value>"
                       "</property>\n" for name, value in self._properties().items())
        conf = self.home / "conf"
        (conf / "hive-site.xml").write_text(
            f'<?xml version="1.0"?>\n<configuration>\n{rows}</configuration>\n')
        (conf / "log4j2.properties").write_text(_LOGGING)

    def _command(self, java: str, artifacts) -> list:
        conf = self.home / "conf"
        logging = f"{conf / 'log4j2.properties'}"
        return [java, f"-Xmx{os.environ.get('CATALOGD_HMS_HEAP', '512m')}", "-Xms64m",
                "-XX:+UseSerialGC", *java_options(java),
                f"-Djava.io.tmpdir={self.home / 'tmp'}",
                f"-Dderby.stream.error.file={self.home / 'derby.log'}",
                # No disk sync for each commit: a test does not need to outlive the machine.
                "-Dderby.system.durability=test",
                # Racing writers deadlock in Derby; its own 20 and 60 s would be most of a test.
                "-Dderby.locks.deadlockTimeout=1", "-Dderby.locks.waitTimeout=5",
                f"-Dhms.log.level={self.log_level}",
                f"-Dlog4j2.configurationFile={logging}", f"-Dlog4j.configurationFile={logging}",
                "-cp", ":".join([str(conf), *artifacts.jars]), _MAIN_CLASS, "-p", str(self.port)]

    def _launch(self, java: str, artifacts):
        foreign = ("HIVE_", "HADOOP_", "METASTORE_")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
        environment["METASTORE_CONF_DIR"] = str(self.home / "conf")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self._command(java, artifacts), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.home, env=environment, start_new_session=self._detached)
        (self.home / "pid").write_text(f"{self.process.pid}\n")

    def _wait_until_ready(self, timeout: float):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"hms {self.version.name} ended with status "
                                   f"{self.process.returncode}:\n{self._log_tail()}")
            if answers(self.port):
                return
            time.sleep(0.1)
        tail = self._log_tail()
        self.stop()
        raise RuntimeError(f"hms {self.version.name} gave no answer in {timeout} s:\n{tail}")

    def _log_tail(self) -> str:
        """What the log says went wrong, and its end: a Java stack alone hides its own cause."""
        lines = self.log.read_text(errors="replace").splitlines()
        said = [line for line in lines if " ERROR " in line or "Caused by" in line][-15:]
        return "\n".join(said + ["..."] + lines[-15:])

    def leave_running(self):
        """The process outlives this program; its pid is in the folder."""
        atexit.unregister(self.stop)
