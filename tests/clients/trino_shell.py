"""TrinoShell: a Trino server of one node, and statements over its HTTP interface."""
import json
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from jars import TRINO, fetched
from support.hms import free_port
from support.hms.cache import cache_root, locked
from support.hms.java import find_java

# Its own classes are as new as that.
OLDEST_JAVA = 24


class TrinoError(Exception):
    pass


def _server_folder():
    """Unpacked by tar: jars are shared between its folders by hard links, which Maven loses."""
    folder = cache_root() / "clients-build" / TRINO.replace(":", "-")
    with locked("trino"):
        if not (folder / "done").exists():
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run(["tar", "-xzf", fetched(TRINO), "-C", folder, "--strip-components=1"],
                           check=True)
            (folder / "done").touch()
    return folder


class TrinoShell:
    def __init__(self, metastore_port, folder):
        self._folder = Path(folder)
        self._port = free_port()
        server = _server_folder()
        self._write_configuration(server, metastore_port)
        self._log = open(self._folder / "trino.log", "w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(self._command(server), stdin=subprocess.DEVNULL,
                                         stdout=self._log, stderr=self._log, cwd=self._folder)

    def _write_configuration(self, server, metastore_port):
        plugins = self._folder / "plugin"
        plugins.mkdir(parents=True)
        (plugins / "hive").symlink_to(server / "plugin" / "hive")
        catalogs = self._folder / "etc" / "catalog"
        catalogs.mkdir(parents=True)
        (self._folder / "etc" / "config.properties").write_text(
            "coordinator=true\nnode-scheduler.include-coordinator=true\n"
            f"http-server.http.port={self._port}\ndiscovery.uri=http://127.0.0.1:{self._port}\n"
            f"plugin.dir={plugins}\ncatalog.config-dir={catalogs}\n")
        catalog = Path(__file__).with_name("trino.properties").read_text(encoding="utf-8")
        (catalogs / "hive.properties").write_text(
            catalog.replace("HOST:9083", f"127.0.0.1:{metastore_port}"))

    def _command(self, server):
        return [find_java(OLDEST_JAVA), "-Xmx1500m", "-XX:+UseSerialGC", "-cp",
                f"{server}/lib/*", f"-Dconfig={self._folder}/etc/config.properties",
                "-Dnode.environment=test", f"-Dnode.data-dir={self._folder}/data",
                "-Dnode.bind-ip=127.0.0.1", "-Dnode.internal-address=127.0.0.1",
                "--add-modules=jdk.incubator.vector", "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED", "-Djdk.attach.allowAttachSelf=true",
                "io.trino.server.TrinoServer"]

    def __enter__(self):
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                self.sql("SELECT 1")
                return self
            except (TrinoError, OSError):
                time.sleep(0.5)
        self.__exit__()
        raise RuntimeError(f"Trino does not answer:\n{self._tail()}")

    def __exit__(self, *unused):
        self._process.kill()
        self._process.wait()

    def _tail(self):
        return (self._folder / "trino.log").read_text(errors="replace")[-4000:]

    def sql(self, statement):
        """The rows of a statement; TrinoError with Trino's own text."""
        answer = self._ask(f"http://127.0.0.1:{self._port}/v1/statement", statement.encode())
        rows = []
        while True:
            rows += answer.get("data") or []
            if "error" in answer:
                raise TrinoError(f"{answer['error']['errorName']}: {answer['error']['message']}")
            if "nextUri" not in answer:
                return rows
            answer = self._ask(answer["nextUri"])

    @staticmethod
    def _ask(url, body=None):
        request = urllib.request.Request(url, body, {"X-Trino-User": "life"})
        with urllib.request.urlopen(request, timeout=120) as reply:
            return json.loads(reply.read())
