#include <gtest/gtest.h>

#include <map>
#include <set>

#include "events/event_decoder.h"
#include "tests/support/notification_samples.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/tjson.h"
#include "thrift/wire/view.h"

// Every message shape of every server generation, decoded and compared with an independent reading
// of the envelope.
namespace catalogd::events {
namespace {

using testing::NotificationSample;

const std::map<std::string, EventKind> kKinds = {
    {"CREATE_DATABASE", EventKind::kCreateDatabase},
    {"ALTER_DATABASE", EventKind::kAlterDatabase},
    {"DROP_DATABASE", EventKind::kDropDatabase},
    {"CREATE_TABLE", EventKind::kCreateTable},
    {"ALTER_TABLE", EventKind::kAlterTable},
    {"DROP_TABLE", EventKind::kDropTable},
    {"ADD_PARTITION", EventKind::kAddPartition},
    {"ALTER_PARTITION", EventKind::kAlterPartition},
    {"ALTER_PARTITIONS", EventKind::kAlterPartition},
    {"DROP_PARTITION", EventKind::kDropPartition},
    {"INSERT", EventKind::kInsert},
    {"RELOAD", EventKind::kReload},
    {"CREATE_FUNCTION", EventKind::kCreateFunction},
    {"DROP_FUNCTION", EventKind::kDropFunction},
    {"ADD_PRIMARYKEY", EventKind::kConstraint},
    {"ADD_FOREIGNKEY", EventKind::kConstraint},
    {"ADD_UNIQUECONSTRAINT", EventKind::kConstraint},
    {"ADD_NOTNULLCONSTRAINT", EventKind::kConstraint},
    {"ADD_DEFAULTCONSTRAINT", EventKind::kConstraint},
    {"ADD_CHECKCONSTRAINT", EventKind::kConstraint},
    {"DROP_CONSTRAINT", EventKind::kConstraint},
    {"OPEN_TXN", EventKind::kTransaction},
    {"COMMIT_TXN", EventKind::kTransaction},
    {"ABORT_TXN", EventKind::kTransaction},
    {"ALLOC_WRITE_ID_EVENT", EventKind::kTransaction},
    {"UPDATE_TBL_COL_STAT_EVENT", EventKind::kUpdateTableStats},
    {"UPDATE_PART_COL_STAT_EVENT", EventKind::kUpdatePartitionStats},
    {"DELETE_TBL_COL_STAT_EVENT", EventKind::kDeleteStats},
    {"DELETE_PART_COL_STAT_EVENT", EventKind::kDeleteStats},
    {"COMMIT_COMPACTION_EVENT", EventKind::kCommitCompaction},
    {"CREATE_INDEX", EventKind::kIndex},
    {"ALTER_INDEX", EventKind::kIndex},
    {"DROP_INDEX", EventKind::kDropTable},
    {"ACID_WRITE_EVENT", EventKind::kTransaction},
};

const std::vector<NotificationSample>& Samples() {
  static const std::vector<NotificationSample> samples = testing::LoadNotificationSamples();
  return samples;
}

std::string Binary(const nlohmann::json& tjson) {
  return wire::TJsonStructToBinary(tjson.get<std::string>()).value();
}

ObjectName ExpectedName(const NotificationSample& sample) {
  const std::string& type = sample.row.type;
  const std::string catalog = sample.row.catalog.value_or("hive");
  if (type == "OPEN_TXN" || type == "COMMIT_TXN" || type == "ABORT_TXN") return {};
  if (type == "DROP_INDEX") {
    return ObjectName::Table(catalog, *sample.row.db,
                             sample.message["indexTableName"].get<std::string>());
  }
  if (!sample.row.table) return ObjectName::Database(catalog, *sample.row.db);
  std::string table = *sample.row.table;
  if (table == " ") table = sample.message["tableName"].get<std::string>();
  return ObjectName::Table(catalog, *sample.row.db, table);
}

TEST(EventDecoderSamples, AllRowsAreUnderstood) {
  ASSERT_EQ(Samples().size(), 209U);
  std::set<std::string> types;
  for (const NotificationSample& sample : Samples()) {
    SCOPED_TRACE(sample.stream + " " + std::to_string(sample.row.id.value()) + " " +
                 sample.row.type);
    types.insert(sample.row.type);
    const Event event = DecodeEvent(sample.row);
    EXPECT_EQ(event.problem, "");
    ASSERT_TRUE(kKinds.contains(event.type));
    EXPECT_EQ(event.kind, kKinds.at(event.type));
    EXPECT_EQ(event.id, sample.row.id);
    EXPECT_EQ(event.time, sample.row.time);
    EXPECT_EQ(event.type, sample.row.type);
    EXPECT_GE(event.bytes, sizeof(Event));
    EXPECT_FALSE(event.partitions_missing);
    if (!sample.message.is_null()) {
      EXPECT_EQ(event.name, ExpectedName(sample));
    }
  }
  EXPECT_EQ(types.size(), 34U);
}

TEST(EventDecoderSamples, TableImagesAreTheMessages) {
  size_t images = 0;
  for (const NotificationSample& sample : Samples()) {
    if (sample.message.is_null()) continue;
    SCOPED_TRACE(sample.stream + " " + std::to_string(sample.row.id.value()));
    const Event event = DecodeEvent(sample.row);
    const char* key = nullptr;
    if (event.kind == EventKind::kCreateTable || event.kind == EventKind::kUpdateTableStats) {
      key = "tableObjJson";
    }
    if (event.kind == EventKind::kAlterTable) key = "tableObjAfterJson";
    ASSERT_EQ(event.table_image.has_value(), key != nullptr);
    if (key == nullptr) continue;
    ++images;
    EXPECT_EQ(*event.table_image, Binary(sample.message[key]));
  }
  EXPECT_GT(images, 20U);
}

TEST(EventDecoderSamples, RenamesAndColumnChanges) {
  size_t renames = 0;
  size_t changes = 0;
  size_t truncates = 0;
  for (const NotificationSample& sample : Samples()) {
    if (sample.message.is_null() || sample.row.type != "ALTER_TABLE") continue;
    SCOPED_TRACE(sample.stream + " " + std::to_string(sample.row.id.value()));
    const Event event = DecodeEvent(sample.row);
    const auto old = ObjectName::Table(sample.row.catalog.value_or("hive"),
                                       sample.message["db"].get<std::string>(),
                                       sample.message["table"].get<std::string>());
    EXPECT_EQ(event.old_name.value_or(event.name), old);
    renames += event.old_name ? 1 : 0;
    const std::string before = Binary(sample.message["tableObjBeforeJson"]);
    const auto columns = [](const std::string& table) {
      return wire::StructView(table).Struct(7)->Find(1)->value;
    };
    EXPECT_EQ(event.columns_changed, columns(before) != columns(*event.table_image));
    changes += event.columns_changed ? 1 : 0;
    EXPECT_EQ(event.truncate, sample.message.value("isTruncateOp", "") == "true");
    truncates += event.truncate ? 1 : 0;
  }
  EXPECT_GE(renames, 3U);
  EXPECT_GE(truncates, 1U);
}

std::vector<std::string> InKeyOrder(const nlohmann::json& spec, const std::string& table) {
  std::vector<std::string> values;
  for (const std::string_view key :
       wire::ListView(wire::StructView(table).Find(8)->value).Elements()) {
    values.push_back(spec[std::string(*wire::StructView(key).String(1))].get<std::string>());
  }
  return values;
}

TEST(EventDecoderSamples, Partitions) {
  size_t images = 0;
  size_t specs = 0;
  for (const NotificationSample& sample : Samples()) {
    if (sample.message.is_null()) continue;
    SCOPED_TRACE(sample.stream + " " + std::to_string(sample.row.id.value()) + sample.row.type);
    const Event event = DecodeEvent(sample.row);
    const nlohmann::json& message = sample.message;
    std::vector<std::string> expected_images;
    if (event.kind == EventKind::kAddPartition || event.type == "ALTER_PARTITIONS") {
      for (const auto& text : message["partitionListJson"]) expected_images.push_back(Binary(text));
    } else if (event.kind == EventKind::kAlterPartition) {
      expected_images.push_back(Binary(message["partitionObjAfterJson"]));
    }
    ASSERT_EQ(event.partitions.size(), expected_images.size());
    for (size_t i = 0; i < expected_images.size(); ++i, ++images) {
      EXPECT_EQ(event.partitions[i].bytes, expected_images[i]);
      EXPECT_EQ(event.partitions[i].values,
                wire::ListView(wire::StructView(expected_images[i]).Find(1)->value).Strings());
    }
    std::vector<std::vector<std::string>> expected_values;
    if (event.kind == EventKind::kDropPartition || event.type == "ALTER_PARTITIONS") {
      const std::string table = Binary(message["tableObjJson"]);
      for (const auto& spec : message["partitions"]) {
        expected_values.push_back(InKeyOrder(spec, table));
      }
    } else if (event.kind == EventKind::kAlterPartition) {
      expected_values.push_back(InKeyOrder(message["keyValues"], Binary(message["tableObjJson"])));
    } else if (event.kind == EventKind::kUpdatePartitionStats) {
      expected_values.push_back(message["partVals"].get<std::vector<std::string>>());
    }
    EXPECT_EQ(event.partition_values, expected_values);
    EXPECT_TRUE(event.partition_specs.empty());
    specs += expected_values.size();
  }
  EXPECT_GT(images, 10U);
  EXPECT_GT(specs, 10U);
}

TEST(EventDecoderSamples, Functions) {
  size_t functions = 0;
  for (const NotificationSample& sample : Samples()) {
    const Event event = DecodeEvent(sample.row);
    const bool is_function =
        event.kind == EventKind::kCreateFunction || event.kind == EventKind::kDropFunction;
    EXPECT_EQ(event.function.empty(), !is_function);
    if (!is_function || sample.message.is_null()) continue;
    ++functions;
    EXPECT_EQ(event.function,
              sample.message.contains("functionName")
                  ? sample.message["functionName"].get<std::string>()
                  : nlohmann::json::parse(
                        sample.message["functionObjJson"].get<std::string>())["1"]["str"]
                        .get<std::string>());
  }
  EXPECT_GE(functions, 6U);
}

// The packed stream holds the same messages as the plain one.
TEST(EventDecoderSamples, GzipSaysTheSameAsJson) {
  std::map<int64_t, Event> plain;
  for (const NotificationSample& sample : Samples()) {
    if (sample.stream == "4.1/json") plain[sample.row.id.value()] = DecodeEvent(sample.row);
  }
  size_t compared = 0;
  for (const NotificationSample& sample : Samples()) {
    if (sample.stream != "4.1/gzip") continue;
    const Event event = DecodeEvent(sample.row);
    const Event& other = plain.at(sample.row.id.value());
    EXPECT_EQ(event.kind, other.kind);
    EXPECT_EQ(event.name, other.name);
    EXPECT_EQ(event.old_name, other.old_name);
    EXPECT_EQ(event.table_image, other.table_image);
    EXPECT_EQ(event.partition_values, other.partition_values);
    ASSERT_EQ(event.partitions.size(), other.partitions.size());
    for (size_t i = 0; i < event.partitions.size(); ++i) {
      EXPECT_EQ(event.partitions[i].bytes, other.partitions[i].bytes);
    }
    EXPECT_NE(event.fingerprint, other.fingerprint);
    ++compared;
  }
  EXPECT_EQ(compared, 66U);
}

TEST(EventDecoderSamples, FingerprintsTellRowsApart) {
  // Some messages did not change from 3.1 to 4.1, and their rows are equal.
  std::map<uint64_t, std::string> prints;
  for (const NotificationSample& sample : Samples()) {
    hms::NotificationEvent row = sample.row;
    const std::string content = std::to_string(row.id.value()) + row.type +
                                row.catalog.value_or("-") + row.table.value_or("-") + row.message;
    EXPECT_EQ(prints.try_emplace(Fingerprint(row), content).first->second, content);
    const uint64_t before = Fingerprint(row);
    row.time += 1;
    row.format = "other";
    EXPECT_EQ(Fingerprint(row), before);  // Not part of what happened.
    row.message.back() = 'x';
    EXPECT_NE(Fingerprint(row), before);
  }
  EXPECT_GT(prints.size(), 190U);
}

}  // namespace
}  // namespace catalogd::events
