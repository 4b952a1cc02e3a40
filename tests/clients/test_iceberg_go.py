"""iceberg-go's Hive catalog, which knows only the old methods. Locks each commit."""
import re
from pathlib import Path

from life import iceberg_life
from program import Program
from test_pyiceberg import catalog_at
from toolchains import go_program

FOLDER = Path(__file__).with_name("go") / "iceberg"
VERSION = re.search(r"apache/iceberg-go v(\S+)",
                    (FOLDER / "go.mod").read_text(encoding="utf-8")).group(1)


def test_whole_life(backend, new_name, tmp_path):
    command = [go_program(FOLDER), f"thrift://127.0.0.1:{backend.port}", f"file://{tmp_path}"]
    with Program(command, tmp_path / "log") as client:
        iceberg_life(client, backend, new_name, catalog_at(backend.port, tmp_path))
