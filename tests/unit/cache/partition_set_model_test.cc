#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/base/random.h"
#include "catalog/cache/partition_set.h"
#include "tests/support/partition_structs.h"

namespace catalogd::cache {
namespace {

using Model = std::map<std::string, std::string>;

// Partitions as they come: most look alike, some have what is rare, a few are no structs at all.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Random& random() { return random_; }

  // One of `kinds` names.
  std::vector<std::string> Values(uint64_t kinds) {
    const uint64_t kind = random_.Below(kinds);
    if (random_.OneIn(20)) return {"a/b c%" + std::to_string(kind), "\xC3\xA4=\n"};
    if (random_.OneIn(40)) return {std::string(kDefaultPartitionName), std::to_string(kind)};
    return {std::to_string(2000 + kind / 28), std::to_string(kind % 28)};
  }

  PartitionSet::Entry Entry(const std::vector<std::string>& values) {
    PartitionSet::Entry entry;
    entry.name = *MakePartitionName({"year", "day"}, values);
    testing::PartitionParts parts;
    parts.values = values;
    if (random_.OneIn(20)) parts.values.back() += "!";  // Not what the name says.
    if (random_.OneIn(40)) parts.values.clear();
    parts.create_time = static_cast<int32_t>(1795996800 + random_.Below(100000));
    parts.last_access_time = random_.OneIn(10) ? static_cast<int32_t>(random_.Next()) : 0;
    parts.columns = static_cast<int>(random_.OneIn(15) ? random_.Below(4) : 3);
    if (random_.OneIn(3)) parts.write_id = static_cast<int64_t>(random_.Next());
    parts.location = Location(entry.name);
    Parameters(&parts);
    entry.bytes = PartitionStruct(parts);
    Damage(&entry.bytes);
    return entry;
  }

 private:
  std::string Text() {
    switch (random_.Below(5)) {
      case 0:
        return "";
      case 1:
        return std::to_string(random_.Next());
      case 2:
        return R"({"BASIC_STATS":"true","COLUMN_STATS":{"a":"true"}})";
      case 3:
        return std::string(random_.Below(300), static_cast<char>('a' + random_.Below(3)));
      default:
        return std::to_string(random_.Below(2000000000));
    }
  }

  std::string Location(const std::string& name) {
    switch (random_.Below(12)) {
      case 0:
        return "";
      case 1:
        return "s3://bucket/" + std::to_string(random_.Next()) + "/" + name;
      case 2:
        return "s3://bucket/shared/" + std::to_string(random_.Next());
      case 3:
        return name;
      default:
        return "hdfs://nn/warehouse/sales.db/orders/" + name;
    }
  }

  void Parameters(testing::PartitionParts* parts) {
    for (const char* key : {"numFiles", "totalSize", "numRows", "transient_lastDdlTime"}) {
      if (random_.OneIn(30)) continue;
      parts->parameters.emplace_back(
          key, random_.OneIn(10) ? Text() : std::to_string(random_.Below(1000)));
    }
    parts->parameters.emplace_back("COLUMN_STATS_ACCURATE", Text());
    if (random_.OneIn(10)) std::reverse(parts->parameters.begin(), parts->parameters.end());
    // A key twice, as no metastore writes it.
    if (random_.OneIn(20)) parts->parameters.push_back(parts->parameters.front());
  }

  void Damage(std::string* bytes) {
    switch (random_.Below(40)) {
      case 0:
        bytes->resize(random_.Below(bytes->size()));
        break;
      case 1:
        bytes->append("behind the end");
        break;
      case 2:
        (*bytes)[random_.Below(bytes->size())] = static_cast<char>(random_.Next());
        break;
      case 3:
        bytes->insert(0, std::string("\x08\x00\x04\x00\x00\x00\x07", 7));  // createTime twice.
        break;
      case 4:
        bytes->clear();
        break;
      default:
        break;
    }
  }

  Random random_;
};

void ExpectEqual(const PartitionSet& set, const Model& model) {
  ASSERT_EQ(set.size(), model.size());
  auto expected = model.begin();
  std::string all;
  set.ForEach([&](std::string_view name, const PartitionSet::Append& append) {
    std::string bytes;
    append(&bytes);
    EXPECT_EQ(name, expected->first);
    EXPECT_EQ(bytes, expected->second) << name;
    all += bytes;
    return ++expected != model.end();
  });
  std::string first;
  EXPECT_EQ(set.AppendFirst(-1, &first), model.size());
  EXPECT_EQ(first, all);
  std::vector<std::string> names;
  for (const auto& [name, bytes] : model) names.push_back(name);
  EXPECT_EQ(set.Names(-1), names);
}

void ExpectLookups(const PartitionSet& set, const Model& model, Generator* generator) {
  for (int i = 0; i < 20; ++i) {
    const std::string name = *MakePartitionName({"year", "day"}, generator->Values(5000));
    std::string bytes;
    const auto expected = model.find(name);
    ASSERT_EQ(set.AppendPartition(name, &bytes), expected != model.end()) << name;
    ASSERT_EQ(set.Contains(name), expected != model.end()) << name;
    if (expected != model.end()) {
      EXPECT_EQ(bytes, expected->second) << name;
    }
  }
}

// Random batches of puts and removals against a plain map, byte for byte; sets from before are
// compared again later, when much of what they share has been changed.
TEST(PartitionSetModelTest, EqualsAMapAndOldSetsStayAsTheyWere) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    Random& random = generator.random();
    const uint64_t kinds = 100 + random.Below(4000);
    std::deque<std::pair<PartitionSet::Ptr, Model>> history;
    Model model;
    PartitionSet::Ptr set = PartitionSet::Empty();
    for (int step = 0; step < 100; ++step) {
      std::vector<PartitionSet::Entry> put;
      std::vector<std::string> removed;
      const bool bulk = random.OneIn(step == 0 ? 1 : 15);
      const uint64_t size = bulk ? random.Below(1500) : random.Below(6);
      const bool shrinking = step / 30 % 2 == 1;
      for (uint64_t i = 0; i < size; ++i) {
        const auto values = generator.Values(kinds);
        if (random.Below(4) < (shrinking ? 3U : 1U)) {
          removed.push_back(*MakePartitionName({"year", "day"}, values));
        } else {
          put.push_back(generator.Entry(values));
        }
      }
      for (const std::string& name : removed) model.erase(name);
      for (const auto& entry : put) model[entry.name] = entry.bytes;
      set = set->With(std::move(put), removed);
      ASSERT_EQ(set->size(), model.size());
      ExpectLookups(*set, model, &generator);
      if (step % 10 == 0) {
        ExpectEqual(*set, model);
        history.emplace_back(set, model);
      }
      if (history.size() > 4) {
        ExpectEqual(*history.front().first, history.front().second);
        history.pop_front();
      }
      if (HasFailure()) return;
    }
    ExpectEqual(*set, model);
  }
}

}  // namespace
}  // namespace catalogd::cache
