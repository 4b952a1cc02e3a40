"""RESULTS.md: what every client did on every backend when it was run last.

One row for each client and version, one cell for each backend. A run replaces the cells of what it
ran and keeps the others: nothing in the table comes from anything but a run.
"""
import json
import os
import re
from collections import defaultdict
from pathlib import Path

from catalogue import BACKENDS, CLIENTS

FILE = Path(__file__).with_name("RESULTS.md")
VARIABLE = "CATALOGD_CLIENT_RESULTS"

_HEAD = """# Results

Written by `tests/clients/run --record`; each cell is of the last run of that client on that
backend: passed and failed tests, and the day. `4.2.0`, `3.1.3` and `2.3.10` are real metastores
with catalogd in front, `embedded` is catalogd alone.

"""


def note(client, version, backend, passed):
    """Called in the test process: one line for each test that has ended."""
    path = os.environ.get(VARIABLE)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps([client, version, backend, passed]) + "\n")


def cells_of(path, day):
    """{(client, version, backend): text} of the lines of a run."""
    counts = defaultdict(lambda: [0, 0])
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        client, version, backend, passed = json.loads(line)
        counts[client, version, backend][0 if passed else 1] += 1
    return {key: f"{passed} passed, {day}" if not failed else
            f"**{failed} failed**, {passed} passed, {day}"
            for key, (passed, failed) in counts.items()}


def recorded():
    """The cells of the file, as cells_of() has them."""
    cells = {}
    if FILE.exists():
        for line in FILE.read_text(encoding="utf-8").splitlines():
            found = re.match(r"\| `(\w+)` \| (.*?) \| (.*) \|$", line)
            if found:
                client, version, rest = found.groups()
                for backend, text in zip(BACKENDS, rest.split(" | ")):
                    if text.strip() != "-":
                        cells[client, version, backend] = text.strip()
    return cells


def table(cells):
    rows = sorted({key[:2] for key in cells},
                  key=lambda row: (list(CLIENTS).index(row[0]), row[1]))
    lines = ["| client | version | " + " | ".join(BACKENDS) + " |",
             "| --- | --- |" + " --- |" * len(BACKENDS)]
    for client, version in rows:
        texts = [cells.get((client, version, backend), "-") for backend in BACKENDS]
        lines.append(f"| `{client}` | {version} | " + " | ".join(texts) + " |")
    return "\n".join(lines)


def record(cells):
    """Rows of versions that are no longer run stay until somebody takes them out."""
    kept = {key: text for key, text in recorded().items() if key[0] in CLIENTS}
    FILE.write_text(_HEAD + table({**kept, **cells}) + "\n", encoding="utf-8")
