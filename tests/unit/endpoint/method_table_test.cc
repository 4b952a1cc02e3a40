#include "catalog/endpoint/method_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "catalog/endpoint/call_rows.h"
#include "catalog/endpoint/method_rows.h"
#include "tests/unit/endpoint/idl_facts.h"

namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::IdlFacts;

const IdlFacts& Facts() {
  static const IdlFacts facts = IdlFacts::Load();
  return facts;
}

// What could go wrong: a method of some version has no row and every call of it is taken for a
// write of unknown effect. Both directions of the comparison with the facts are looked at.
TEST(MethodTable, HasARowForEveryMethodOfEveryVersionAndNoOther) {
  ASSERT_GT(Facts().methods.size(), 300U);
  std::set<std::string> rows;
  for (const MethodRow& row : MethodTable::Get().rows()) rows.insert(std::string(row.name));
  EXPECT_EQ(rows, Facts().methods);
}

TEST(MethodTable, FindsRowsByNameAndNothingElse) {
  for (const MethodRow& row : MethodTable::Get().rows()) {
    ASSERT_EQ(MethodTable::Get().Find(row.name), &row);
    EXPECT_EQ(&MethodTable::Get().rows()[MethodTable::Get().IndexOf(row)], &row);
  }
  EXPECT_EQ(MethodTable::Get().Find("get_tabl"), nullptr);
  EXPECT_EQ(MethodTable::Get().Find(""), nullptr);
}

// What could go wrong: an error text goes into a field that means another exception.
TEST(MethodTable, ExceptionsSitWhereTheMethodDeclaresThem) {
  for (const MethodRow& row : MethodTable::Get().rows()) {
    const std::string name(row.name);
    const auto declared = Facts().throws.contains(name) ? Facts().throws.at(name)
                                                        : std::map<std::string, std::set<int>>();
    const auto ids =
        declared.contains("MetaException") ? declared.at("MetaException") : std::set<int>();
    // Two ids: versions differ, so neither can be used.
    const int expected = ids.size() == 1 ? *ids.begin() : 0;
    EXPECT_EQ(row.meta_exception, expected) << name;
    if (row.read.not_found == 0) continue;
    ASSERT_TRUE(declared.contains("NoSuchObjectException")) << name;
    EXPECT_EQ(declared.at("NoSuchObjectException"), std::set<int>{row.read.not_found}) << name;
  }
}

// What could go wrong: a client is taken for one of another release, and is answered in its words.
TEST(MethodTable, MethodsTellOfWhichReleaseTheirCallersAre) {
  for (const MethodRow& row : MethodTable::Get().rows()) {
    const bool is_new = Facts().since.at(std::string(row.name)) >= "4";
    EXPECT_EQ(row.callers == Callers::kHive4, is_new) << row.name;
    if (row.callers != Callers::kOlder) continue;
    // Hive 4.0 has another method in its place, or it is gone.
    const auto rows = CallRows();
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const CallRow& call) {
      return call.older == row.name && (call.direction == Direction::kToNewer ||
                                        Facts().since.at(std::string(call.newer)) == "4.0");
    })) << row.name;
  }
}

TEST(MethodTable, FiltersAreWhereTheMethodHasThem) {
  for (const MethodRow& row : MethodTable::Get().rows()) {
    const std::string name(row.name);
    EXPECT_EQ(row.filter != 0,
              name.find("by_filter") != std::string::npos && name.find("part") != std::string::npos)
        << name;
    if (row.filter == 0) continue;
    const auto& arguments = Facts().arguments.at(name);
    const auto* field = IdlFacts::Find(
        row.read.request ? Facts().fields.at(IdlFacts::Find(arguments, 1)->type) : arguments,
        row.filter);
    ASSERT_NE(field, nullptr) << name;
    EXPECT_EQ(field->name, "filter") << name;
  }
}

