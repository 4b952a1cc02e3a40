// Written by tools/idl/generate.py from tools/idl/hms_idl_facts.tsv.gz; edit those, not this file.
#pragma once

#include "thrift/idl/object_field_ids.h"
#include "thrift/idl/partition_request_field_ids.h"
#include "thrift/idl/request_field_ids.h"
