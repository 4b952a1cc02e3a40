// Logs of real metastores: what the cache makes of them must be what the server answered, after
// each call and at the end, however the log is cut, wherever following begins and whether messages
// are believed or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "events/event_decoder.h"
#include "tests/replay/replayer.h"
#include "tests/replay/struct_diff.h"
#include "thrift/idl/object_field_ids.h"
#include "thrift/wire/write.h"

namespace catalogd::replay {
namespace {

using sync::PayloadMode;

constexpr PayloadMode kModes[] = {PayloadMode::kTrust, PayloadMode::kStub};

const Recording& RecordingOf(const std::string& version) {
  static auto* const recordings = new std::map<std::string, Recording>();
  const auto at = recordings->find(version);
  if (at != recordings->end()) return at->second;
  auto recording = ReadRecording(CATALOGD_TEST_DATA "/recorded-logs/" + version);
  EXPECT_TRUE(recording) << recording.error().message;
  return (*recordings)[version] = std::move(recording).value_or(Recording());
}

std::string Findings(const ReplayReport& report) {
  std::string text;
  for (const std::string& difference : report.differences) text += difference + "\n";
  for (const std::string& problem : report.problems) text += problem + "\n";
  return text;
}

std::string Describe(const ReplayOptions& options) {
  return "--chunk " + std::to_string(options.chunk) + " --first-chunk " +
         std::to_string(options.first_chunk) + " --from " + std::to_string(options.from.value()) +
         " --payload " + PayloadName(options.payload);
}

// Runs it all and expects everything to be equal.
ReplayReport ExpectEqual(const Recording& recording, const ReplayOptions& options) {
  Replayer replayer(&recording, options);
  const Status status = replayer.Run();
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_TRUE(replayer.report().all_equal()) << Describe(options) << "\n"
                                             << Findings(replayer.report());
  EXPECT_EQ(replayer.report().end_different, 0U);
  EXPECT_GT(replayer.report().end_equal, 0U);
  return replayer.report();
}

std::set<EventId> ComparableIds(const Recording& recording) {
  std::set<EventId> ids;
  for (const Step& step : recording.steps) {
    for (const ObjectState& object : step.objects) {
      if (object.key.kind != ObjectKind::kFunction) ids.insert(step.id);
    }
  }
  return ids;
}

class RecordedLog : public ::testing::TestWithParam<const char*> {
 protected:
  const Recording& recording_ = RecordingOf(GetParam());
};

TEST_P(RecordedLog, EveryCheckpointAndTheEndAreEqual) {
  ASSERT_GT(recording_.log.size(), 500U);
  for (const PayloadMode payload : kModes) {
    ReplayOptions options;
    options.payload = payload;
    const ReplayReport report = ExpectEqual(recording_, options);
    EXPECT_EQ(report.events, recording_.log.size());
    EXPECT_EQ(report.checkpoints_equal(), ComparableIds(recording_).size());
  }
}

TEST_P(RecordedLog, AnyChunkingGivesTheSame) {
  std::set<EventId> compared;
  for (const PayloadMode payload : kModes) {
    ReplayOptions options;
    options.payload = payload;
    for (const int chunk : {2, 1000}) {
      options.chunk = chunk;
      ExpectEqual(recording_, options);
    }
    options.chunk = 7;
    for (options.first_chunk = 1; options.first_chunk <= 7; ++options.first_chunk) {
      const ReplayReport report = ExpectEqual(recording_, options);
      for (const auto& [id, equal] : report.checkpoints) compared.insert(id);
    }
  }
  EXPECT_EQ(compared, ComparableIds(recording_));
}

TEST_P(RecordedLog, FollowingMayBeginAtAnyCheckpoint) {
  std::set<EventId> ids;
  for (const Step& step : recording_.steps) ids.insert(step.id);
  size_t number = 0;
  for (const EventId id : ids) {
    ++number;
    ReplayOptions options;
    options.from = id;
    options.chunk = 1000;
    // Cheap: all names are stubs, one fetch, one comparison of everything.
    if (number % 3 == 0) ExpectEqual(recording_, options);
    if (number % 60 != 30) continue;
    for (const PayloadMode payload : kModes) {
      options.payload = payload;
      for (const int chunk : {1, 7, 1000}) {
        options.chunk = chunk;
        ExpectEqual(recording_, options);
      }
    }
  }
}

TEST_P(RecordedLog, AnIdInsideOfACallIsNoStart) {
  const auto is_step = [this](int64_t id) {
    return std::any_of(recording_.steps.begin(), recording_.steps.end(),
                       [id](const Step& step) { return step.id.value() == id; });
  };
  int64_t inside = 1;
  while (is_step(inside)) ++inside;
  ReplayOptions options;
  options.from = EventId(inside);
  Replayer replayer(&recording_, options);
  const Status status = replayer.Start();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
}

// A cache that believes messages holds the same as one that reads everything again, unannounced
// changes apart: those only the latter sees.
TEST_P(RecordedLog, BelievingAndReadingGiveTheSame) {
  ReplayOptions options;
  Replayer trust(&recording_, options);
  options.payload = PayloadMode::kStub;
  Replayer stub(&recording_, options);
  ASSERT_TRUE(trust.Start());
  ASSERT_TRUE(stub.Start());
  size_t compared = 0;
  while (trust.Advance()) {
    ASSERT_TRUE(stub.Advance());
    for (const ObjectKey& key : trust.touched()) {
      const auto believed = trust.follower().Cached(key);
      const auto read = stub.follower().Cached(key);
      ASSERT_TRUE(believed && read) << key.ToString();
      ++compared;
      ASSERT_EQ(believed->has_value(), read->has_value()) << key.ToString();
      if (!*believed) continue;
      for (const Difference& difference : DiffStructs(key.kind, **believed, **read)) {
        EXPECT_TRUE(trust.MayVary(key, **believed, difference.path))
            << key.ToString() << " " << difference.path << ": believed " << difference.left
            << ", read " << difference.right;
      }
    }
  }
  EXPECT_FALSE(stub.Advance());
  EXPECT_GT(compared, 500U);
}

// What the measured table calls exact must not cost a read.
TEST_P(RecordedLog, ExactMessagesCauseNoReads) {
  Replayer replayer(&recording_, {});
  ASSERT_TRUE(replayer.Run());
  const std::set<std::string> allowed = {
      "listed at the start",
      "CREATE_DATABASE: created; its message is the client's image",
      "ALTER_DATABASE: altered; its message is the client's image",
      "CREATE_TABLE: created; the message does not suffice",
      "ALTER_TABLE: renamed",
      "ALTER_TABLE: renamed; the message does not suffice",
      "ALTER_TABLE: altered with its columns",
      "ALTER_TABLE: columns are gone; statistics of others may have changed",
      "ALTER_TABLE: a truncate may have failed",
      "RELOAD: reload was asked for",
  };
  int reads = 0;
  for (const auto& [cause, count] : replayer.follower().reads()) {
    reads += count;
    const bool view = cause.ends_with(": materialized view");
    EXPECT_TRUE(view || allowed.count(cause) > 0) << cause << " " << count;
  }
  EXPECT_LT(reads * 5, static_cast<int>(recording_.log.size()));
  for (const auto& [key, count] : replayer.follower().actions()) {
    EXPECT_NE(key.second, "forget-partitions") << key.first << " " << count;
    EXPECT_NE(key.second, "make-unknown") << key.first << " " << count;
  }
}

// The format is told by each message itself.
TEST_P(RecordedLog, FormatsMayBeMixedInOneLog) {
  Recording mixed = recording_;
  for (size_t i = 0; i < mixed.log.size(); i += 2) {
    auto text = events::MessageText(mixed.log[i]);
    ASSERT_TRUE(text);
    mixed.log[i].message = std::move(*text);
    mixed.log[i].format.reset();
  }
  ReplayOptions options;
  options.chunk = 7;
  ExpectEqual(mixed, options);
}

TEST_P(RecordedLog, TablesOfOtherCatalogsAreKeptApart) {
  Replayer replayer(&recording_, {});
  ASSERT_TRUE(replayer.Run());
  std::set<std::string> catalogs;
  for (const auto& row : recording_.log) {
    if (row.catalog) catalogs.insert(*row.catalog);
  }
  catalogs.erase("hive");
  EXPECT_EQ(catalogs.size(), recording_.generation == hms::Generation::kHive2 ? 0U : 1U);
  for (const std::string& catalog : catalogs) {
    const auto& cache = replayer.follower().cache();
    EXPECT_EQ(cache.Databases(catalog).names, (std::vector<std::string>{"default", "keep_one"}));
    EXPECT_EQ(cache.Tables(ObjectName::Database(catalog, "keep_one")).names,
              std::vector<std::string>{"same_name"});
  }
}

INSTANTIATE_TEST_SUITE_P(, RecordedLog, ::testing::Values("2.3.10", "3.1.3", "4.1.0", "4.2.0"),
                         [](const auto& param) {
                           std::string name = std::string("Hive_") + param.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// --- The same driver with another seed: other objects, other orders -------------------------

class OtherSeed : public ::testing::TestWithParam<const char*> {};

TEST_P(OtherSeed, EveryCheckpointAndTheEndAreEqual) {
  const Recording& recording = RecordingOf(std::string(GetParam()) + "-seed-b");
  ASSERT_GT(recording.log.size(), 500U);
  for (const PayloadMode payload : kModes) {
    for (const int chunk : {1, 7}) {
      ReplayOptions options;
      options.payload = payload;
      options.chunk = chunk;
      const ReplayReport report = ExpectEqual(recording, options);
      EXPECT_EQ(report.events, recording.log.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, OtherSeed, ::testing::Values("2.3.10", "3.1.3", "4.2.0"),
                         [](const auto& param) {
                           std::string name = std::string("Hive_") + param.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// --- A comparison that cannot fail proves nothing: recordings with one thing wrong -----------

Recording Copy() { return RecordingOf("3.1.3"); }

std::string FindingsOf(const Recording& recording) {
  Replayer replayer(&recording, {});
  const Status status = replayer.Run();
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_FALSE(replayer.report().all_equal());
  return Findings(replayer.report());
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ChangedRecording, AFieldAtACheckpointIsNoticed) {
  Recording recording = Copy();
  ObjectState* changed = nullptr;
  EventId at;
  // A table right after it was made: what the cache holds came from the message.
  for (Step& step : recording.steps) {
    if (step.label != "create_table external") continue;
    changed = &step.objects.front();
    at = step.id;
    break;
  }
  ASSERT_NE(changed, nullptr);
  std::string value;
  wire::Writer(&value).I32(4711);
  changed->thrift =
      wire::WithField(*changed->thrift, ids::table::kRetention, wire::TType::kI32, value);
  EXPECT_TRUE(Contains(FindingsOf(recording), "event " + std::to_string(at.value()) + " " +
                                                  changed->key.ToString() +
                                                  " retention: cache 0, metastore 4711"));
}

TEST(ChangedRecording, AFieldAtTheEndIsNoticed) {
  Recording recording = Copy();
  const auto partition =
      std::find_if(recording.end.begin(), recording.end.end(), [](const EndObject& object) {
        return object.key.kind == ObjectKind::kPartition && object.unannounced.empty();
      });
  ASSERT_NE(partition, recording.end.end());
  partition->thrift = wire::WithoutField(partition->thrift, ids::partition::kCreateTime);
  EXPECT_TRUE(
      Contains(FindingsOf(recording), "end " + partition->key.ToString() + " createTime: cache "));
}

TEST(ChangedRecording, ObjectsTooManyOrTooFewAreNoticed) {
  for (const ObjectKind kind :
       {ObjectKind::kDatabase, ObjectKind::kTable, ObjectKind::kPartition}) {
    Recording recording = Copy();
    const auto object =
        std::find_if(recording.end.begin(), recording.end.end(),
                     [kind](const EndObject& candidate) { return candidate.key.kind == kind; });
    ASSERT_NE(object, recording.end.end());
    EndObject extra = *object;
    const std::string name = kind == ObjectKind::kPartition ? "x=1" : "";
    extra.key.part = name;
    if (kind == ObjectKind::kTable) {
      extra.key.name = ObjectName::Table("hive", extra.key.name.db(), "never_made");
    } else if (kind == ObjectKind::kDatabase) {
      extra.key.name = ObjectName::Database("hive", "never_made");
    }
    recording.end.push_back(extra);
    EXPECT_TRUE(Contains(FindingsOf(recording), extra.key.ToString() + ": cache has none"));
  }
  Recording recording = Copy();
  const auto table = std::find_if(
      recording.end.begin(), recording.end.end(),
      [](const EndObject& candidate) { return candidate.key.kind == ObjectKind::kTable; });
  const std::string name = table->key.name.ToString();
  recording.end.erase(table);
  EXPECT_TRUE(Contains(FindingsOf(recording), name + ": the cache lists it, metastore has none"));
}

// A defect of Hive 3.1 that no cache can follow: only this one shape is forgiven, and counted.
TEST(ChangedRecording, AHalfDroppedTableIsCounted) {
  for (const bool half : {true, false}) {
    Recording recording = Copy();
    ObjectState* table = nullptr;
    std::string whole;
    for (Step& step : recording.steps) {
      for (ObjectState& object : step.objects) {
        if (object.key.kind != ObjectKind::kTable) continue;
        if (object.thrift) whole = *object.thrift;
        if (object.thrift || step.label != "drop_table") continue;
        table = &object;
        break;
      }
      if (table != nullptr) break;
    }
    ASSERT_NE(table, nullptr);
    table->thrift = half ? wire::WithoutField(whole, ids::table::kSd) : whole;
    Replayer replayer(&recording, {});
    ASSERT_TRUE(replayer.Run());
    EXPECT_EQ(replayer.report().all_equal(), half);
    EXPECT_EQ(replayer.report().half_dropped, half ? 1U : 0U);
  }
}

TEST(ChangedRecording, ALostEventIsNoticed) {
  for (const char* type : {"CREATE_TABLE", "ADD_PARTITION", "DROP_TABLE", "ALTER_TABLE"}) {
    Recording recording = Copy();
    const auto row =
        std::find_if(recording.log.begin(), recording.log.end(),
                     [type](const auto& at) { return at.type == type && at.catalog == "hive"; });
    ASSERT_NE(row, recording.log.end());
    row->type = "INSERT";
    EXPECT_TRUE(Contains(FindingsOf(recording), ": cache ")) << type;
  }
}

TEST(ChangedRecording, AMessageThatCannotBeReadIsNoticed) {
  Recording recording = Copy();
  const auto row = std::find_if(recording.log.begin(), recording.log.end(),
                                [](const auto& at) { return at.type == "ADD_PARTITION"; });
  ASSERT_NE(row, recording.log.end());
  row->message.resize(row->message.size() / 2);
  EXPECT_TRUE(Contains(FindingsOf(recording), "1 events that could not be understood"));
}

}  // namespace
}  // namespace catalogd::replay
