"""What CONNECTING.md tells people is what the clients' programs do."""
import re
from pathlib import Path

import pytest

CLIENTS = Path(__file__).resolve().parents[1] / "clients"
BLOCKS = re.findall(r"<!-- (\S+) -->\n```\w+\n(.*?)```",
                    (CLIENTS / "CONNECTING.md").read_text(encoding="utf-8"), re.DOTALL)


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


def test_there_are_pieces_for_every_language():
    assert {Path(file).suffix for file, _ in BLOCKS} >= {".py", ".java", ".go", ".rs", ".js",
                                                         ".properties"}


@pytest.mark.parametrize("file, block", BLOCKS, ids=[file for file, _ in BLOCKS])
def test_a_piece_is_in_the_program_that_runs(file, block):
    program = squeezed((CLIENTS / file).read_text(encoding="utf-8"))
    missing = [line for line in block.splitlines() if squeezed(line) not in program]
    assert not missing
