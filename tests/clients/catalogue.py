"""The clients that `run` knows: one file test_NAME.py each."""
import shutil
from dataclasses import dataclass

BACKENDS = ("4.2.0", "3.1.3", "2.3.10", "embedded")
# 2.3.10 costs a third more time and shows little that 3.1.3 does not.
DEFAULT_BACKENDS = ("4.2.0", "3.1.3", "embedded")


@dataclass(frozen=True)
class Client:
    title: str
    # Programs that no package of the project brings; without them the client can't be run.
    tools: tuple = ()
    # Runs only when named, or with --all: downloads or builds too much for each run.
    is_slow: bool = False

    def missing(self):
        return [tool for tool in self.tools if shutil.which(tool) is None]


CLIENTS = {
    "pymetastore": Client("pymetastore: Python stubs of Hive 4"),
    "hmsclient": Client("hmsclient: Python stubs of Hive 2.3"),
    "pyiceberg": Client("PyIceberg"),
    "spark": Client("PySpark 3.5 with its built-in Hive client (2.3)"),
    "hive_java": Client("Hive's Java client 2.3.10, 3.1.3 and 4.2.0"),
    "iceberg_java": Client("Iceberg Java's HiveCatalog on these three, racing processes"),
    "gohive": Client("gohive (Go)", tools=("go",)),
    "node": Client("Apache Thrift for Node", tools=("node", "npm", "thrift")),
    "iceberg_go": Client("iceberg-go", tools=("go",)),
    "spark4": Client("PySpark 4.3 with its built-in Hive client and those of 3.1.3 and 4.1.0",
                     is_slow=True),
    "trino": Client("Trino's Hive connector (800 MB to fetch)", is_slow=True),
    "iceberg_rust": Client("iceberg-rust, buffered and framed", tools=("cargo",), is_slow=True),
}
