// Rows lost or doubled by commits beside each other. A small table executes every pair of the
// matrix, and three in a row: what is live afterwards must be what the cell promises.
#include "catalog/coord/conflict_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace catalogd::coord {
namespace {

using ::testing::HasSubstr;
using Rows = std::multiset<std::string>;
using Files = std::set<std::string>;

constexpr OpClass kOps[] = {OpClass::kOverwrite, OpClass::kInsert, OpClass::kUpdate,
                            OpClass::kMinor, OpClass::kMajor};

enum class Keys { kPrimary, kAppend };

// Files and the rows in them; version 1 has b1, b2, b3 in each partition.
struct Table {
  explicit Table(bool is_partitioned) {
    options.partitioned = is_partitioned;
    for (const std::string& partition : {std::string("p=1"), std::string("p=2"), std::string()}) {
      for (const char* file : {"b1", "b2", "b3"}) {
        rows[file] = {std::string("row of ") + file};
        live[partition].insert(file);
      }
    }
  }

  CheckOptions options;
  std::map<std::string, Rows> rows;  // By file.
  LiveFiles live;
  std::vector<CommittedTxn> committed;
  int64_t version = 1;

  [[nodiscard]] std::string place() const { return options.partitioned ? "p=1" : ""; }

  // A job of the class on what is live now; its new file is named after it.
  OpenTxn Begin(OpClass op, const std::string& name, const std::string& partition, Keys keys) {
    OpenTxn txn;
    txn.op = op;
    txn.snapshot = IdVersion(version);
    PartitionChange& change = txn.partitions[partition];
    change.added = {name};
    const Files& there = live[partition];
    const size_t merged = op == OpClass::kMinor ? 2 : there.size();
    rows[name] = {"row of " + name};
    if (op == OpClass::kUpdate && keys == Keys::kAppend) {
      // Rewrites the first file.
      change.removed = {*there.begin()};
      for (const std::string& row : rows[*there.begin()]) rows[name].insert(row);
    }
    if (IsService(op)) {
      rows[name].clear();
      for (const std::string& file : there) {
        if (change.removed.size() == merged) break;
        change.removed.insert(file);
        rows[name].insert(rows[file].begin(), rows[file].end());
      }
    }
    return txn;
  }

  CheckResult Commit(const OpenTxn& txn) {
    CheckResult result = CheckConflicts(txn, committed, live, options);
    if (result.conflict) return result;
    CommittedTxn done{IdVersion(++version), txn.op, result.partitions};
    for (const auto& [partition, change] : result.partitions) {
      for (const std::string& file : change.removed) live[partition].erase(file);
      live[partition].insert(change.added.begin(), change.added.end());
    }
    committed.push_back(std::move(done));
    return result;
  }

