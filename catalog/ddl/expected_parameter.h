#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catalog/base/names.h"
#include "thrift/wire/view.h"

// The compare-and-swap of table formats that commit without a lock: an alter that is to happen only
// while a parameter of the table is what its writer has read. Hive 4 does it itself. 3.1 ignores
// it, so that commits are lost; 2.3.10 does it by SQL that its embedded database cannot run, so
// that every commit fails. Measured on 2.3.10, 3.1.3 and 4.2.0. Pure functions.
namespace catalogd::ddl {

struct ExpectedParameter {
  ObjectName table;
  std::string key;
  std::string value;                 // What the table must say.
  std::optional<std::string> after;  // What it is to say then.
};

// What a call expects; absent when it expects nothing, or is no alter that can.
std::optional<ExpectedParameter> ExpectedIn(std::string_view method,
                                            const wire::StructView& arguments);

// Why the alter must not happen to `table` (an encoded Table), in the metastore's own words, which
// Iceberg looks for; empty when it may.
std::string Refusal(const ExpectedParameter& expected, std::string_view table);

// The metastore's MetaException with that text, as the answer to the call `message`.
std::string RefusalReply(std::string_view message, std::string_view text);

// True for the answer of a metastore that wanted to compare and could not; nothing has happened.
bool CouldNotCompare(std::string_view reply);

// The same call without its expectation.
std::string WithoutExpectation(std::string_view message);

}  // namespace catalogd::ddl
