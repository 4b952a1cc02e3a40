"""Characters, bytes, types and places that engines choke on: what is stored is what is answered,
whether it came by an event, by a load or by an own write; and each partition is its own."""
import json

import pytest
from pymetastore.hive_metastore import ttypes as t

from support import metastore
from support.metastore import columns, get_table
from support.raw import assert_all_same, assert_same, outcome, partition_reads, table_reads
from test_embedded import MetastoreServer
from thrift_binary import I16, List, Struct
from thrift_connection import Connection

# IMPALA-13691, StarRocks#64340, Doris#21876, Paimon#9077: values that were decoded although nobody
# had encoded them, names that were split at a slash that belonged to a value.
PUNCTUATION = [f"a{chr(code)}b" for code in range(0x20, 0x7F) if not chr(code).isalnum()]
CONTROLS = [f"a{chr(code)}b" for code in (*range(1, 0x20), 0x7F)]
LOOK_ENCODED = ["00:00:00", "00%3A00%3A00", "%3A", "%3a", "100%", "%", "%%", "%zz", "%2", "a+b",
                "a=b/c=d", "p=1", "a b", "x/y/z", "//", "..", ".", "\\u0001", "\\", "'\"'", "NULL",
                "null", "-1", "01", "1", "1.0", "}", "{}", "[a]", "é", "日本語", "naïve ☃"]


VALUES = list(dict.fromkeys(PUNCTUATION + LOOK_ENCODED + CONTROLS))
# Each of these partitions gets a mark by an alter of its own: it must land there and nowhere else.
MARKED = VALUES[::3]


def names_of(client, db):
    return client.get_partition_names(db, "t", -1)


def assert_each_is_its_own(port, db):
    with metastore.connect(port) as client:
        for value in VALUES:
            found = client.get_partition(db, "t", [value])
            mark = f"of {value}" if value in MARKED else None
            assert (found.values, found.parameters.get("marker")) == ([value], mark)
        names = names_of(client, db)
        assert len(names) == len(set(names)) == len(VALUES)
        for name in names:
            (value,) = client.partition_name_to_vals(name)
            assert client.get_partition_by_name(db, "t", name).values == [value]
            assert client.partition_name_to_spec(name) == {"p": value}
        found = client.get_partitions_by_names(db, "t", names)
        assert sorted(p.values[0] for p in found) == sorted(VALUES)


def fill(client, db):
    """Every value, by add or append, then the marks."""
    client.create_table(metastore.table(db, "t", [("p", "string")]))
    made = [metastore.partition(client, db, "t", [value]) for value in VALUES[::2]]
    for number, partition in enumerate(made):
        partition.sd.location = None if number % 2 else f"file:/elsewhere/{number}"
    client.add_partitions(made)
    for value in VALUES[1::2]:
        client.append_partition(db, "t", [value])
    for value in MARKED:
        marked = client.get_partition(db, "t", [value])
        marked.parameters = {**marked.parameters, "marker": f"of {value}"}
        client.alter_partition(db, "t", marked)


@pytest.mark.parametrize("who", ["others", "own"])
def test_every_character_in_a_partition_value(hms, daemon, direct, through, db, who):
    fill(direct if who == "others" else through, db)
    daemon.wait()
    names = names_of(direct, db)
    reads = partition_reads(db, "t", names, [[value] for value in VALUES]) + [
        (method, Struct({1: name})) for name in names
        for method in ("partition_name_to_vals", "partition_name_to_spec")]
    assert daemon.get(f"{db}.t")["served_from_cache"] is True
    assert_all_same(hms.port, daemon.port, reads)
    assert_each_is_its_own(daemon.port, db)
    daemon.ctl("sync", f"{db}.t")  # And so they are when they are loaded.
    assert daemon.get(f"{db}.t")["partitions"] == len(VALUES)
    assert_all_same(hms.port, daemon.port, reads)


@pytest.mark.parametrize("hms", ["4.2.0"], indirect=True)
def test_the_embedded_metastore_names_partitions_alike(hms, direct, db, tmp_path):
    fill(direct, db)
    with MetastoreServer(tmp_path / "state") as server:
        with metastore.connect(server.port) as client:
            client.create_database(metastore.database(db))
            fill(client, db)
            assert names_of(client, db) == names_of(direct, db)
        assert_each_is_its_own(server.port, db)


