// A file that is live twice or never, and one that is looked for after it was forgotten: random
// changes against a model that keeps everything in one list.
#include "catalog/coord/service/table_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "catalog/base/random.h"

namespace catalogd::coord {
namespace {

using ::testing::ElementsAre;

FileRecord File(const std::string& partition, const std::string& group, const std::string& name) {
  FileRecord file;
  file.group = {partition, group};
  file.name = name;
  file.size = static_cast<int64_t>(name.size());
  return file;
}

struct Model {
  struct Row {
    FileRecord file;
    IdVersion added;
    IdVersion removed;
  };
  std::vector<Row> rows;

  std::set<std::string> Texts() const {
    std::set<std::string> texts;
    for (const Row& row : rows) {
      texts.insert(row.file.group.partition + "/" + row.file.group.file_id + "/" + row.file.name +
                   " " + std::to_string(row.added.value()) + " " +
                   std::to_string(row.removed.value()));
    }
    return texts;
  }
};

class Recorder {
 public:
  TableFiles::Visit visit() {
    return [this](const std::string& partition, const std::string& file_id, const std::string& name,
                  const FileEntry& file) {
      const bool is_new = texts
                              .insert(partition + "/" + file_id + "/" + name + " " +
                                      std::to_string(file.added.value()) + " " +
                                      std::to_string(file.removed.value()))
                              .second;
      EXPECT_TRUE(is_new) << name;
      EXPECT_EQ(file.size, static_cast<int64_t>(name.size()));
    };
  }
  std::set<std::string> texts;
};

// Both ways through it show the same.
void ExpectSame(const TableFiles& files, const Model& model) {
  Recorder all;
  files.ForEach(all.visit());
  EXPECT_EQ(all.texts, model.Texts());
  Recorder groups;
  std::optional<FileGroup> last;
  for (auto group = files.GroupFrom({}); group;) {
    EXPECT_TRUE(!last || *last < *group);
    const size_t before = groups.texts.size();
    files.ForEachOf(*group, groups.visit());
    EXPECT_GT(groups.texts.size(), before) << "a group without files";
    last = group;
    group = files.GroupFrom({group->partition, group->file_id + '\0'});
  }
  EXPECT_EQ(groups.texts, model.Texts());
  EXPECT_EQ(files.live(), static_cast<size_t>(std::count_if(
                              model.rows.begin(), model.rows.end(),
                              [](const Model::Row& row) { return row.removed.value() == 0; })));
}

TEST(TableFiles, AreAsTheModelSays) {
  Random random(7);
  TableFiles files;
  Model model;
  for (int64_t number = 1; number <= 400; ++number) {
    const IdVersion version(number);
    const std::string partition = "p=" + std::to_string(random.Below(4));
    for (uint64_t i = random.Below(4); i > 0; --i) {
      std::string name = "f" + std::to_string(random.Below(12));
      if (random.OneIn(3)) name += std::string(300, 'x');
      if (!files.IsLive(partition, name, version)) {
        const FileRecord file = File(partition, "g" + std::to_string(random.Below(6)), name);
        files.Add(file, version, {});
        model.rows.push_back({file, version, {}});
        continue;
      }
      const auto group = files.Remove(partition, name, version);
      const auto row = std::find_if(model.rows.begin(), model.rows.end(), [&](const auto& any) {
        return any.file.group.partition == partition && any.file.name == name &&
               any.removed.value() == 0;
      });
      ASSERT_NE(row, model.rows.end());
      EXPECT_EQ(group, row->file.group.file_id);
      row->removed = version;
    }
    if (random.OneIn(3)) {
      files.Undo(version);
      std::erase_if(model.rows, [&](const auto& row) { return row.added == version; });
      for (auto& row : model.rows) {
        if (row.removed == version) row.removed = IdVersion();
      }
    }
    if (random.OneIn(5)) {
      const IdVersion up_to(number - static_cast<int64_t>(random.Below(4)));
      files.Forget(up_to);
      std::erase_if(model.rows, [&](const auto& row) {
        return row.removed.value() != 0 && row.removed <= up_to;
      });
    }
    ExpectSame(files, model);
  }
}

TEST(TableFiles, AreLiveBetweenTheirVersions) {
  TableFiles files;
  files.Add(File("p", "g", "f"), IdVersion(2), {});
  EXPECT_FALSE(files.IsLive("p", "f", IdVersion(1)));
  EXPECT_TRUE(files.IsLive("p", "f", IdVersion(2)));
  EXPECT_EQ(files.Remove("p", "f", IdVersion(4)), "g");
  EXPECT_EQ(files.Remove("p", "f", IdVersion(5)), std::nullopt);
  EXPECT_EQ(files.Remove("q", "f", IdVersion(5)), std::nullopt);
  EXPECT_TRUE(files.IsLive("p", "f", IdVersion(3)));
  EXPECT_FALSE(files.IsLive("p", "f", IdVersion(4)));
  files.Add(File("p", "g", "f"), IdVersion(6), {});
  EXPECT_FALSE(files.IsLive("p", "f", IdVersion(5)));
  EXPECT_TRUE(files.IsLive("p", "f", IdVersion(6)));
  files.Forget(IdVersion(4));
  EXPECT_FALSE(files.IsLive("p", "f", IdVersion(3)));
  EXPECT_THAT(files.partitions(), ElementsAre("p"));
}

// As a start reads them: what was removed is told with the file.
TEST(TableFiles, MayComeRemoved) {
  TableFiles files;
  files.Add(File("p", "g", "f"), IdVersion(2), IdVersion(4));
  EXPECT_EQ(files.live(), 0U);
  EXPECT_TRUE(files.IsLive("p", "f", IdVersion(3)));
  files.Forget(IdVersion(4));
  EXPECT_EQ(files.GroupFrom({}), std::nullopt);
}

}  // namespace
}  // namespace catalogd::coord
