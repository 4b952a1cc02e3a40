#include "tests/unit/embedded/embedded_fixture.h"

namespace catalogd::hms {

namespace {

class NotificationTest : public EmbeddedTest {
 protected:
  // 1 and 2: databases a and b; 3 and 4: a.t and b.t; 5: a.t gone.
  void SetUp() override {
    EmbeddedTest::SetUp();
    for (const char* db : {"a", "b"}) client().create_database(MakeDatabase(db));
    for (const char* db : {"a", "b"}) client().create_table(MakeTable(db, "t"));
    client().drop_table("a", "t", true);
  }
  std::vector<int64_t> Ids(const api::NotificationEventRequest& request) {
    api::NotificationEventResponse response;
    client().get_next_notification(response, request);
    std::vector<int64_t> ids;
    for (const auto& event : response.events) ids.push_back(event.eventId);
    return ids;
  }
  static api::NotificationEventRequest After(int64_t id) {
    api::NotificationEventRequest request;
    request.__set_lastEvent(id);
    return request;
  }
  int64_t Count(const api::NotificationEventsCountRequest& request) {
    api::NotificationEventsCountResponse response;
    client().get_notification_events_count(response, request);
    return response.eventsCount;
  }
};

TEST_F(NotificationTest, IdsAreDenseAndTheRequestIsExclusive) {
  EXPECT_EQ(CurrentId(), 5);
  EXPECT_THAT(Ids(After(0)), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(Ids(After(3)), ElementsAre(4, 5));
  EXPECT_THAT(Ids(After(5)), IsEmpty());
  EXPECT_THAT(Ids(After(99)), IsEmpty());
}

TEST_F(NotificationTest, MaxEventsLimitsAndZeroMeansAll) {
  auto request = After(1);
  request.__set_maxEvents(2);
  EXPECT_THAT(Ids(request), ElementsAre(2, 3));
  request.__set_maxEvents(0);
  EXPECT_EQ(Ids(request).size(), 4U);
  request.__set_maxEvents(-1);
  EXPECT_EQ(Ids(request).size(), 4U);
}

TEST_F(NotificationTest, FiltersAreJoinedByAnd) {
  auto request = After(0);
  request.__set_eventTypeSkipList({"CREATE_DATABASE"});
  EXPECT_THAT(Ids(request), ElementsAre(3, 4, 5));
  request.__set_dbName("A");
  EXPECT_THAT(Ids(request), ElementsAre(3, 5));
  request.__set_eventTypeList({"DROP_TABLE", "CREATE_DATABASE"});
  EXPECT_THAT(Ids(request), ElementsAre(5));
  request = After(0);
  request.__set_tableNames({"T"});
  EXPECT_THAT(Ids(request), ElementsAre(3, 4, 5));
  request.__set_catName("other");
  EXPECT_THAT(Ids(request), IsEmpty());
}

TEST_F(NotificationTest, CountsAsHive4Does) {
  api::NotificationEventsCountRequest request;
  request.__set_fromEventId(0);
  request.__set_dbName("A");
  EXPECT_EQ(Count(request), 3);
  request.__set_dbName("*");
  EXPECT_EQ(Count(request), 5);
  request.__set_toEventId(4);
  EXPECT_EQ(Count(request), 4);
  request.__set_limit(2);
  EXPECT_EQ(Count(request), 2);
  request.__set_limit(10);
  request.__set_tableNames({"t"});
  EXPECT_EQ(Count(request), 2);
}

TEST_F(NotificationTest, AFailedChangeLeavesNoEventAndNoGap) {
  EXPECT_THAT([&] { client().create_table(MakeTable("b", "t")); },
              ThrowsHive<api::AlreadyExistsException>("already exists"));
  client().create_table(MakeTable("b", "u"));
  EXPECT_THAT(Ids(After(5)), ElementsAre(6));
}

TEST_F(NotificationTest, TheLogAndTheIdsSurviveAReopening) {
  const Events before = EventsAfter(0);
  Reopen();
  EXPECT_EQ(EventsAfter(0), before);
  client().create_database(MakeDatabase("c"));
  EXPECT_THAT(Ids(After(5)), ElementsAre(6));
}

TEST_F(NotificationTest, TimesAreThoseOfTheClock) {
  clock_.Advance(std::chrono::seconds(100));
  const auto event = EventOf([&] { client().create_database(MakeDatabase("c")); });
  EXPECT_EQ(event.eventTime, kStartSeconds + 100);
  EXPECT_EQ(Message(event)["timestamp"], kStartSeconds + 100);
}

}  // namespace

}  // namespace catalogd::hms
