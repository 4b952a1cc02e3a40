"""Reads the facts table of the metastore IDL: one object per struct, enum, constant and method.

Of a thing that had several shapes over the versions, the newest one is taken.
"""

import csv
import gzip
import pathlib
import re
from dataclasses import dataclass, field

TABLE = pathlib.Path(__file__).with_name("hms_idl_facts.tsv.gz")
VERSIONS = ["2.3", "3.1", "4.0", "4.0.1", "4.1", "4.1-or-4.2", "4.2-or-later", "4.3-snapshot"]
# Results of unreleased servers: a client made from them could not read a released server's answer.
UNRELEASED = "4.3-snapshot"


@dataclass
class Field:
    id: int
    name: str
    type: str
    requiredness: str
    default: str
    since: str
    until: str


@dataclass
class Struct:
    name: str
    keyword: str  # struct, union, exception
    fields: dict = field(default_factory=dict)


@dataclass
class Method:
    name: str
    result: Field = None
    args: dict = field(default_factory=dict)
    throws: dict = field(default_factory=dict)

    @property
    def oneway(self):
        return self.result.requiredness == "oneway"

    def types(self):
        parts = [self.result, *self.args.values(), *self.throws.values()]
        return set().union(*(names_in(part.type) for part in parts))


@dataclass
class Facts:
    structs: dict = field(default_factory=dict)
    enums: dict = field(default_factory=dict)
    consts: dict = field(default_factory=dict)
    methods: dict = field(default_factory=dict)
    fb303_enums: dict = field(default_factory=dict)
    fb303_methods: dict = field(default_factory=dict)


BASE_TYPES = {"bool", "byte", "i16", "i32", "i64", "double", "string", "binary", "void",
              "list", "set", "map"}


def names_in(type_text):
    """Names of structs and enums in a type such as map<string,list<Partition>>."""
    return set(re.findall(r"\w+", type_text)) - BASE_TYPES


def newer(candidate, present):
    def age(one):
        return (one.until == "", VERSIONS.index(one.since))
    return present is None or age(candidate) >= age(present)


def put(fields, one):
    if newer(one, fields.get(one.id)):
        fields[one.id] = one


def relax_required(struct):
    """A required field that some versions do not know must not be demanded of their messages."""
    first = min(VERSIONS.index(one.since) for one in struct.fields.values())
    alive = any(one.until == "" for one in struct.fields.values())
    for one in struct.fields.values():
        late = VERSIONS.index(one.since) > first
        if one.requiredness == "required" and (late or (alive and one.until)):
            one.requiredness = "default"


def load_row(facts, row):
    kind, owner, field_id, name, type_text, requiredness, default, since, until = row
    fb303 = kind.startswith("fb303_")
    kind = kind.removeprefix("fb303_")
    methods = facts.fb303_methods if fb303 else facts.methods
    if kind == "const":
        facts.consts[name] = (type_text, default)
        return
    if kind == "enum_value":
        enums = facts.fb303_enums if fb303 else facts.enums
        enums.setdefault(owner, {})[int(field_id)] = name
        return
    if kind in ("struct_field", "union_field", "exception_field"):
        struct = facts.structs.setdefault(owner, Struct(owner, kind.removesuffix("_field")))
        if field_id != "-":
            put(struct.fields, Field(int(field_id), name, type_text, requiredness, default, since,
                                     until))
        return
    method = methods.setdefault(owner, Method(owner))
    if field_id != "-" and int(field_id) < 0:
        return  # Ids that the compiler made up; never on the wire of a release.
    one = Field(0 if field_id == "-" else int(field_id), name, type_text, requiredness, default,
                since, until)
    if kind == "method_result":
        # Ours is the newest released shape, whether or not an unreleased one replaces it.
        if since != UNRELEASED and newer(one, method.result):
            method.result = one
    elif field_id == "-":
        pass
    elif kind == "method_arg":
        put(method.args, one)
    elif kind == "method_throws":
        put(method.throws, one)
    else:
        raise ValueError(f"unknown kind {kind!r} in {TABLE.name}")


def load(path=TABLE):
    facts = Facts()
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        for row in rows:
            load_row(facts, row)
    for struct in facts.structs.values():
        if struct.fields:
            relax_required(struct)
    for methods in (facts.methods, facts.fb303_methods):
        for name in [name for name, method in methods.items() if method.result is None]:
            del methods[name]
    return facts
