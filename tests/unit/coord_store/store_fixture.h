#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "catalog/coord/store/coord_store.h"
#include "catalog/sqlite/sqlite_db.h"
#include "tests/support/temporary_directory.h"

namespace catalogd::coord::testing {

// A store in a file of its own.
class StoreTest : public ::testing::Test {
 protected:
  void Open() {
    auto store = OpenSqliteCoordStore(path_, {.full_sync = false});
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::move(*store);
  }
  void Reopen() {
    store_.reset();
    Open();
  }
  // Empty: written.
  std::string Put(const StoreBatch& batch) {
    const std::vector<Status> results = store_->Write(std::vector<TableBatch>{{"t1", batch}});
    if (results[0]) return "";
    EXPECT_EQ(results[0].error().code, ErrorCode::kConflict) << results[0].error().message;
    return results[0].error().message;
  }
  StoreContent Content() {
    if (store_ == nullptr) return {};  // Said by Open.
    auto content = store_->Load();
    EXPECT_TRUE(content) << content.error().message;
    return content.value_or(StoreContent());
  }
  Error OpenFails() {
    store_.reset();
    auto store = OpenSqliteCoordStore(path_, {});
    if (store) return {ErrorCode::kInternal, "opened"};
    return store.error();
  }
  void Tamper(const std::string& sql) {
    store_.reset();
    auto db = SqliteDb::Open(path_, {});
    ASSERT_TRUE(db);
    const Status done = (*db)->Execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }

  catalogd::testing::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "coord.db";
  std::unique_ptr<CoordStore> store_;
};

}  // namespace catalogd::coord::testing
