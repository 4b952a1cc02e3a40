"""iceberg-rust's HMS catalog, buffered and framed; it can't commit to a table it has made.

It takes declared exceptions of writing calls for success, so what it did is read back.
"""
import re
from pathlib import Path

import pytest

from life import iceberg_life
from program import Program
from test_pyiceberg import catalog_at
from toolchains import rust_program

FOLDER = Path(__file__).with_name("rust")
VERSION = re.search(r'iceberg-catalog-hms = "=(\S+)"',
                    (FOLDER / "Cargo.toml").read_text(encoding="utf-8")).group(1)


@pytest.mark.parametrize("transport", ["buffered", "framed"])
def test_whole_life(backend, new_name, tmp_path, transport):
    command = [rust_program(FOLDER, "iceberg_client"), f"127.0.0.1:{backend.port}",
               f"file://{tmp_path}", transport]
    with Program(command, tmp_path / "log") as client:
        iceberg_life(client, backend, new_name, catalog_at(backend.port, tmp_path),
                     commits=False)