// The struct at the end of a way, by name; "()" for the arguments themselves.
std::vector<IdlFacts::Field> FieldsAtEnd(const MethodRow& row, const NamePath& path) {
  auto fields = Facts().arguments.at(std::string(row.name));
  for (const int16_t step : path.way) {
    if (step == 0) break;
    const auto* field = IdlFacts::Find(fields, step);
    EXPECT_NE(field, nullptr) << row.name << " has no field " << step;
    if (field == nullptr) return {};
    const std::string type = std::regex_replace(field->type, std::regex("^list<(.*)>$"), "$1");
    // The index structs are not in the facts.
    if (type == "Index") return {{3, "dbName", "string"}, {4, "origTableName", "string"}};
    EXPECT_TRUE(Facts().fields.contains(type)) << row.name << ": " << field->type;
    fields = Facts().fields.at(type);
  }
  return fields;
}

void ExpectName(const MethodRow& row, const std::vector<IdlFacts::Field>& fields, int id,
                const std::string& pattern) {
  const auto* field = IdlFacts::Find(fields, id);
  ASSERT_NE(field, nullptr) << row.name << " has no field " << id;
  EXPECT_EQ(field->type, "string") << row.name << "." << field->name;
  EXPECT_TRUE(std::regex_search(field->name, std::regex(pattern, std::regex::icase)))
      << row.name << ": " << field->name << " is not a " << pattern;
}

// What could go wrong: a write locks a column name, or a table under the name of its owner.
TEST(MethodTable, NamesOfWritesAreWhereTheFactsHaveThem) {
  for (const MethodRow& row : MethodTable::Get().rows()) {
    for (const NamePath& path : row.names) {
      if (path.db == 0) continue;
      const auto fields = FieldsAtEnd(row, path);
      if (path.db == NamePath::kDefaultDatabase) {
        ExpectName(row, fields, path.catalog, "^(cat)?name$");
        continue;
      }
      ExpectName(row, fields, path.db, "db|database|^name$");
      if (path.table != 0) ExpectName(row, fields, path.table, "table|tbl|^name$");
      if (path.catalog != 0) ExpectName(row, fields, path.catalog, "cat");
      // Whoever has a catalog field of its own must use it.
      const bool has_catalog = std::any_of(fields.begin(), fields.end(), [](const auto& field) {
        return std::regex_match(field.name, std::regex("cat_?(alog)?name", std::regex::icase));
      });
      EXPECT_EQ(path.catalog != 0, has_catalog) << row.name;
    }
  }
}

// What could go wrong: a field is taken for another one and a request is answered from the cache
// that asks for something else.
TEST(MethodTable, CachedReadsUnderstandFieldsThatAreThere) {
  for (const MethodRow& row : MethodTable::Get().rows()) {
    if (row.kind != Kind::kCachedRead) continue;
    const ReadSpec& read = row.read;
    ASSERT_NE(read.shape, ReadShape::kNone) << row.name;
    const auto found = Facts().arguments.find(std::string(row.name));
    std::vector<IdlFacts::Field> fields;
    if (found != Facts().arguments.end()) fields = found->second;
    if (read.request) {
      ASSERT_EQ(fields.size(), 1U) << row.name;
      fields = Facts().fields.at(fields.front().type);
    }
    if (read.db != 0) ExpectName(row, fields, read.db, "db|database|^name$|pattern");
    if (read.table != 0) ExpectName(row, fields, read.table, "table|tbl|^name$");
    if (read.catalog != 0) ExpectName(row, fields, read.catalog, "cat");
    if (read.list != 0) {
      const auto* list = IdlFacts::Find(fields, read.list);
      ASSERT_NE(list, nullptr) << row.name;
      EXPECT_TRUE(std::regex_search(
          list->name, std::regex("vals|values|names|pattern|part_name|filter", std::regex::icase)))
          << row.name << ": " << list->name;
    }
    if (read.max != 0) {
      const auto* max = IdlFacts::Find(fields, read.max);
      ASSERT_NE(max, nullptr) << row.name;
      EXPECT_TRUE(max->name == "max_parts" || max->name == "maxParts") << row.name;
      EXPECT_EQ(max->type, "i16") << row.name;
    }
    for (int id = 1; id < 32; ++id) {
      if (((read.any | read.neutral) & FieldBit(id)) == 0) continue;
      const auto* field = IdlFacts::Find(fields, id);
      ASSERT_NE(field, nullptr) << row.name << " has no field " << id;
      // Snapshots of transactions are never understood.
      EXPECT_NE(field->name, "validWriteIdList") << row.name;
    }
  }
}

