#!/usr/bin/env python3
"""Writes thrift/idl/ from the facts table hms_idl_facts.tsv.gz.

  generate.py            writes hive_metastore.thrift, fb303.thrift and the field-id headers
  generate.py --check    exit code 1 if a committed file is not what would be written
  generate.py --pruned FILE
                         writes the IDL cut down to the methods of methods.txt, and to the types
                         they need: what the C++ code is generated from
"""

import argparse
import pathlib
import sys

import facts as facts_module
from headers import (CORE_STRUCTS, PARTITION_REQUEST_STRUCTS, REQUEST_STRUCTS, field_id_header,
                     umbrella_header)

HERE = pathlib.Path(__file__).resolve().parent
IDL = HERE.parent.parent / "thrift" / "idl"
METHODS = HERE / "methods.txt"

BANNER = ("// Written by tools/idl/generate.py from tools/idl/hms_idl_facts.tsv.gz; "
          "edit those, not this file.\n")

# C++20 rejects a container of a struct that is declared later, and here is the one true cycle:
# Table -> CreationMetadata -> SourceTable -> Table. The field becomes a reference (a shared_ptr in
# C++), its structs come after Table, and nothing in them is required, because thrift 0.17
# miscompiles references to structs with required fields. The bytes on the wire are the same.
CYCLE_FIELD = ("Table", "creationMetadata")
AFTER_TABLE = ["SourceTable", "CreationMetadata"]
NOT_REQUIRED_IN = "CreationMetadata"

# Objects that C++ code keeps must come back as they came. Fields without a keyword are written by
# C++ even when they were never set (a null comment would turn into an empty one); as optional
# fields they are written when set, as Java does. Numbers are always written by Java as well.
KEPT_STRUCTS = set("""Catalog Database Table Partition StorageDescriptor SerDeInfo SkewedInfo
FieldSchema Order Function ResourceUri PrincipalPrivilegeSet EnvironmentContext""".split())
ALWAYS_WRITTEN = {"bool", "byte", "i16", "i32", "i64", "double"}


def keep_absence(facts):
    for name in KEPT_STRUCTS:
        for one in facts.structs[name].fields.values():
            if one.requiredness == "default" and one.type not in ALWAYS_WRITTEN:
                one.requiredness = "optional"


def literal(type_text, value):
    if type_text == "string":
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return value


def field_text(struct, one):
    requiredness = one.requiredness
    if struct.name == NOT_REQUIRED_IN and requiredness == "required":
        requiredness = "default"
    if struct.keyword == "union":
        requiredness = "default"
    prefix = "" if requiredness == "default" else requiredness + " "
    reference = " &" if (struct.name, one.name) == CYCLE_FIELD else ""
    default = "" if one.default in ("", "None") else f" = {literal(one.type, one.default)}"
    return f"  {one.id}: {prefix}{one.type}{reference} {one.name}{default},"


def struct_text(struct):
    lines = [f"{struct.keyword} {struct.name} {{"]
    lines += [field_text(struct, struct.fields[key]) for key in sorted(struct.fields)]
    return "\n".join(lines + ["}"])


def enum_text(name, values):
    lines = [f"  {values[key]} = {key}," for key in sorted(values)]
    return "\n".join([f"enum {name} {{", *lines, "}"])


def method_text(method):
    def parameters(fields):
        parts = []
        for key in sorted(fields):
            one = fields[key]
            default = "" if one.default in ("", "None") else f" = {literal(one.type, one.default)}"
            parts.append(f"{one.id}: {one.type} {one.name}{default}")
        return ", ".join(parts)
    oneway = "oneway " if method.oneway else ""
    throws = f"\n    throws ({parameters(method.throws)})" if method.throws else ""
    return f"  {oneway}{method.result.type} {method.name}({parameters(method.args)}){throws},"


def dependencies(struct):
    found = set()
    for one in struct.fields.values():
        if (struct.name, one.name) != CYCLE_FIELD:
            found |= facts_module.names_in(one.type)
    return found


def ordered_structs(structs):
    """Every struct after those it holds, otherwise by name."""
    done, order = set(), []

    def visit(name, path):
        if name in done or name not in structs:
            return
        if name in path:
            raise ValueError("cycle of structs: " + " -> ".join([*path, name]))
        for other in sorted(dependencies(structs[name])):
            visit(other, [*path, name])
        done.add(name)
        order.append(structs[name])
    for name in sorted(structs):
        if name not in AFTER_TABLE:
            visit(name, [])
        if name == "Table":
            for later in AFTER_TABLE:
                visit(later, [])
    for name in AFTER_TABLE:
        visit(name, [])
    return order


