// An explanation that says something else than what the table does, or of another's conflict.
#include <gmock/gmock.h>

#include "tests/unit/coord_service/read_world.h"

namespace catalogd::coord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReadConflicts : public testing::ReadWorld {
 protected:
  CoordResult<api::ConflictInfo> Explain(const std::string& earlier, const std::string& later,
                                         const std::string& table) {
    api::ExplainRequest request;
    request.caller.table = table;
    request.earlier = earlier;
    request.later = later;
    return reads_->Explain(request);
  }
  CoordResult<api::ConflictInfo> ExplainTxn(int64_t txn_id, const std::string& table) {
    api::ExplainRequest request;
    request.caller.table = table;
    request.txn_id = txn_id;
    return reads_->Explain(request);
  }
  void Note(const std::string& table_id, int64_t txn_id) {
    NotedConflict noted;
    noted.table_id = table_id;
    noted.table = "sales." + table_id;
    noted.at_ms = 5;
    noted.txn_id = txn_id;
    noted.conflict.earlier = IdVersion(7);
    noted.conflict.earlier_op = OpClass::kOverwrite;
    noted.conflict.later_op = OpClass::kInsert;
    noted.conflict.partition = "p=1";
    context_->conflicts.Note(noted);
  }
  std::vector<int64_t> List(const std::string& table, int32_t limit) {
    api::ListTxnsRequest request;
    request.caller.table = table;
    request.limit = limit;
    const auto conflicts = reads_->Conflicts(request);
    std::vector<int64_t> txns;
    if (!conflicts) return {-1};
    for (const auto& conflict : *conflicts) txns.push_back(conflict.txn_id);
    return txns;
  }
};

TEST_F(ReadConflicts, EachCellWithItsSentence) {
  Make(TableType::kDeltaWithKeys);
  for (const MatrixCell& cell : ConflictMatrix()) {
    const std::string earlier(OpWord(cell.earlier));
    const std::string later(OpWord(cell.later));
    for (const std::string table : {"", "sales.orders"}) {
      const auto info = Explain(earlier, later, table);
      ASSERT_TRUE(info);
      EXPECT_EQ(info->outcome, std::string(1, OutcomeLetter(cell.outcome)));
      EXPECT_THAT(info->text, HasSubstr(std::string(cell.why)));
      EXPECT_EQ(info->policy, "maxcompute");
      EXPECT_EQ(info->table, table);
      EXPECT_EQ(info->earlier, earlier);
      EXPECT_EQ(info->later, later);
    }
  }
}

TEST_F(ReadConflicts, UnderThePolicyOfTheTable) {
  Make(TableType::kMergeOnRead, ConflictPolicy::kHudiNbcc);
  EXPECT_EQ(Explain("INSERT", "UPDATE", "")->outcome, "F");
  const auto info = Explain("INSERT", "UPDATE", "sales.orders");
  EXPECT_EQ(info->outcome, "A");
  EXPECT_EQ(info->policy, "hudi_nbcc");
  EXPECT_THAT(info->text, HasSubstr("do not check each other"));
  EXPECT_EQ(Explain("INSERT", "MAJOR", "sales.orders")->outcome, "C");
  EXPECT_EQ(Explain("OVERWRITE", "INSERT", "sales.orders")->outcome, "F");
}

TEST_F(ReadConflicts, UnderFileGroups) {
  Make(TableType::kMergeOnRead, ConflictPolicy::kHudiOcc);
  EXPECT_EQ(Explain("INSERT", "OVERWRITE", "sales.orders")->outcome, "F");
  const auto info = Explain("MAJOR", "UPDATE", "sales.orders");
  EXPECT_EQ(info->outcome, "A");
  EXPECT_EQ(info->kind, "file group");
}

TEST_F(ReadConflicts, AppendsThatCommute) {
  Make(TableType::kDeltaAppend);
  {
    const MutexLock lock(table_->mutex);
    table_->state.SetOptions(*WithOptions({}, {{"inserts_commute", "true"}}));
  }
  const auto info = Explain("INSERT", "INSERT", "sales.orders");
  EXPECT_EQ(info->outcome, "A");
  EXPECT_THAT(info->text, HasSubstr("inserts_commute"));
  EXPECT_EQ(Explain("UPDATE", "INSERT", "sales.orders")->outcome, "F");
}

TEST_F(ReadConflicts, WhatIsNamedIsChecked) {
  Make(TableType::kDeltaWithKeys);
  EXPECT_EQ(CodeOf(Explain("INSERT", "", "")), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(Explain("INSERT", "DELETE FROM", "")), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(Explain("INSERT", "INSERT", "sales.no_such")), "NOT_FOUND");
  EXPECT_EQ(CodeOf(ExplainTxn(1, "")), "NOT_FOUND");
}

TEST_F(ReadConflicts, ThoseThatHappenedNewestFirst) {
  Make(TableType::kDeltaWithKeys);
  EXPECT_THAT(List("", 0), IsEmpty());
  Note(kId, 1);
  Note("other", 2);
  Note(kId, 3);
  EXPECT_THAT(List("", 0), ElementsAre(3, 2, 1));
  EXPECT_THAT(List("", 2), ElementsAre(3, 2));
  EXPECT_THAT(List("sales.orders", 100), ElementsAre(3, 1));
  EXPECT_THAT(List("sales.no_such", 100), ElementsAre(-1));
  EXPECT_THAT(List("", -1), ElementsAre(-1));
  const auto info = ExplainTxn(3, "sales.orders");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->offending_version, 7);
  EXPECT_EQ(info->earlier, "OVERWRITE");
  EXPECT_THAT(info->text, HasSubstr("version 7"));
  EXPECT_EQ(CodeOf(ExplainTxn(2, "sales.orders")), "NOT_FOUND");
  EXPECT_EQ(ExplainTxn(2, "")->table, "sales.other");
}

}  // namespace
}  // namespace catalogd::coord
