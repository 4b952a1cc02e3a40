"""gohive's metastore client: stubs of Hive 4 in Go, with the old calls and with the new ones."""
import re
from pathlib import Path

import pytest

from life import hive_life
from program import Program
from toolchains import go_program

FOLDER = Path(__file__).with_name("go") / "gohive"
VERSION = re.search(r"gohive v(\S+)", (FOLDER / "go.mod").read_text(encoding="utf-8")).group(1)


@pytest.mark.parametrize("calls", ["old", "new"])
def test_whole_life(backend, new_name, tmp_path, calls):
    command = [go_program(FOLDER), "127.0.0.1", backend.port, f"file:{tmp_path}", calls]
    with Program(command, tmp_path / "log") as client:
        hive_life(client, backend, new_name)
