"""Appends rows one by one, each a commit: PORT FOLDER TABLE NUMBER COUNT.

A commit that lost its race is made again until it is in: the program ends when all are.
"""
import sys

import pyarrow
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import CommitFailedException


def main():
    port, folder, name, number, count = sys.argv[1:]
    catalog = load_catalog("h", type="hive", uri=f"thrift://127.0.0.1:{port}",
                           warehouse=f"file://{folder}")
    for row in range(int(count)):
        rows = pyarrow.table({"id": [10 * int(number) + row], "name": [number]})
        while True:
            try:
                catalog.load_table(name).append(rows)
                break
            except CommitFailedException as lost:
                print(lost)


if __name__ == "__main__":
    main()