# Gravitino#4147, Paimon#1262, HIVE-28544, Paimon#9072: comments that came back as question marks,
# and line breaks that broke readers of lines.
TEXTS = ["订单日期", "😀 𝄞", "e\u0301a\u0308", "שלום عليكم", "\\ud83d\\ude00 \\ud83d", "é" * 120,
         "one\ntwo\r\nthree\ttab", '|<b>"x"</b>&amp;{{7*7}}</script><img src=x onerror=1>',
         "\u0001\u001f\u007f"]


def wordy(db, name, text):
    table = metastore.table(db, name, [("p", "string")], {"text": text, "comment": text})
    table.owner = text[:60]
    table.sd.cols[0].comment = table.partitionKeys[0].comment = text[:120]
    table.sd.parameters = {"text": text}
    table.sd.serdeInfo.parameters = {"field.delim": text}
    return table


@pytest.mark.parametrize("who", ["others", "own"])
def test_texts_of_every_script(hms, daemon, direct, through, db, who):
    client = direct if who == "others" else through
    for number, text in enumerate(TEXTS):
        client.create_table(wordy(db, f"t{number}", text))
        partition = metastore.partition(client, db, f"t{number}", ["1"], {"text": text})
        client.add_partition(partition)
        table = get_table(client, db, f"t{number}")
        table.parameters["altered"] = text
        client.alter_table(db, f"t{number}", table)
    daemon.wait()
    for number, text in enumerate(TEXTS):
        assert_all_same(hms.port, daemon.port, table_reads(db, f"t{number}") +
                        partition_reads(db, f"t{number}", ["p=1"], [["1"]]))
        with metastore.connect(daemon.port) as reader:
            assert get_table(reader, db, f"t{number}").parameters["altered"] == text
        page = json.loads(daemon.page(f"/object?name={db}.t{number}&json")[1])
        assert json.dumps(text) in json.dumps(page)
        assert "<img" not in daemon.page(f"/object?name={db}.t{number}")[1]


def test_bytes_that_are_no_text(hms, daemon, db):
    """No client writes these on purpose; the metastore decides what becomes of them."""
    for number, odd in enumerate([b"\xc3", b"a\xffb", b"\xed\xa0\x80", b"nul\x00l"]):
        table = Struct({1: f"t{number}", 2: db, 3: b"o" + odd, 7: storage_with(odd),
                        8: List([], 12), 12: "MANAGED_TABLE"})
        with Connection(daemon.port) as through:
            outcome(through, "create_table", Struct({1: table}))
        daemon.wait()
        assert_all_same(hms.port, daemon.port, table_reads(db, f"t{number}"))
        code, page = daemon.page(f"/object?name={db}.t{number}&json")
        assert code in (200, 404) and json.loads(page)


def storage_with(odd):
    serde = Struct({1: "s", 2: "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"})
    column = Struct({1: "id", 2: "int", 3: b"c" + odd})
    return Struct({1: List([column]), 3: "in", 4: "out", 7: serde})


# OpenMetadata#13429, PyIceberg#1681: types that somebody took apart with a simple pattern.
TYPES = ["struct<b:decimal(20,0)>", "array<struct<a:int,b:map<string,array<double>>>>",
         "uniontype<int,string>", "void", "unknown", "interval_day_time", "interval_year_month",
         "timestamp with local time zone", "struct<`a:b`:int>", "char(3)", "varchar(65535)",
         "array<" * 40 + "int" + ">" * 40, "struct<a:string comment 'x, y: z'>", "decimal(38, 18)"]


def test_types_that_are_text(hms, daemon, direct, through, db):
    made = []
    for number, kind in enumerate(TYPES):
        client = through if number % 2 else direct
        fields = columns(("id", "int"), ("c", kind))
        try:
            client.create_table(metastore.table(db, f"t{number}", [("p", "int")], fields=fields))
        except t.InvalidObjectException:
            continue  # The metastore's own judgement.
        made.append(f"t{number}")
        client.append_partition(db, f"t{number}", ["1"])
    assert len(made) > len(TYPES) / 2
    daemon.wait()
    for name in made:
        assert_all_same(hms.port, daemon.port, table_reads(db, name) +
                        partition_reads(db, name, ["p=1"], [["1"]]))
        assert_same(hms.port, daemon.port, "get_fields", Struct({1: db, 2: name}))


