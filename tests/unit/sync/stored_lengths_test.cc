// A text too long for the metastore's database is in the log and nowhere else: believed, it would
// be answered until somebody reads the object again.
#include "catalog/sync/stored_lengths.h"

#include <gtest/gtest.h>

#include <functional>

#include "catalog/sync/image.h"
#include "tests/support/objects.h"

namespace catalogd::sync {
namespace {

using wire::TType;
using wire::Writer;
using Write = std::function<void(Writer*, const std::string& text)>;

struct Bound {
  const char* what;
  size_t limit;
  Write write;
};

std::string StructOf(const std::function<void(Writer*)>& fields) {
  std::string bytes;
  Writer out(&bytes);
  fields(&out);
  out.Stop();
  return bytes;
}

// Both as the whole of `write`'s struct, put in place by `put`.
void ExpectBounds(const std::vector<Bound>& bounds,
                  const std::function<bool(const std::string& member)>& is_believed) {
  for (const Bound& bound : bounds) {
    for (const size_t more : {size_t{0}, size_t{1}}) {
      const std::string text(bound.limit + more, 'x');
      const std::string bytes = StructOf([&](Writer* out) { bound.write(out, text); });
      EXPECT_EQ(is_believed(bytes), more == 0) << bound.what << " of " << text.size();
    }
  }
}

Write Text(int16_t id) {
  return [id](Writer* out, const std::string& text) { out->StringField(id, text); };
}

Write Key(int16_t id) {
  return [id](Writer* out, const std::string& text) { out->StringMapField(id, {{text, "v"}}); };
}

Write List(int16_t id) {
  return [id](Writer* out, const std::string& text) { out->StringListField(id, {"a", text}); };
}

// A list with one struct, or a member that is one.
Write Inside(TType type, int16_t id, const Write& member) {
  return [=](Writer* out, const std::string& text) {
    out->Field(type, id);
    if (type == TType::kList) out->ListBegin(TType::kStruct, 1);
    member(out, text);
    out->Stop();
  };
}

void SkewedValues(Writer* out, const std::string& text) {
  out->StringListField(ids::skewed_info::kSkewedColNames, {"id"});
  out->Field(TType::kList, ids::skewed_info::kSkewedColValues);
  out->ListBegin(TType::kList, 1);
  out->ListBegin(TType::kString, 1);
  out->String(text);
}

std::vector<Bound> StorageBounds() {
  namespace sd = ids::storage_descriptor;
  namespace serde = ids::serde_info;
  namespace column = ids::field_schema;
  const auto in_serde = [](const Write& member) {
    return Inside(TType::kStruct, sd::kSerdeInfo, member);
  };
  return {
      {"column name", 767, Inside(TType::kList, sd::kCols, Text(column::kName))},
      {"column comment", 256, Inside(TType::kList, sd::kCols, Text(column::kComment))},
      {"location", 4000, Text(sd::kLocation)},
      {"input format", 4000, Text(sd::kInputFormat)},
      {"output format", 4000, Text(sd::kOutputFormat)},
      {"bucket column", 255, List(sd::kBucketCols)},
      {"sort column", 767, Inside(TType::kList, sd::kSortCols, Text(ids::order::kCol))},
      {"storage parameter", 256, Key(sd::kParameters)},
      {"skewed column", 255,
       Inside(TType::kStruct, sd::kSkewedInfo, List(ids::skewed_info::kSkewedColNames))},
      {"skewed value", 255, Inside(TType::kStruct, sd::kSkewedInfo, SkewedValues)},
      {"serde name", 128, in_serde(Text(serde::kName))},
      {"serde library", 4000, in_serde(Text(serde::kSerializationLib))},
      {"serde parameter", 256, in_serde(Key(serde::kParameters))},
  };
}

bool TableIsBelieved(const std::string& image) {
  return NormalizeTableImage(image, events::EventKind::kAlterTable, hms::Generation::kHive3)
      .has_value();
}

TEST(StoredLengths, TextsInTheStorageOfTablesAndPartitions) {
  ExpectBounds(StorageBounds(), [](const std::string& storage) {
    const testing::TestTable table;
    const bool of_table = TableIsBelieved(
        wire::WithField(testing::TableBytes(table), ids::table::kSd, TType::kStruct, storage));
    const bool of_partition =
        NormalizePartitionImage(wire::WithField(testing::PartitionBytes(table, {"1"}),
                                                ids::partition::kSd, TType::kStruct, storage),
                                hms::Generation::kHive3)
            .has_value();
    EXPECT_EQ(of_table, of_partition);
    return of_table;
  });
}

TEST(StoredLengths, TextsOfTheTableItself) {
  namespace column = ids::field_schema;
  const auto in_key = [](const Write& member) {
    return Inside(TType::kList, ids::table::kPartitionKeys, member);
  };
  const std::vector<Bound> bounds = {
      {"owner", 767, Text(ids::table::kOwner)},
      {"type", 128, Text(ids::table::kTableType)},
      {"text of a view", 32700, Text(ids::table::kViewOriginalText)},
      {"expanded text of a view", 32700, Text(ids::table::kViewExpandedText)},
      {"parameter", 256, Key(ids::table::kParameters)},
      {"name of a key", 128, in_key(Text(column::kName))},
      {"type of a key", 767, in_key(Text(column::kType))},
      {"comment of a key", 4000, in_key(Text(column::kComment))},
  };
  ExpectBounds(bounds, [](const std::string& member) {
    std::string image = testing::TableBytes(testing::TestTable());
    for (const wire::Field& field : wire::StructView(member).Fields()) {
      image = wire::WithField(image, field.id, field.type, field.value);
    }
    return TableIsBelieved(image);
  });
}

// Iceberg and Spark keep schemas in them.
TEST(StoredLengths, ParametersOfTablesAndTypesOfColumnsAreLong) {
  const std::string text(100'000, 'x');
  testing::TestTable table;
  table.parameters["current-schema"] = text;
  EXPECT_TRUE(TableIsBelieved(testing::TableBytes(table)));
  const std::string column =
      StructOf([&](Writer* out) { out->StringField(ids::field_schema::kType, text); });
  EXPECT_TRUE(ColumnFits(column, kColumnLimits));
  EXPECT_FALSE(ColumnFits(column, kPartitionKeyLimits));
}

}  // namespace
}  // namespace catalogd::sync
