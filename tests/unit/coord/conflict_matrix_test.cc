// The 25 cells as the source states them, letter by letter, and what options change in them.
#include "catalog/coord/conflict_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace catalogd::coord {
namespace {

constexpr OpClass kOps[] = {OpClass::kOverwrite, OpClass::kInsert, OpClass::kUpdate,
                            OpClass::kMinor, OpClass::kMajor};

// "W F F F F": one row, in each later O I U m M.
std::string Row(OpClass earlier, const MatrixOptions& options) {
  std::string row;
  for (const OpClass later : kOps) {
    if (!row.empty()) row += ' ';
    row += OutcomeLetter(OutcomeOf(earlier, later, options));
  }
  return row;
}

TEST(ConflictMatrix, TheCellsAreThoseOfTheSource) {
  const MatrixOptions plain;
  EXPECT_EQ(Row(OpClass::kOverwrite, plain), "W F F F F");
  EXPECT_EQ(Row(OpClass::kInsert, plain), "W F F C F");
  EXPECT_EQ(Row(OpClass::kUpdate, plain), "W F F C F");
  EXPECT_EQ(Row(OpClass::kMinor, plain), "W A A F C");
  EXPECT_EQ(Row(OpClass::kMajor, plain), "W A A F F");
}

TEST(ConflictMatrix, TwelveSucceedAndThirteenFail) {
  std::map<Outcome, int> counts;
  for (const MatrixCell& cell : ConflictMatrix()) ++counts[cell.outcome];
  EXPECT_EQ(ConflictMatrix().size(), 25U);
  EXPECT_EQ(counts[Outcome::kReplaces], 5);
  EXPECT_EQ(counts[Outcome::kAdds], 4);
  EXPECT_EQ(counts[Outcome::kCompacts], 3);
  EXPECT_EQ(counts[Outcome::kFails], 13);
}

TEST(ConflictMatrix, EachCellIsFoundUnderItsOwnNamesAndSaysWhy) {
  std::set<std::pair<OpClass, OpClass>> seen;
  for (const MatrixCell& cell : ConflictMatrix()) {
    EXPECT_TRUE(seen.emplace(cell.earlier, cell.later).second);
    const MatrixCell& found = CellOf(cell.earlier, cell.later);
    EXPECT_EQ(found.earlier, cell.earlier);
    EXPECT_EQ(found.later, cell.later);
    EXPECT_GT(cell.why.size(), 40U);
  }
}

TEST(ConflictMatrix, InsertsCommuteOnlyWhereTheTableSaysSo) {
  MatrixOptions options;
  options.inserts_commute = true;
  EXPECT_EQ(Row(OpClass::kInsert, options), "W A F C F");
  EXPECT_EQ(Row(OpClass::kUpdate, options), "W F F C F");
}

TEST(ConflictMatrix, UnderNbccWritersDoNotCheckEachOtherAndOverwritesDo) {
  MatrixOptions options;
  options.policy = ConflictPolicy::kHudiNbcc;
  EXPECT_EQ(Row(OpClass::kOverwrite, options), "W F F F F");
  EXPECT_EQ(Row(OpClass::kInsert, options), "W A A C C");
  EXPECT_EQ(Row(OpClass::kUpdate, options), "W A A C C");
  EXPECT_EQ(Row(OpClass::kMinor, options), "W A A F C");
  EXPECT_EQ(Row(OpClass::kMajor, options), "W A A F F");
}

TEST(ConflictMatrix, UnderOccASharedFileGroupFailsButForAWriteAfterACompaction) {
  MatrixOptions options;
  options.policy = ConflictPolicy::kHudiOcc;
  EXPECT_EQ(Row(OpClass::kOverwrite, options), "F F F F F");
  EXPECT_EQ(Row(OpClass::kInsert, options), "F F F F F");
  EXPECT_EQ(Row(OpClass::kMinor, options), "F F F F F");
  EXPECT_EQ(Row(OpClass::kMajor, options), "F A A F F");
}

TEST(ConflictMatrix, PlansCommitWithTheClassOfTheirType) {
  EXPECT_EQ(ClassOf(PlanType::kCompact), OpClass::kMajor);
  EXPECT_EQ(ClassOf(PlanType::kLogCompact), OpClass::kMinor);
  EXPECT_EQ(ClassOf(PlanType::kCluster), OpClass::kMinor);
  EXPECT_EQ(ClassOf(PlanType::kClean), std::nullopt);
  EXPECT_EQ(ClassOf(PlanType::kRollback), std::nullopt);
  for (const OpClass op : kOps) EXPECT_NE(OpClassName(op), "?");
  EXPECT_TRUE(IsService(OpClass::kMinor));
  EXPECT_FALSE(IsService(OpClass::kUpdate));
}

}  // namespace
}  // namespace catalogd::coord
