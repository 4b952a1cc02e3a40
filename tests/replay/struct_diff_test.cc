// A comparison that overlooks a field calls a wrong cache right; one that minds the order of map
// entries calls every cache wrong.
#include "tests/replay/struct_diff.h"

#include <gtest/gtest.h>

#include <functional>

#include "thrift/wire/write.h"

namespace catalogd::replay {
namespace {

using wire::TType;
using wire::Writer;

std::string Struct(const std::function<void(Writer*)>& fields) {
  std::string bytes;
  Writer out(&bytes);
  fields(&out);
  out.Stop();
  return bytes;
}

std::string Map(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string bytes;
  Writer out(&bytes);
  out.MapBegin(TType::kString, TType::kString, entries.size());
  for (const auto& [key, value] : entries) {
    out.String(key);
    out.String(value);
  }
  return bytes;
}

std::string TableWithParameters(const std::vector<std::pair<std::string, std::string>>& entries) {
  return Struct([&](Writer* out) { out->RawField(TType::kMap, 9, Map(entries)); });
}

std::vector<std::string> Paths(const std::string& left, const std::string& right) {
  std::vector<std::string> paths;
  for (const Difference& difference : DiffStructs(ObjectKind::kTable, left, right)) {
    paths.push_back(difference.path);
  }
  return paths;
}

using List = std::vector<std::string>;

TEST(StructDiff, TheOrderOfFieldsAndEntriesDoesNotCount) {
  const std::string one = Struct([](Writer* out) {
    out->StringField(1, "t");
    out->RawField(TType::kMap, 9, Map({{"a", "1"}, {"b", "2"}}));
  });
  const std::string other = Struct([](Writer* out) {
    out->RawField(TType::kMap, 9, Map({{"b", "2"}, {"a", "1"}}));
    out->StringField(1, "t");
  });
  EXPECT_EQ(Paths(one, other), List());
  EXPECT_EQ(Canonical(TType::kStruct, one), Canonical(TType::kStruct, other));
}

TEST(StructDiff, FieldsAreNamedAlsoUnknownOnes) {
  const auto with = [](const std::string& name, int32_t unknown) {
    return Struct([&](Writer* out) {
      out->StringField(1, name);
      out->I32Field(99, unknown);
    });
  };
  EXPECT_EQ(Paths(with("a", 1), with("b", 2)), List({"tableName", "#99"}));
  EXPECT_EQ(Paths(with("a", 1), Struct([](Writer* out) { out->StringField(1, "a"); })),
            List({"#99"}));
}

TEST(StructDiff, AnotherTypeIsADifference) {
  EXPECT_EQ(Paths(Struct([](Writer* out) { out->I32Field(6, 1); }),
                  Struct([](Writer* out) { out->I64Field(6, 1); })),
            List({"retention"}));
}

TEST(StructDiff, EntriesAreNamedByTheirKey) {
  const auto found = DiffStructs(ObjectKind::kTable, TableWithParameters({{"a", "1"}, {"b", "2"}}),
                                 TableWithParameters({{"b", "3"}, {"c", "4"}}));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].path, "parameters{a}");
  EXPECT_EQ(found[0].generic, "parameters{*}");
  EXPECT_EQ(found[0].left, "\"1\"");
  EXPECT_EQ(found[0].right, "absent");
  EXPECT_EQ(found[1].path, "parameters{b}");
  EXPECT_EQ(found[2].path, "parameters{c}");
  EXPECT_EQ(found[2].left, "absent");
}

std::string WithColumns(const List& names, bool with_type) {
  return Struct([&](Writer* out) {
    out->Field(TType::kStruct, 7);
    out->Field(TType::kList, 1);
    out->ListBegin(TType::kStruct, names.size());
    for (const std::string& name : names) {
      out->StringField(1, name);
      if (with_type) out->StringField(2, "int");
      out->Stop();
    }
    out->Stop();
  });
}

TEST(StructDiff, ListsKeepTheirOrderAndLength) {
  EXPECT_EQ(Paths(WithColumns({"a", "b"}, true), WithColumns({"a", "b"}, true)), List());
  EXPECT_EQ(Paths(WithColumns({"a", "b"}, true), WithColumns({"b", "a"}, true)),
            List({"sd.cols[].name", "sd.cols[].name"}));
  EXPECT_EQ(Paths(WithColumns({"a"}, true), WithColumns({"a", "b"}, true)), List({"sd.cols[]"}));
  EXPECT_EQ(Paths(WithColumns({"a"}, true), WithColumns({"a"}, false)), List({"sd.cols[].type"}));
}

TEST(StructDiff, SetsHaveNoOrder) {
  const auto with = [](const List& names) {
    return Struct([&](Writer* out) {
      out->Field(TType::kStruct, 16);
      out->Field(TType::kSet, 4);
      out->ListBegin(TType::kString, names.size());
      for (const std::string& name : names) out->String(name);
      out->Stop();
    });
  };
  EXPECT_EQ(Paths(with({"a", "b"}), with({"b", "a"})), List());
  EXPECT_EQ(Paths(with({"a", "b"}), with({"b", "c"})),
            List({"creationMetadata.tablesUsed[]", "creationMetadata.tablesUsed[]"}));
}

// Java and C++ writers do not agree on the types of what is not there.
TEST(StructDiff, EmptyContainersHaveNoTypes) {
  const auto with = [](TType type) {
    return Struct([type](Writer* out) {
      out->Field(TType::kMap, 9);
      out->MapBegin(type, type, 0);
    });
  };
  EXPECT_EQ(Paths(with(TType::kString), with(TType::kI32)), List());
}

// Skewed columns: keys are lists.
TEST(StructDiff, MapsWithOtherKeysDifferAsAWhole) {
  const auto with = [](const std::string& value) {
    return Struct([&](Writer* out) {
      out->Field(TType::kMap, 9);
      out->MapBegin(TType::kI32, TType::kString, 1);
      out->I32(1);
      out->String(value);
    });
  };
  EXPECT_EQ(Paths(with("a"), with("a")), List());
  EXPECT_EQ(Paths(with("a"), with("b")), List({"parameters"}));
}

}  // namespace
}  // namespace catalogd::replay