def reachable(facts, roots):
    found, todo = set(), set(roots)
    while todo:
        name = todo.pop()
        if name in found or name not in facts.structs:
            found.add(name)
            continue
        found.add(name)
        for one in facts.structs[name].fields.values():
            todo |= facts_module.names_in(one.type) - found
    return found


def metastore_idl(facts, methods, types):
    structs = {name: one for name, one in facts.structs.items() if name in types}
    enums = {name: one for name, one in facts.enums.items() if name in types}
    parts = [BANNER + """
include "fb303.thrift"

namespace cpp catalogd.thrift.hms
namespace java org.apache.hadoop.hive.metastore.api
namespace py hive_metastore
namespace go hive_metastore
namespace rs hive_metastore
"""]
    parts.append("\n".join(f"const {kind} {name} = {literal(kind, value)}"
                           for name, (kind, value) in sorted(facts.consts.items())))
    parts += [enum_text(name, enums[name]) for name in sorted(enums)]
    parts += [struct_text(one) for one in ordered_structs(structs)]
    service = "\n".join(method_text(methods[name]) for name in sorted(methods))
    parts.append("service ThriftHiveMetastore extends fb303.FacebookService {\n" + service + "\n}")
    return "\n\n".join(part for part in parts if part) + "\n"


def fb303_idl(facts):
    parts = [BANNER + "\nnamespace cpp catalogd.thrift.fb303\nnamespace java com.facebook.fb303\n"
             "namespace py fb303"]
    parts += [enum_text(name, values) for name, values in sorted(facts.fb303_enums.items())]
    service = "\n".join(method_text(one) for _, one in sorted(facts.fb303_methods.items()))
    parts.append("service FacebookService {\n" + service + "\n}")
    return "\n\n".join(parts) + "\n"


def read_methods():
    lines = (line.split("#")[0].strip() for line in METHODS.read_text().splitlines())
    words = [line for line in lines if line]
    structs = {word.removeprefix("struct ") for word in words if word.startswith("struct ")}
    return {word for word in words if not word.startswith("struct ")}, structs


def pruned_idl(facts):
    names, extra = read_methods()
    unknown = (names - set(facts.methods)) | (extra - set(facts.structs))
    if unknown:
        raise SystemExit(f"{METHODS.name}: not in the facts table: {', '.join(sorted(unknown))}")
    methods = {name: facts.methods[name] for name in names}
    roots = set().union(extra, *(one.types() for one in methods.values()))
    return metastore_idl(facts, methods, reachable(facts, roots))


def outputs(facts):
    everything = set(facts.structs) | set(facts.enums)
    return {
        IDL / "hive_metastore.thrift": metastore_idl(facts, facts.methods, everything),
        IDL / "fb303.thrift": fb303_idl(facts),
        IDL / "object_field_ids.h": field_id_header(facts, CORE_STRUCTS, BANNER),
        IDL / "request_field_ids.h": field_id_header(facts, REQUEST_STRUCTS, BANNER),
        IDL / "partition_request_field_ids.h": field_id_header(facts, PARTITION_REQUEST_STRUCTS,
                                                               BANNER),
        IDL / "field_ids.h": umbrella_header(BANNER),
    }


def main():
    parser = argparse.ArgumentParser(description="Writes thrift/idl/ from the facts table.")
    parser.add_argument("--check", action="store_true", help="only compare with the tree")
    parser.add_argument("--pruned", metavar="FILE", help="write the IDL of methods.txt to FILE")
    options = parser.parse_args()
    facts = facts_module.load()
    if options.pruned:
        keep_absence(facts)
        pathlib.Path(options.pruned).write_text(pruned_idl(facts))
        return 0
    stale = []
    for path, text in outputs(facts).items():
        if options.check:
            if not path.exists() or path.read_text() != text:
                stale.append(str(path.relative_to(IDL.parent.parent)))
        else:
            path.write_text(text)
    if stale:
        print(f"not what tools/idl/generate.py writes: {', '.join(stale)}; run it", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