// Names that tell what a method does: a create that is not a write would be invisible to the cache.
TEST(MethodTable, WhatChangesCatalogObjectsIsAWrite) {
  const std::regex object("(^|_)(table|database|partition|function|catalog|constraint|index)");
  const std::regex change("^(create|alter|drop|truncate|add|append|rename|exchange|delete)_");
  const std::regex harmless("^add_dynamic_partitions$|.*pool.*");
  for (const MethodRow& row : MethodTable::Get().rows()) {
    const std::string name(row.name);
    if (!std::regex_search(name, change) || !std::regex_search(name, object)) continue;
    if (std::regex_match(name, harmless)) continue;
    EXPECT_EQ(row.kind, Kind::kWrite) << name;
  }
}

// What one caller may see or do is nobody else's answer, and grants are told by no event
// (Trino#1441, Trino#4768, prestodb#15736).
TEST(MethodTable, WhoMayDoWhatIsAskedEveryTime) {
  const std::regex access("(^|_)(role|privilege|token|delegation|key|principals)");
  const std::regex constraint(".*(primary|foreign)_key.*|.*master_key.*");
  size_t rows = 0;
  for (const MethodRow& row : MethodTable::Get().rows()) {
    const std::string name(row.name);
    if (!std::regex_search(name, access) || std::regex_match(name, constraint)) continue;
    EXPECT_EQ(row.kind, Kind::kPassThrough) << name;
    ++rows;
  }
  EXPECT_GT(rows, 15U);
}

TEST(MethodTable, ReadsAreNotWrites) {
  for (const MethodRow& row : MethodTable::Get().rows()) {
    const std::string name(row.name);
    if (name.starts_with("get_") || name.starts_with("show_") || name.starts_with("list_")) {
      EXPECT_NE(row.kind, Kind::kWrite) << name;
    }
  }
}

TEST(MethodTable, RenamesAndExchangesNameBothEnds) {
  for (const char* method :
       {"alter_table", "alter_table_with_environment_context", "alter_table_with_cascade",
        "alter_table_req", "exchange_partition", "exchange_partitions"}) {
    const MethodRow* row = MethodTable::Get().Find(method);
    ASSERT_NE(row, nullptr);
    EXPECT_NE(row->names[1].db, 0) << method;
  }
}

TEST(MethodTable, SaysWhatTheLogOfAVersionTells) {
  const auto announced = [](const char* method, hms::Generation generation) {
    return MethodTable::Get().Find(method)->AnnouncedOn(generation);
  };
  using enum hms::Generation;
  EXPECT_EQ(announced("alter_database", kHive2), ddl::Announced::kNever);
  EXPECT_EQ(announced("alter_database", kHive3), ddl::Announced::kAlways);
  EXPECT_EQ(announced("alter_database", kHive4), ddl::Announced::kSometimes);
  EXPECT_EQ(announced("alter_function", kHive4), ddl::Announced::kNever);
  EXPECT_EQ(announced("drop_catalog", kHive4), ddl::Announced::kNever);
  EXPECT_EQ(announced("update_table_column_statistics", kHive3), ddl::Announced::kNever);
  EXPECT_EQ(announced("update_table_column_statistics", kHive4), ddl::Announced::kAlways);
  EXPECT_EQ(announced("alter_table", kHive2), ddl::Announced::kAlways);
  // Nothing is known of the server: only what all versions announce counts.
  EXPECT_EQ(announced("alter_table", kUnknown), ddl::Announced::kAlways);
  EXPECT_EQ(announced("alter_database", kUnknown), ddl::Announced::kSometimes);
}

}  // namespace
}  // namespace catalogd::endpoint
