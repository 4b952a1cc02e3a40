"""C++ headers with the field ids that code on raw bytes needs."""

import re

CORE_STRUCTS = """
Catalog Database Table Partition StorageDescriptor SerDeInfo SkewedInfo FieldSchema Order
CreationMetadata SourceTable Function EnvironmentContext PrincipalPrivilegeSet PartitionSpec
PartitionSpecWithSharedSD PartitionWithoutSD PartitionListComposingSpec TableMeta
NotificationEvent CurrentNotificationEventId MetaException
NotificationEventRequest NotificationEventResponse NotificationEventsCountRequest
NotificationEventsCountResponse
""".split()

REQUEST_STRUCTS = """
GetTableRequest GetTableResult GetTablesRequest GetTablesResult CreateTableRequest
AlterTableRequest DropTableRequest TruncateTableRequest GetFieldsRequest GetFieldsResponse
GetSchemaRequest GetSchemaResponse
GetDatabaseRequest CreateDatabaseRequest AlterDatabaseRequest DropDatabaseRequest
GetDatabaseObjectsRequest GetDatabaseObjectsResponse GetCatalogRequest GetCatalogsResponse
""".split()

PARTITION_REQUEST_STRUCTS = """
AddPartitionsRequest AddPartitionsResult AppendPartitionsRequest DropPartitionRequest
DropPartitionsRequest RequestPartsSpec DropPartitionsResult AlterPartitionsRequest
RenamePartitionRequest GetPartitionRequest GetPartitionResponse PartitionsRequest
PartitionsResponse GetPartitionNamesPsRequest GetPartitionNamesPsResponse
GetPartitionsPsWithAuthRequest GetPartitionsPsWithAuthResponse GetPartitionsByNamesRequest
GetPartitionsByNamesResult GetPartitionsByFilterRequest PartitionsByExprRequest
GetPartitionsRequest PartitionValuesRequest FireEventRequest
""".split()


def snake(name):
    name = name.replace("SerDe", "Serde")
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def constant(name):
    return "k" + "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def namespace_text(struct):
    fields = [struct.fields[key] for key in sorted(struct.fields)]
    lines = [f"inline constexpr int16_t {constant(one.name)} = {one.id};" for one in fields]
    name = snake(struct.name)
    return "\n".join([f"namespace {name} {{", *lines, f"}}  // namespace {name}"])


def field_id_header(facts, names, banner):
    body = "\n".join(namespace_text(facts.structs[name]) for name in names)
    return (f"{banner}#pragma once\n\n#include <cstdint>\n\n"
            "// Field ids of metastore structs: one namespace per struct, newest version.\n"
            f"namespace catalogd::ids {{\n\n{body}\n\n}}  // namespace catalogd::ids\n")


def umbrella_header(banner):
    return (f"{banner}#pragma once\n\n"
            "#include \"thrift/idl/object_field_ids.h\"\n"
            "#include \"thrift/idl/partition_request_field_ids.h\"\n"
            "#include \"thrift/idl/request_field_ids.h\"\n")
