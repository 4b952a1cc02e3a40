#include <algorithm>

#include "catalog/base/probes.h"
#include "catalog/endpoint/client_filter.h"
#include "catalog/endpoint/endpoint.h"

// Reads: from the cache when it is exact and new enough, else through the metastore.
namespace catalogd::endpoint {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr int kMaxWaits = 100;
constexpr Duration kSecondLook = std::chrono::milliseconds(50);

bool IsOfDatabase(ReadShape shape) { return shape == ReadShape::kDatabase; }
bool IsOfNames(ReadShape shape) {
  return shape == ReadShape::kDatabaseNames || shape == ReadShape::kTableNames;
}

}  // namespace

Endpoint::Question Endpoint::ParseQuestion(const MethodRow& row, const wire::StructView& arguments,
                                           ClientRelease release) const {
  const hms::Generation generation = parts_.view->Generation();
  const auto like = ForeignDialect(row, release, generation);
  Question question;
  if (row.kind == Kind::kSideRead) {
    question.side = ParseSideRead(row, arguments, generation);
    // What the same bytes are answered depends on who has written them.
    const bool is_read_otherwise = like && FilterForServer(row, arguments, release, generation);
    if (question.side && (is_read_otherwise || !MayKeepSide(row, *question.side))) {
      question.side.reset();
    }
  } else {
    question.cached = ParseRead(row.read, arguments, generation);
    if (question.cached && !parts_.view->Serves(question.cached->target)) question.cached.reset();
    if (question.cached) question.cached->like = like;
  }
  return question;
}

ReadAnswer Endpoint::AnswerNow(const MethodRow& row, const wire::MessageHeader& header,
                               const Question& question, const SessionState& state, EventId floor,
                               std::string* reply) const {
  const bool per_user = parts_.view->ReadsPerUser();
  if (per_user && (question.side || !HasRight(row, question.cached->target, state))) return {};
  if (question.side) return AnswerSide(header, *question.side, floor, reply);
  ReadAnswer answer = CachedRead(*parts_.view, row, header, floor).Answer(*question.cached, reply);
  // What the daemon does not find may be hidden from it.
  const bool found = answer.status != ReadAnswer::Status::kAnswered || HasValue(*reply);
  return per_user && !found ? ReadAnswer{} : answer;
}

// What the log does not tell cannot be up to date by any event id: changes of databases, and before
// Hive 4 those of statistics in tables and partitions; those of functions. Names are always told.
bool Endpoint::MustPass(const MethodRow& row, const SessionState& state) const {
  if (state.level.kind != ReadLevel::Kind::kLatest) return false;
  if (row.kind == Kind::kSideRead) {
    return row.AnnouncedOn(parts_.view->Generation()) != ddl::Announced::kAlways;
  }
  if (IsOfNames(row.read.shape)) return false;
  return IsOfDatabase(row.read.shape) || parts_.view->Generation() != hms::Generation::kHive4;
}

EventId Endpoint::FloorFor(const SessionState& state) const {
  if (state.level.kind != ReadLevel::Kind::kAtLeast) return state.floor;
  return std::max(state.floor, state.level.at_least);
}

bool Endpoint::IsTooOld(const SessionState& state) const {
  return options_.max_staleness > Duration::zero() &&
         state.level.kind != ReadLevel::Kind::kLatest &&
         parts_.clock->Now() - parts_.view->NewestLogEnd().began > options_.max_staleness;
}

server::Outcome Endpoint::Read(const Incoming& in) {
  SessionState* const state = in.state;
  const Question question = ParseQuestion(*in.row, in.Arguments(), state->release);
  if (!question.understood() || MustPass(*in.row, *state) || IsTooOld(*state)) {
    counters_.not_exact.fetch_add(1, kRelaxed);
    PassThrough(in.Keep());
    return server::Outcome::kDeferred;
  }
  if (question.side && parts_.view->side_answers().Find(question.side->question.call) == nullptr) {
    PassThrough(in.Keep());
    return server::Outcome::kDeferred;
  }
  TakeFreeFloor(state);
  if (state->level.kind == ReadLevel::Kind::kLatest || state->floor_unknown) {
    const CallPtr call = in.Keep();
    call->give_up = parts_.clock->Now() + options_.floor_wait;
    AskFloor(call);
    return server::Outcome::kDeferred;
  }
  const ReadAnswer answer =
      AnswerNow(*in.row, in.header, question, *state, FloorFor(*state), in.reply);
  if (answer.status == ReadAnswer::Status::kAnswered) {
    NoteAnswer(state, answer);
    return server::Outcome::kReplied;
  }
  const CallPtr call = in.Keep();
  call->give_up = parts_.clock->Now() + options_.floor_wait;
  if (answer.status == ReadAnswer::Status::kNotExact) {
    NotFromCache(call, answer);
    return server::Outcome::kDeferred;
  }
  // Such an id may not exist yet: then it is an error, not a wait.
  const bool may_not_exist =
      state->level.kind == ReadLevel::Kind::kAtLeast && answer.floor <= state->level.at_least;
  if (state->StartOver(parts_.view->Epoch()) || may_not_exist) {
    AskFloor(call);
  } else {
    WaitForFloor(call, answer);
  }
  return server::Outcome::kDeferred;
}

