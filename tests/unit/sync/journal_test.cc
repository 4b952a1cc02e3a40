// Whoever follows the journal must see what is new, once, and that something is missing.
#include "catalog/sync/journal.h"

#include <gtest/gtest.h>

#include "tests/support/fake_time.h"

namespace catalogd::sync {
namespace {

std::vector<uint64_t> Sequences(const Journal& journal) {
  std::vector<uint64_t> sequences;
  for (const JournalEntry& entry : journal.Recent(100)) sequences.push_back(entry.sequence);
  return sequences;
}

TEST(Journal, EntriesAreCountedAlsoThoseThatDoNotFit) {
  testing::FakeClock clock;
  Journal journal(3, &clock);
  EXPECT_TRUE(journal.Recent(10).empty());
  journal.Add({});
  journal.Add({});
  EXPECT_EQ(Sequences(journal), (std::vector<uint64_t>{2, 1}));
  events::Event event;
  event.type = "DROP_TABLE";
  JournalNote note;
  note.event = &event;
  journal.AddAll({note, note}, "events");
  EXPECT_EQ(Sequences(journal), (std::vector<uint64_t>{4, 3, 2}));
  EXPECT_EQ(journal.Recent(1).front().type, "DROP_TABLE");
  journal.AddAll(std::vector<JournalNote>(10, note), "events");
  EXPECT_EQ(Sequences(journal), (std::vector<uint64_t>{14, 13, 12}));
}

}  // namespace
}  // namespace catalogd::sync
