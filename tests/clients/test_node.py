"""The Thrift library of Node with code made from the IDL of the tree, over a buffered and a framed
transport."""
import json
from pathlib import Path

import pytest

from life import hive_life
from program import Program
from toolchains import node_folder

FOLDER = Path(__file__).with_name("node")
PACKAGES = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["dependencies"]
VERSION = PACKAGES["thrift"]


@pytest.mark.parametrize("transport", ["buffered", "framed"])
@pytest.mark.parametrize("calls", ["old", "new"])
def test_whole_life(backend, new_name, tmp_path, calls, transport):
    command = ["node", node_folder() / "client.js", backend.port, calls, transport]
    with Program(command, tmp_path / "log") as client:
        hive_life(client, backend, new_name)