// A look at the end of the log that began after the metastore's answer shows every event that this
// answer can have shown: nobody needs to be asked, and the metastore may be away by now.
void Endpoint::TakeFreeFloor(SessionState* state) const {
  if (!state->floor_unknown) return;
  const CatalogView::LogEnd end = parts_.view->NewestLogEnd();
  if (end.began <= state->seen_at) return;
  MARK("endpoint.free_floor");
  state->SawAtMost(end.id);
}

void Endpoint::NoteAnswer(SessionState* state, const ReadAnswer& answer) {
  counters_.cached_answers.fetch_add(1, kRelaxed);
  state->position = std::max(state->position, answer.position);
}

void Endpoint::AskFloor(const CallPtr& call) {
  counters_.current_id_asked.fetch_add(1, kRelaxed);
  parts_.view->AskCurrentId(
      [this, call](const Result<EventId>& current) { OnCurrentId(call, current); });
}

void Endpoint::OnCurrentId(const CallPtr& call, const Result<EventId>& current) {
  SessionState* const state = call->state;
  if (!current && state->level.kind == ReadLevel::Kind::kCached) {
    // The metastore's own answer is new enough by nature, and its own error says what is wrong.
    MARK("endpoint.floor_unknown_passed_through");
    counters_.floor_timeouts.fetch_add(1, kRelaxed);
    PassThrough(call);
    return;
  }
  if (!current) {
    Fail(call, Describe(*call) +
                   ": the metastore was asked for its current event id, which a read " +
                   "at this level needs, and did not answer: " + current.error().message +
                   "; try again, or setMetaConf catalogd.read to cached");
    return;
  }
  if (state->floor_unknown) state->SawAtMost(*current);
  if (state->level.kind == ReadLevel::Kind::kAtLeast && state->level.at_least > *current) {
    Fail(call, Describe(*call) + ": event " + std::to_string(state->level.at_least.value()) +
                   " has not happened yet: the metastore's newest event is " +
                   std::to_string(current->value()) +
                   "; setMetaConf catalogd.read to an id that exists, to latest or to cached");
    return;
  }
  if (state->level.kind == ReadLevel::Kind::kLatest) call->floor = *current;
  ContinueRead(call);
}

void Endpoint::ContinueRead(const CallPtr& call) {
  const Question question = ParseQuestion(*call->row, call->Arguments(), call->state->release);
  if (!question.understood()) {
    NotFromCache(call, {});
    return;
  }
  std::string reply;
  const ReadAnswer answer = AnswerNow(*call->row, call->header, question, *call->state,
                                      std::max(FloorFor(*call->state), call->floor), &reply);
  switch (answer.status) {
    case ReadAnswer::Status::kAnswered:
      NoteAnswer(call->state, answer);
      Finish(call, std::move(reply));
      return;
    case ReadAnswer::Status::kBelowFloor:
      WaitForFloor(call, answer);
      return;
    case ReadAnswer::Status::kNotExact:
      NotFromCache(call, answer);
      return;
  }
}

void Endpoint::WaitForFloor(const CallPtr& call, const ReadAnswer& answer) {
  // A floor without an id is waited for in vain; and the names of a long list could be waited for
  // one by one for ever. Somebody's write may hold its names for minutes.
  const bool in_vain = answer.floor == sync::Floors::kNever ||
                       parts_.view->IsHeldUp(answer.wait_names, answer.floor,
                                             call->waits == 0 ? kSecondLook : Duration::zero());
  if (in_vain || parts_.clock->Now() >= call->give_up || ++call->waits > kMaxWaits) {
    MARK("endpoint.below_floor_passed_through");
    counters_.floor_timeouts.fetch_add(1, kRelaxed);
    PassThrough(call);
    return;
  }
  counters_.floor_waits.fetch_add(1, kRelaxed);
  // Soon the log has been polled; then it may show that nothing of these names is pending, though
  // other names hold up the watermark.
  const TimePoint now = parts_.clock->Now();
  const bool looks_again = call->waits == 1;
  const TimePoint until = looks_again ? std::min(call->give_up, now + kSecondLook) : call->give_up;
  parts_.view->Wait(answer.wait_names, answer.floor, until,
                    [this, call, looks_again](const Status& status) {
                      if (status || (looks_again && status.error().code == ErrorCode::kTimedOut)) {
                        ContinueRead(call);
                        return;
                      }
                      counters_.floor_timeouts.fetch_add(1, kRelaxed);
                      PassThrough(call);
                    });
}

void Endpoint::NotFromCache(const CallPtr& call, const ReadAnswer& answer) {
  if (answer.load) {
    counters_.not_loaded.fetch_add(1, kRelaxed);
    parts_.view->RequestLoad(*answer.load);
  } else {
    counters_.not_exact.fetch_add(1, kRelaxed);
  }
  PassThrough(call);
}

}  // namespace catalogd::endpoint