  Rows Content(const std::string& partition) {
    Rows content;
    for (const std::string& file : live[partition]) {
      content.insert(rows[file].begin(), rows[file].end());
    }
    return content;
  }
};

// What the table holds when both jobs ran one after the other: the base, and the row of each job
// that writes; of an overwrite only its own.
Rows Serial(const std::vector<std::pair<OpClass, std::string>>& jobs) {
  Rows rows = {"row of b1", "row of b2", "row of b3"};
  for (const auto& [op, name] : jobs) {
    if (op == OpClass::kOverwrite) rows.clear();
    if (!IsService(op)) rows.insert("row of " + name);
  }
  return rows;
}

struct Pair {
  MatrixCell cell;
  bool partitioned;
  Keys keys;
};

std::vector<Pair> Pairs(const std::vector<bool>& kinds) {
  std::vector<Pair> pairs;
  for (const MatrixCell& cell : ConflictMatrix()) {
    for (const bool partitioned : kinds) {
      for (const Keys keys : {Keys::kPrimary, Keys::kAppend}) {
        pairs.push_back({cell, partitioned, keys});
      }
    }
  }
  return pairs;
}

class EveryCell : public ::testing::TestWithParam<Pair> {};
class EveryCellOfPartitions : public EveryCell {};

// An update of a table without keys removes the file it rewrites, so it meets compactions of that
// file: the one documented deviation from the matrix.
bool UpdateMeetsCompaction(const Pair& pair) {
  if (pair.keys != Keys::kAppend) return false;
  const OpClass earlier = pair.cell.earlier;
  const OpClass later = pair.cell.later;
  return (IsService(earlier) && later == OpClass::kUpdate) ||
         (earlier == OpClass::kUpdate && later == OpClass::kMinor);
}

TEST_P(EveryCell, EndsAsItSaysWhenTheJobsOverlap) {
  const Pair& pair = GetParam();
  Table table(pair.partitioned);
  const std::string place = table.place();
  const OpenTxn earlier = table.Begin(pair.cell.earlier, "E", place, pair.keys);
  const OpenTxn later = table.Begin(pair.cell.later, "L", place, pair.keys);
  ASSERT_FALSE(table.Commit(earlier).conflict) << "the earlier one always succeeds";
  const Rows between = table.Content(place);
  const CheckResult result = table.Commit(later);

  if (pair.cell.outcome == Outcome::kFails || UpdateMeetsCompaction(pair)) {
    ASSERT_TRUE(result.conflict);
    EXPECT_EQ(result.conflict->kind, pair.cell.outcome == Outcome::kFails
                                         ? ConflictKind::kCell
                                         : ConflictKind::kInputGone);
    EXPECT_EQ(result.conflict->earlier, IdVersion(2));
    EXPECT_EQ(result.conflict->earlier_op, pair.cell.earlier);
    EXPECT_EQ(result.conflict->later_op, pair.cell.later);
    EXPECT_EQ(result.conflict->partition, place);
    EXPECT_EQ(table.Content(place), between) << "a failed commit changed the table";
    return;
  }
  ASSERT_FALSE(result.conflict) << ConflictText(*result.conflict);
  EXPECT_TRUE(result.rebased);
  EXPECT_EQ(table.Content(place), Serial({{pair.cell.earlier, "E"}, {pair.cell.later, "L"}}));
}

TEST_P(EveryCellOfPartitions, SucceedsInAnotherPartition) {
  const Pair& pair = GetParam();
  Table table(true);
  const OpenTxn earlier = table.Begin(pair.cell.earlier, "E", "p=1", pair.keys);
  const OpenTxn later = table.Begin(pair.cell.later, "L", "p=2", pair.keys);
  ASSERT_FALSE(table.Commit(earlier).conflict);
  const CheckResult result = table.Commit(later);
  ASSERT_FALSE(result.conflict) << ConflictText(*result.conflict);
  EXPECT_FALSE(result.rebased);
  EXPECT_EQ(table.Content("p=1"), Serial({{pair.cell.earlier, "E"}}));
  EXPECT_EQ(table.Content("p=2"), Serial({{pair.cell.later, "L"}}));
}

TEST_P(EveryCell, SucceedsWhenTheJobsDoNotOverlap) {
  const Pair& pair = GetParam();
  Table table(pair.partitioned);
  const std::string place = table.place();
  ASSERT_FALSE(table.Commit(table.Begin(pair.cell.earlier, "E", place, pair.keys)).conflict);
  const CheckResult result = table.Commit(table.Begin(pair.cell.later, "L", place, pair.keys));
  ASSERT_FALSE(result.conflict) << ConflictText(*result.conflict);
  EXPECT_FALSE(result.rebased);
  EXPECT_EQ(table.Content(place), Serial({{pair.cell.earlier, "E"}, {pair.cell.later, "L"}}));
}

std::string PairName(const ::testing::TestParamInfo<Pair>& info) {
  static constexpr const char* kShort[] = {"overwrite", "insert", "update", "minor", "major"};
  return fmt::format("{}_then_{}_{}_{}", kShort[static_cast<int>(info.param.cell.earlier)],
                     kShort[static_cast<int>(info.param.cell.later)],
                     info.param.partitioned ? "partition" : "table",
                     info.param.keys == Keys::kPrimary ? "keys" : "append");
}

INSTANTIATE_TEST_SUITE_P(Matrix, EveryCell, ::testing::ValuesIn(Pairs({false, true})), PairName);
INSTANTIATE_TEST_SUITE_P(Matrix, EveryCellOfPartitions, ::testing::ValuesIn(Pairs({true})),
                         PairName);

// The later one is checked against each that committed after its snapshot, and one F is enough.
TEST(ConflictCheck, OfThreeTheLastIsCheckedAgainstBoth) {
  int succeeded = 0;
  for (const OpClass first : kOps) {
    for (const OpClass second : kOps) {
      for (const OpClass last : kOps) {
        Table table(true);
        const OpenTxn txn = table.Begin(last, "L", "p=1", Keys::kPrimary);
        ASSERT_FALSE(table.Commit(table.Begin(first, "E1", "p=1", Keys::kPrimary)).conflict);
        ASSERT_FALSE(table.Commit(table.Begin(second, "E2", "p=1", Keys::kPrimary)).conflict);
        const CheckResult result = table.Commit(txn);
        const bool first_fails = CellOf(first, last).outcome == Outcome::kFails;
        const bool second_fails = CellOf(second, last).outcome == Outcome::kFails;
        const std::string what =
            fmt::format("{} {} {}", OpClassName(first), OpClassName(second), OpClassName(last));
        ASSERT_EQ(result.conflict.has_value(), first_fails || second_fails) << what;
        if (result.conflict) {
          EXPECT_EQ(result.conflict->earlier, IdVersion(first_fails ? 2 : 3)) << what;
          continue;
        }
        ++succeeded;
        EXPECT_EQ(table.Content("p=1"), Serial({{first, "E1"}, {second, "E2"}, {last, "L"}}))
            << what;
      }
    }
  }
  EXPECT_EQ(succeeded, 25 + 4 + 4 + 4 + 1) << "O 25, I and U 4 each, m 4, M 1 triples stand";
}

TEST(ConflictCheck, AMinorCompactionLeavesInsertedFilesAlone) {
  Table table(true);
  const OpenTxn minor = table.Begin(OpClass::kMinor, "L", "p=1", Keys::kPrimary);
  ASSERT_FALSE(table.Commit(table.Begin(OpClass::kInsert, "E", "p=1", Keys::kPrimary)).conflict);
  const CheckResult result = table.Commit(minor);
  ASSERT_FALSE(result.conflict);
  EXPECT_EQ(result.partitions.at("p=1").removed, (Files{"b1", "b2"}));
  EXPECT_EQ(table.live["p=1"], (Files{"E", "L", "b3"}));
}

TEST(ConflictCheck, AMajorCompactionTakesWhatAMinorOneMadeOfItsInputs) {
  Table table(true);
  const OpenTxn major = table.Begin(OpClass::kMajor, "L", "p=1", Keys::kPrimary);
  ASSERT_FALSE(table.Commit(table.Begin(OpClass::kMinor, "E", "p=1", Keys::kPrimary)).conflict);
  const CheckResult result = table.Commit(major);
  ASSERT_FALSE(result.conflict);
  EXPECT_EQ(result.partitions.at("p=1").removed, (Files{"E", "b3"}));
  EXPECT_EQ(table.live["p=1"], (Files{"L"}));
}

TEST(ConflictCheck, AMinorCompactionThatMixedInOtherFilesIsAConflictOfLineage) {
  Table table(true);
  OpenTxn major = table.Begin(OpClass::kMajor, "L", "p=1", Keys::kPrimary);
  major.partitions["p=1"].removed.erase("b2");
  ASSERT_FALSE(table.Commit(table.Begin(OpClass::kMinor, "E", "p=1", Keys::kPrimary)).conflict);
  const CheckResult result = table.Commit(major);
  ASSERT_TRUE(result.conflict);
  EXPECT_EQ(result.conflict->kind, ConflictKind::kLineage);
  EXPECT_EQ(result.conflict->file, "b2");
  EXPECT_THAT(ConflictText(*result.conflict), HasSubstr("merged its inputs with 'b2'"));
}

TEST(ConflictCheck, AMinorCompactionOfOtherFilesOnlyDoesNotMatterToAMajorOne) {
  Table table(true);
  OpenTxn major = table.Begin(OpClass::kMajor, "L", "p=1", Keys::kPrimary);
  major.partitions["p=1"].removed = {"b3"};
  ASSERT_FALSE(table.Commit(table.Begin(OpClass::kMinor, "E", "p=1", Keys::kPrimary)).conflict);
  ASSERT_FALSE(table.Commit(major).conflict);
  EXPECT_EQ(table.live["p=1"], (Files{"E", "L"}));
}

TEST(ConflictCheck, WithoutStrictInputsTheMatrixIsAllThatCounts) {
  Table table(true);
  table.options.strict_inputs = false;
  const OpenTxn update = table.Begin(OpClass::kUpdate, "L", "p=1", Keys::kAppend);
  ASSERT_FALSE(table.Commit(table.Begin(OpClass::kMinor, "E", "p=1", Keys::kAppend)).conflict);
  const CheckResult result = table.Commit(update);
  ASSERT_FALSE(result.conflict);
  EXPECT_EQ(result.partitions.at("p=1").removed, Files{}) << "what is gone cannot be removed again";
}

TEST(ConflictCheck, AFileThatWasNeverThereIsGoneWithoutACulprit) {
  Table table(true);
  OpenTxn update = table.Begin(OpClass::kUpdate, "L", "p=1", Keys::kPrimary);
  update.partitions["p=1"].removed = {"no such file"};
  const CheckResult result = table.Commit(update);
  ASSERT_TRUE(result.conflict);
  EXPECT_EQ(result.conflict->earlier, std::nullopt);
  EXPECT_THAT(ConflictText(*result.conflict), HasSubstr("'no such file', which is not live"));
}

// A blind overwrite loses what was inserted meanwhile; one that reads the table must not.
TEST(ConflictCheck, AnOverwriteThatReadsItsTableIsCheckedAsAnUpdate) {
  for (const OpClass earlier : kOps) {
    Table table(true);
    OpenTxn overwrite = table.Begin(OpClass::kOverwrite, "L", "p=1", Keys::kPrimary);
    overwrite.overwrite_reads_table = true;
    ASSERT_FALSE(table.Commit(table.Begin(earlier, "E", "p=1", Keys::kPrimary)).conflict);
    const CheckResult result = table.Commit(overwrite);
    EXPECT_EQ(result.conflict.has_value(), !IsService(earlier)) << OpClassName(earlier);
    if (!result.conflict) {
      EXPECT_EQ(table.live["p=1"], (Files{"L"}));
    }
  }
}

TEST(ConflictCheck, OnePartitionThatFailsFailsTheWholeTransaction) {
  Table table(true);
  OpenTxn insert = table.Begin(OpClass::kInsert, "L", "p=1", Keys::kPrimary);
  insert.partitions["p=2"].added = {"L"};
  ASSERT_FALSE(table.Commit(table.Begin(OpClass::kInsert, "E", "p=2", Keys::kPrimary)).conflict);
  const CheckResult result = table.Commit(insert);
  ASSERT_TRUE(result.conflict);
  EXPECT_EQ(result.conflict->partition, "p=2");
  EXPECT_EQ(table.live["p=1"], (Files{"b1", "b2", "b3"}));
}

TEST(ConflictCheck, CommitsUpToTheSnapshotAreNotLookedAt) {
  Table table(true);
  for (int i = 0; i < 5; ++i) {
    const std::string name = "E" + std::to_string(i);
    ASSERT_FALSE(table.Commit(table.Begin(OpClass::kInsert, name, "p=1", Keys::kPrimary)).conflict);
  }
  OpenTxn insert = table.Begin(OpClass::kInsert, "L", "p=1", Keys::kPrimary);
  EXPECT_FALSE(table.Commit(insert).conflict);
  insert.snapshot = IdVersion(5);
  const CheckResult result = table.Commit(insert);
  ASSERT_TRUE(result.conflict);
  EXPECT_EQ(result.conflict->earlier, IdVersion(6)) << "the first after the snapshot is named";
}

TEST(ConflictCheck, UnderOccOnlySharedFileGroupsMeet) {
  Table table(true);
  table.options.matrix.policy = ConflictPolicy::kHudiOcc;
  const auto with_group = [&](OpClass op, const std::string& name, const std::string& group) {
    OpenTxn txn = table.Begin(op, name, "p=1", Keys::kPrimary);
    txn.partitions["p=1"].groups = {group};
    return txn;
  };
  const OpenTxn same = with_group(OpClass::kUpdate, "L1", "g1");
  const OpenTxn other = with_group(OpClass::kUpdate, "L2", "g2");
  ASSERT_FALSE(table.Commit(with_group(OpClass::kUpdate, "E", "g1")).conflict);
  EXPECT_FALSE(table.Commit(other).conflict);
  const CheckResult result = table.Commit(same);
  ASSERT_TRUE(result.conflict);
  EXPECT_EQ(result.conflict->kind, ConflictKind::kFileGroup);
  EXPECT_THAT(ConflictText(*result.conflict), HasSubstr("touched file group 'g1'"));
}

TEST(ConflictCheck, UnderOccAnOverwriteRemovesOnlyWhatItNames) {
  Table table(true);
  table.options.matrix.policy = ConflictPolicy::kHudiOcc;
  OpenTxn overwrite = table.Begin(OpClass::kOverwrite, "L", "p=1", Keys::kPrimary);
  overwrite.partitions["p=1"].removed = {"b1"};
  overwrite.partitions["p=1"].groups = {"g1"};
  ASSERT_FALSE(table.Commit(overwrite).conflict);
  EXPECT_EQ(table.live["p=1"], (Files{"L", "b2", "b3"}));
}

TEST(ConflictCheck, TheTextNamesBothJobsTheCellAndWhatToDo) {
  const Conflict conflict{ConflictKind::kCell, IdVersion(7), OpClass::kOverwrite,
                          OpClass::kInsert,    "p=1",        ""};
  EXPECT_EQ(ConflictText(conflict),
            "INSERT INTO of partition p=1 fails: version 7 (INSERT OVERWRITE) committed after its "
            "snapshot; the snapshot that the insert began on was replaced as a whole. Run it again "
            "on the new version");
}

// A class declared wrongly would pass through the wrong column.
TEST(ConflictCheck, AShapeThatIsNotThatOfItsClassIsRefused) {
  CheckOptions options;
  options.partitioned = true;
  const auto error = [&](const OpenTxn& txn) {
    const Status status = CheckShape(txn, options);
    if (status) return std::string();
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    return status.error().message;
  };
  OpenTxn insert{OpClass::kInsert, IdVersion(1), false, {{"p=1", {{"a"}, {}, {}}}}, {}, {}};
  EXPECT_EQ(error(insert), "");
  insert.partitions["p=1"].removed = {"b"};
  EXPECT_THAT(error(insert), HasSubstr("an insert must not remove 'b'"));
  OpenTxn minor{OpClass::kMinor, IdVersion(1), false, {{"p=1", {{"a"}, {"b"}, {}}}}, 5, 5};
  EXPECT_EQ(error(minor), "");
  minor.rows_after = 4;
  EXPECT_THAT(error(minor), HasSubstr("must not change the number of rows"));
  minor.rows_after = 5;
  minor.partitions["p=1"].removed.clear();
  EXPECT_THAT(error(minor), HasSubstr("names no inputs"));
  OpenTxn update{OpClass::kUpdate, IdVersion(1), false, {{"p=1", {{"a"}, {"a"}, {}}}}, {}, {}};
  EXPECT_THAT(error(update), HasSubstr("'a' is both added and removed"));
  OpenTxn nowhere{OpClass::kInsert, IdVersion(1), false, {{"", {{"a"}, {}, {}}}}, {}, {}};
  EXPECT_THAT(error(nowhere), HasSubstr("the table has partitions and a change names none"));
  options.partitioned = false;
  EXPECT_EQ(error(nowhere), "");
  insert.partitions["p=1"].removed.clear();
  EXPECT_THAT(error(insert), HasSubstr("the table has no partitions"));
}

}  // namespace
}  // namespace catalogd::coord
