// A file of an older version whose rows are lost, changed or refused by the upgrade.
#include <gmock/gmock.h>

#include "catalog/coord/store/store_schema.h"
#include "tests/unit/coord_store/store_fixture.h"
#include "tests/unit/coord_store/store_records.h"

namespace catalogd::coord {
namespace {

using testing::At;
using testing::File;
using testing::Publication;
using testing::Table;
using testing::Txn;
using StoreUpgradeTest = testing::StoreTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As it was when it was written; never changed.
constexpr const char* kVersion1Tables = R"(
  CREATE TABLE coord_table (
    table_id TEXT PRIMARY KEY,
    catalog TEXT NOT NULL,
    db TEXT NOT NULL,
    name TEXT NOT NULL,
    type INTEGER NOT NULL,
    policy INTEGER NOT NULL,
    base_path TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    newest_fence INTEGER NOT NULL,
    id_version INTEGER NOT NULL,
    last_time_version TEXT,
    clock_high_water INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    dropped INTEGER NOT NULL,
    corrupt INTEGER NOT NULL,
    commit_prepared INTEGER NOT NULL,
    options TEXT NOT NULL) WITHOUT ROWID;
  CREATE UNIQUE INDEX active_name ON coord_table (catalog, db, name) WHERE dropped = 0;
  CREATE TABLE plan (
    plan_id INTEGER PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    type INTEGER NOT NULL,
    requested TEXT NOT NULL,
    state INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    owner TEXT,
    lease_ms INTEGER NOT NULL,
    claim_alive INTEGER NOT NULL,
    cancel_requested INTEGER NOT NULL,
    last_error TEXT NOT NULL,
    prepared_fence INTEGER,
    prepared_time TEXT,
    prepared_id INTEGER,
    completed_fence INTEGER,
    completed_time TEXT,
    completed_id INTEGER,
    target TEXT,
    payload BLOB NOT NULL,
    UNIQUE (table_id, requested));
  CREATE TABLE plan_group (
    plan_id INTEGER NOT NULL REFERENCES plan (plan_id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    table_id TEXT NOT NULL,
    partition TEXT NOT NULL,
    file_id TEXT NOT NULL,
    pending INTEGER NOT NULL,
    PRIMARY KEY (plan_id, position)) WITHOUT ROWID;
  CREATE UNIQUE INDEX one_pending_plan ON plan_group (table_id, partition, file_id)
    WHERE pending = 1;
  CREATE TABLE plan_name (
    plan_id INTEGER NOT NULL REFERENCES plan (plan_id) ON DELETE CASCADE,
    role INTEGER NOT NULL,
    position INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (plan_id, role, position)) WITHOUT ROWID;
  CREATE TABLE txn (
    txn_id INTEGER PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    op INTEGER NOT NULL,
    state INTEGER NOT NULL,
    requested TEXT NOT NULL,
    snapshot INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    owner TEXT NOT NULL,
    lease_ms INTEGER NOT NULL,
    idempotency_key TEXT,
    completed TEXT,
    id_version INTEGER,
    time_version TEXT,
    plan_id INTEGER,
    reason TEXT NOT NULL,
    UNIQUE (table_id, requested),
    UNIQUE (table_id, idempotency_key));
  -- Prepared, committed, unknown: the id of an aborted one is given again.
  CREATE UNIQUE INDEX one_id ON txn (table_id, id_version) WHERE state IN (1, 2, 4);
  CREATE TABLE txn_partition (
    txn_id INTEGER NOT NULL REFERENCES txn (txn_id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    partition TEXT NOT NULL,
    PRIMARY KEY (txn_id, position)) WITHOUT ROWID;
  CREATE TABLE file (
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    partition TEXT NOT NULL,
    name TEXT NOT NULL,
    added_by INTEGER NOT NULL REFERENCES txn (txn_id),
    file_id TEXT NOT NULL,
    kind INTEGER NOT NULL,
    size INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    removed_by INTEGER REFERENCES txn (txn_id),
    PRIMARY KEY (table_id, partition, name, added_by)) WITHOUT ROWID;
  CREATE UNIQUE INDEX one_live_file ON file (table_id, partition, name) WHERE removed_by IS NULL;
  CREATE TABLE pin (
    token TEXT PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    version INTEGER NOT NULL,
    reader TEXT NOT NULL,
    until_ms INTEGER NOT NULL) WITHOUT ROWID;
)";

constexpr const char* kVersion1Rows = R"(
  INSERT INTO coord_table VALUES ('t1', 'hive', 'sales', 'orders', 2, 1, 'file:/warehouse/orders',
    2, 7, 3, '00000000000000055', 1000, 'n1', 0, 0, 0, '{"strict_inputs":true}');
  INSERT INTO plan VALUES (1, 't1', 2, '00000000000000010', 1, 7, 2, 'spark/app', 120000, 1, 1,
    'exit code 1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, x'610062');
  INSERT INTO plan_group VALUES (1, 0, 't1', 'p=1', 'g1', 1);
  INSERT INTO plan_name VALUES (1, 0, 0, 0, 'f1'), (1, 0, 1, 0, 'f2'), (1, 2, 0, 6, 'x'),
    (1, 2, 1, 7, 'y');
  INSERT INTO txn VALUES (1, 't1', 2, 2, '00000000000000101', 0, 5, 'trino', 120000, 'key1',
    '00000000000000201', 1, '00000000000000201', NULL, ''),
    (2, 't1', 2, 2, '00000000000000102', 1, 5, 'trino', 120000, 'key2',
    '00000000000000202', 2, '00000000000000202', NULL, '');
  INSERT INTO txn_partition VALUES (1, 0, 'p=2'), (1, 1, 'p=1'), (2, 0, 'p=2'), (2, 1, 'p=1');
  INSERT INTO file VALUES ('t1', 'p=1', 'old', 1, 'g1', 1, 1048576, 5, 2),
    ('t1', 'p=1', 'live', 2, 'g1', 1, 1048576, 5, NULL);
  INSERT INTO pin VALUES ('tok', 't1', 2, 'reader', 123456);
  PRAGMA user_version = 1;
  PRAGMA application_id = 0x63617463;
)";

// What was added to the tables of version 1.
constexpr const char* kVersion2Tables = R"(
  ALTER TABLE plan ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE plan ADD COLUMN trigger_text TEXT NOT NULL DEFAULT '';
  ALTER TABLE plan ADD COLUMN cancellable INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE txn ADD COLUMN overwrite_reads_table INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE txn ADD COLUMN extra TEXT NOT NULL DEFAULT '';
  ALTER TABLE txn ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE txn ADD COLUMN ended_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE txn ADD COLUMN event_id INTEGER;
  CREATE TABLE txn_name (
    txn_id INTEGER NOT NULL REFERENCES txn (txn_id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (txn_id, position)) WITHOUT ROWID;
  CREATE TABLE hms_publish (
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    id_version INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    state INTEGER NOT NULL,
    event_id INTEGER,
    tries INTEGER NOT NULL,
    last_error TEXT NOT NULL,
    PRIMARY KEY (table_id, id_version)) WITHOUT ROWID;
  CREATE TABLE history (
    txn_id INTEGER PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    op INTEGER NOT NULL,
    requested TEXT NOT NULL,
    completed TEXT NOT NULL,
    id_version INTEGER NOT NULL,
    time_version TEXT,
    UNIQUE (table_id, requested),
    UNIQUE (table_id, id_version));
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    table_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    outcome TEXT NOT NULL);
  CREATE INDEX audit_of_table ON audit (table_id, seq);
  CREATE TABLE file_2 (
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    partition TEXT NOT NULL,
    name TEXT NOT NULL,
    added_by INTEGER NOT NULL,
    file_id TEXT NOT NULL,
    kind INTEGER NOT NULL,
    size INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    removed_by INTEGER REFERENCES txn (txn_id),
    PRIMARY KEY (table_id, partition, name, added_by)) WITHOUT ROWID;
  INSERT INTO file_2 SELECT table_id, partition, name, added_by, file_id, kind, size, rows,
    removed_by FROM file;
  DROP TABLE file;
  ALTER TABLE file_2 RENAME TO file;
  CREATE UNIQUE INDEX one_live_file ON file (table_id, partition, name) WHERE removed_by IS NULL;
  CREATE INDEX file_added_by ON file (added_by);
  CREATE INDEX file_removed_by ON file (removed_by) WHERE removed_by IS NOT NULL;
  CREATE TRIGGER file_of_a_transaction BEFORE INSERT ON file
    WHEN NOT EXISTS (SELECT 1 FROM txn WHERE txn_id = NEW.added_by)
    BEGIN SELECT RAISE (ABORT, 'a file of no transaction'); END;
  CREATE TRIGGER nothing_given_again BEFORE INSERT ON txn
    WHEN EXISTS (SELECT 1 FROM history WHERE txn_id = NEW.txn_id)
      OR EXISTS (SELECT 1 FROM history
                 WHERE table_id = NEW.table_id AND requested = NEW.requested)
      OR EXISTS (SELECT 1 FROM history
                 WHERE table_id = NEW.table_id AND id_version = NEW.id_version)
    BEGIN SELECT RAISE (ABORT, 'the history has its id, time or version'); END;
)";

constexpr const char* kVersion2Rows = R"(
  INSERT INTO coord_table VALUES ('t1', 'hive', 'sales', 'orders', 2, 1, 'file:/warehouse/orders',
    2, 7, 3, '00000000000000055', 1000, 'n1', 0, 0, 0, '{"strict_inputs":true}');
  INSERT INTO plan VALUES (1, 't1', 2, '00000000000000010', 1, 7, 2, 'spark/app', 120000, 1, 1,
    'exit code 1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, x'610062', 1700000000000,
    '5 commits', 1);
  INSERT INTO plan_group VALUES (1, 0, 't1', 'p=1', 'g1', 1);
  INSERT INTO plan_name VALUES (1, 0, 0, 0, 'f1'), (1, 0, 1, 0, 'f2'), (1, 2, 0, 6, 'x'),
    (1, 2, 1, 7, 'y');
  INSERT INTO txn VALUES (2, 't1', 2, 2, '00000000000000102', 1, 5, 'trino', 120000, 'key2',
    '00000000000000202', 2, '00000000000000202', NULL, '', 1, '{"app":"a"}', 1700000000001,
    1700000000002, 4711);
  INSERT INTO txn_partition VALUES (2, 0, 'p=2'), (2, 1, 'p=1');
  INSERT INTO txn_name VALUES (2, 0, 'p=1/b'), (2, 1, 'p=1/a');
  INSERT INTO file VALUES ('t1', 'p=1', 'old', 2, 'g1', 1, 1048576, 5, 2),
    ('t1', 'p=1', 'live', 2, 'g1', 1, 1048576, 5, NULL);
  INSERT INTO pin VALUES ('tok', 't1', 2, 'reader', 123456);
  INSERT INTO hms_publish VALUES ('t1', 2, 'n', 0, NULL, 0, '');
  INSERT INTO history VALUES (1, 't1', 2, '00000000000000101', '00000000000000201', 1,
    '00000000000000201');
  INSERT INTO audit VALUES (1, 'ann', 'cancel', 't1', 5, 'ok');
  PRAGMA user_version = 2;
  PRAGMA application_id = 0x63617463;
)";

// A record without what version 1 did not have.
TxnRecord OldTxn(int64_t id) {
  TxnRecord txn = Txn(id);
  TxnRecord old;
  old.table_id = txn.table_id;
  old.row = txn.row;
  old.partitions = txn.partitions;
  return old;
}
PlanRecord OldPlan() {
  PlanRecord plan = testing::Claimed(1, 10);
  plan.created_ms = 0;
  plan.trigger.clear();
  plan.cancellable = false;
  return plan;
}

TEST_F(StoreUpgradeTest, AFileOfVersion1IsReadAndWrittenOn) {
  Tamper(kVersion1Tables);
  Tamper(kVersion1Rows);
  FileRecord removed = File("old", 1);
  removed.removed_by = 2;
  for (int i = 0; i < 2; ++i) {
    Open();
    ASSERT_NE(store_, nullptr);
    const StoreContent content = Content();
    EXPECT_THAT(content.tables, ElementsAre(Table()));
    EXPECT_THAT(content.plans, ElementsAre(OldPlan()));
    EXPECT_THAT(content.txns, ElementsAre(OldTxn(1), OldTxn(2)));
    EXPECT_THAT(content.files, ElementsAre(File("live", 2), removed));
    EXPECT_THAT(content.pins, ElementsAre(PinRecord{"tok", "t1", IdVersion(2), "reader", 123456}));
    store_.reset();
  }
  Open();
  EXPECT_EQ(Put({Txn(1), Txn(3), File("f3", 3), RemoveFile{"t1", "p=1", "live", 3}, Publication(3),
                 ForgetTxn{2}}),
            "");
  EXPECT_THAT(Content().txns, ElementsAre(Txn(1), Txn(3)));
  EXPECT_NE(Put({File("f3", 2)}), "") << "the constraints came along";
}

TEST_F(StoreUpgradeTest, AFileOfVersion2IsReadAndWrittenOn) {
  Tamper(kVersion1Tables);
  Tamper(kVersion2Tables);
  Tamper(kVersion2Rows);
  FileRecord removed = File("old", 2);
  removed.removed_by = 2;
  const HistoryRecord forgotten{"t1", 1, OpClass::kUpdate, At(101), At(201), IdVersion(1), At(201)};
  for (int i = 0; i < 2; ++i) {
    Open();
    ASSERT_NE(store_, nullptr);
    const StoreContent content = Content();
    EXPECT_THAT(content.tables, ElementsAre(Table()));
    EXPECT_THAT(content.plans, ElementsAre(testing::Claimed(1, 10)));
    EXPECT_THAT(content.txns, ElementsAre(Txn(2)));
    EXPECT_THAT(content.files, ElementsAre(File("live", 2), removed));
    EXPECT_THAT(content.pins, ElementsAre(PinRecord{"tok", "t1", IdVersion(2), "reader", 123456}));
    EXPECT_THAT(content.publications, ElementsAre(Publication(2)));
    EXPECT_THAT(content.history, ElementsAre(forgotten));
    EXPECT_THAT(store_->ReadAudit("", 9).value(),
                ElementsAre(AuditRecord{"ann", "cancel", "t1", 5, "ok"}));
    store_.reset();
  }
  Open();
  TxnRecord others = Txn(4);
  others.table_id = "t2";
  ASSERT_EQ(Put({Table("t2", "other"), others, Txn(3)}), "");
  EXPECT_THAT(Put({File("f", 4)}), HasSubstr("a file of no transaction of its table"));
  EXPECT_NE(Put({RemoveFile{"t1", "p=1", "live", 4}}), "");
  EXPECT_EQ(Put({File("f", 3), RemoveFile{"t1", "p=1", "live", 3}}), "");
}

TEST_F(StoreUpgradeTest, AnUpgradedFileHasTheSameTablesAsANewOne) {
  const auto schema = [&] {
    std::string all;
    auto db = SqliteDb::Open(path_, {});
    EXPECT_TRUE(db);
    EXPECT_TRUE((*db)->Query("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name",
                             {}, [&](const SqlRow& row) { all += row.Bytes(0); }));
    EXPECT_EQ((*db)->QueryInt("PRAGMA user_version").value(), kStoreVersion);
    return all;
  };
  Open();
  store_.reset();
  const std::string fresh = schema();
  for (const std::vector<const char*>& older :
       {std::vector{kVersion1Tables, kVersion1Rows},
        std::vector{kVersion1Tables, kVersion2Tables, kVersion2Rows}}) {
    std::filesystem::remove(path_);
    for (const char* sql : older) Tamper(sql);
    Open();
    store_.reset();
    EXPECT_EQ(schema(), fresh);
  }
}

TEST_F(StoreUpgradeTest, AnUpgradeThatFailsLeavesTheFileAsItWas) {
  Tamper(kVersion1Tables);
  Tamper(kVersion1Rows);
  Tamper("CREATE TABLE history (mine)");
  EXPECT_THAT(OpenFails().message, HasSubstr("history already exists"));
  Tamper("DROP TABLE history");
  Open();
  EXPECT_THAT(Content().txns, ElementsAre(OldTxn(1), OldTxn(2)));
}

}  // namespace
}  // namespace catalogd::coord
