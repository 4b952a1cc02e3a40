#!/usr/bin/env python3
"""Collects the Thrift-JSON objects of notification logs into one gzip file of JSON string literals.

Usage: collect_tjson_samples.py OUT.jsonl.gz LOG.jsonl...
Each log line is an object whose "message" is JSON or base64 of gzip of JSON. Each line of the
output is one JSON string literal: decoded it is TJSON, and without its outer quotes it is TJSON as
it stands in a message. Equal objects are kept once. The output depends on nothing but the input,
so that running it again gives the same bytes.
"""

import base64
import gzip
import json
import sys


def decode(row):
    message = row["message"]
    if not message.startswith("{"):
        message = gzip.decompress(base64.b64decode(message)).decode("utf-8")
    return json.loads(message)


def objects(message):
    """The values of all keys that hold Thrift-JSON: xxxJson (text) and xxxListJson (texts)."""
    for key, value in message.items():
        if not key.endswith("Json"):
            continue
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.startswith("{"):
                yield text


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    seen = {}
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as log:
            for line in log:
                row = json.loads(line)
                if row.get("message"):
                    seen.update(dict.fromkeys(objects(decode(row))))
    lines = "".join(json.dumps(text, ensure_ascii=False) + "\n" for text in seen)
    with open(sys.argv[1], "wb") as out:
        with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0, filename="") as packed:
            packed.write(lines.encode("utf-8"))
    print(f"{len(seen)} objects, {len(lines)} characters")


if __name__ == "__main__":
    main()