# Alluxio#12651, #13492: one partition in an odd place made a whole table unreadable.
PLACES = ["s3a://other-bucket/x", "hdfs://nn:8020/y?z#f", "file:/tmp/with blank", "relative/path",
          "file:/" + "l" * 3000, None, ""]


@pytest.mark.parametrize("who", ["others", "own"])
def test_partitions_in_every_place(hms, daemon, direct, through, db, who):
    client = direct if who == "others" else through
    client.create_table(metastore.table(db, "t", [("p", "string")]))
    kept = []
    for number, place in enumerate(PLACES):
        partition = metastore.partition(client, db, "t", [str(number)])
        partition.sd.location = place
        try:
            client.add_partition(partition)
        except t.MetaException:
            continue  # No file system of that scheme, or no such place, to the metastore.
        kept.append(str(number))
    moved = client.get_partition(db, "t", [kept[0]])
    moved.sd.location = "file:/moved/there"
    client.alter_partition(db, "t", moved)
    daemon.wait()
    names, values = [f"p={value}" for value in kept], [[value] for value in kept]
    assert_all_same(hms.port, daemon.port, partition_reads(db, "t", names, values))
    daemon.ctl("sync", f"{db}.t")
    assert_all_same(hms.port, daemon.port, partition_reads(db, "t", names, values))
    assert_same(hms.port, daemon.port, "get_partitions_ps",
                Struct({1: db, 2: "t", 3: List([""]), 4: I16(-1)}), in_order=False)


# Names that no server writes: what is taken for an escape is what Java's number parser takes.
WRITTEN = ["p=%+A", "p=%-0", "p=%-1", "p=% 1", "p=%1 ", "p=%e9", "p=%C3%A9", "p=%00", "p=%41",
           "p=%4a", "p=%2f", "p=a%2", "p=a%", "p=%", "%70=A", "P=A", "p=A/", "/p=A", "p=A//",
           "p==A", "p", "=A", "p=", "", "p=A/p=A", "p=a=b", "p=%\uff11\uff11", "p=%\u0661\u0661",
           "p=\u00e9"]
STORED = ["\n", "\x01", "A", "J", "/", "\u00e9", "\u00c3\u00a9", "a%2", "a%", "%", "=A", "a=b",
          "%+A", "%-0", "%-1", "% 1", "%1 ", "\x11", "%\uff11\uff11", "%\u0661\u0661", "%e9"]


def test_names_that_no_server_writes(hms, daemon, direct, db):
    direct.create_table(metastore.table(db, "t", [("p", "string")]))
    for value in STORED:
        direct.append_partition(db, "t", [value])
    daemon.wait()
    daemon.ctl("sync", f"{db}.t")
    wrong = []
    for name in WRITTEN:
        for method, arguments in [("get_partition_by_name", {1: db, 2: "t", 3: name}),
                                  ("get_partitions_by_names", {1: db, 2: "t", 3: List([name])}),
                                  ("partition_name_to_vals", {1: name}),
                                  ("partition_name_to_spec", {1: name}),
                                  ("partition_name_has_valid_characters",
                                   {1: List([name]), 2: False})]:
            try:
                assert_same(hms.port, daemon.port, method, Struct(arguments))
            except AssertionError as different:
                wrong.append(str(different)[:400])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("hms", ["4.2.0"], indirect=True)
def test_the_embedded_metastore_reads_such_names_alike(hms, direct, tmp_path):
    wrong = []
    with MetastoreServer(tmp_path / "state") as server:
        for name in WRITTEN:
            if any(ord(digit) > 0x2FF for digit in name):
                continue  # Digits of other scripts are text there.
            for method in ("partition_name_to_vals", "partition_name_to_spec"):
                answers = []
                for port in (hms.port, server.port):
                    with Connection(port) as connection:
                        answers.append(outcome(connection, method, Struct({1: name})))
                if answers[0] != answers[1]:
                    wrong.append(f"{method} {name!r}: {answers}")
    assert not wrong, "\n".join(wrong)
