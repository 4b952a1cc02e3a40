#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/base/executor.h"
#include "catalog/endpoint/cached_read.h"
#include "catalog/endpoint/call.h"
#include "catalog/endpoint/catalog_view.h"
#include "catalog/endpoint/counters.h"
#include "catalog/endpoint/forwarder.h"
#include "catalog/endpoint/lock_floors.h"
#include "catalog/endpoint/read_rights.h"
#include "catalog/endpoint/side_read.h"
#include "catalog/endpoint/turns.h"
#include "thrift/server/server.h"

namespace catalogd::endpoint {

struct EndpointOptions {
  Duration call_timeout = std::chrono::seconds(600);  // Of a call that is passed through.
  // How long a read waits for the cache to come up to its floor before it is passed through.
  Duration floor_wait = std::chrono::seconds(2);
  size_t max_waiting_locks = 10000;
  ReadLevel level;  // Of connections that have not said which (setMetaConf catalogd.read).
  // When the end of the log was looked at longer ago than this, reads pass through, and fail with
  // the metastore (`latest` asks it anyway). 0: they are answered however long it has been away.
  Duration max_staleness{};
  // Calls of one user at the metastore at the same time; 0: no limit.
  size_t calls_per_user = 0;
  // Where the metastore judges each user's reads: how long a user may be shown an object that the
  // metastore has shown him.
  Duration right_life = std::chrono::seconds(60);
  size_t max_rights = 200000;
};

struct EndpointParts {
  CatalogView* view = nullptr;
  hms::Metastore* metastore = nullptr;
  hms::Connector* connector = nullptr;  // Null: no setting can be made for one connection.
  Executor* workers = nullptr;          // Bounded; blocks in calls to the metastore.
  const Clock* clock = nullptr;
};

// Speaks the metastore's protocol to clients: cached reads that are exact are answered at once on
// the I/O thread; writes run through the DDL skeleton; everything else goes through to the
// metastore, argument bytes untouched.
//
// Not a listener (thrift/server) and not a cache: it decides where an answer comes from.
// Thread safety: as server::Handler says.
// Invariants:
//   E1 an answer from the cache is at or above the floor of its name, of its level and of what its
//      connection has seen through the metastore;
//   E2 what is not understood as a whole is passed through;
//   E3 `shutdown` ends one connection and is never forwarded;
//   E4 where the metastore judges each user's reads, nobody is shown from the cache what it has not
//      shown him, and nobody's missing objects or lists are another's.
// Lifetime: outlives the server and everything that runs on `workers`; its parts outlive it.
// Protocol facts: tools/idl/hms_idl_facts.tsv.gz; texts and edge cases measured on real servers.
class Endpoint final : public server::Handler {
 public:
  Endpoint(const EndpointParts& parts, const EndpointOptions& options);

  // As Handler::OnMessage.
  using OwnHandler = std::function<server::Outcome(const std::shared_ptr<server::Session>& session,
                                                   std::string_view message, std::string* reply)>;
  // Methods of the daemon's own services on the same port. With an executor the handler runs there
  // and may block. Before the server starts.
  // `judges`: the handler itself sees to it that nobody is shown what the metastore would not show
  // him; others are answered on this host only where the metastore judges reads.
  void RegisterOwnService(const std::vector<std::string>& methods, const OwnHandler& handler,
                          Executor* executor = nullptr, bool judges = false);
  // Who the client of a connection has said it is. On the thread of its message.
  static hms::Identity CallerOf(server::Session* session);

  void OnOpen(server::Session& session) override;
  server::Outcome OnMessage(const std::shared_ptr<server::Session>& session,
                            std::string_view message, std::string* reply) override;
  void OnClose(server::Session& session) override;
  // The daemon is stopping: calls that wait until others of their user have ended are refused, and
  // from here on none is made to wait.
  void StopWaiting() { turns_.Stop(); }

  [[nodiscard]] const EndpointCounters& counters() const { return counters_; }
  // Calls that wait until others of their user have ended.
  [[nodiscard]] size_t waiting_for_turn() const { return turns_.waiting(); }

 private:
  struct OwnService {
    OwnHandler handler;
    Executor* executor = nullptr;
    bool judges = false;
  };
  // A message on its I/O thread.
  struct Incoming {
    const std::shared_ptr<server::Session>& session;
    SessionState* state;
    const MethodRow* row;
    const wire::MessageHeader& header;
    std::string_view message;
    std::string* reply;
    [[nodiscard]] wire::StructView Arguments() const {
      return wire::StructView(message.substr(header.body));
    }
    [[nodiscard]] CallPtr Keep() const {
      return std::make_shared<Call>(session, state, row, message);
    }
  };

  server::Outcome OwnCall(const OwnService& service, const Incoming& in);
  void Finish(const CallPtr& call, std::string reply);
  void Fail(const CallPtr& call, std::string_view text);

  // endpoint_reads.cc
  // A read that has been understood: one of the two.
  struct Question {
    std::optional<ReadRequest> cached;
    std::optional<SideRequest> side;
    [[nodiscard]] bool understood() const { return cached || side; }
  };
  [[nodiscard]] Question ParseQuestion(const MethodRow& row, const wire::StructView& arguments,
                                       ClientRelease release) const;
  ReadAnswer AnswerNow(const MethodRow& row, const wire::MessageHeader& header,
                       const Question& question, const SessionState& state, EventId floor,
                       std::string* reply) const;
  server::Outcome Read(const Incoming& in);
  [[nodiscard]] bool MustPass(const MethodRow& row, const SessionState& state) const;
  [[nodiscard]] bool IsTooOld(const SessionState& state) const;
  [[nodiscard]] EventId FloorFor(const SessionState& state) const;
  void TakeFreeFloor(SessionState* state) const;
  void AskFloor(const CallPtr& call);
  void OnCurrentId(const CallPtr& call, const Result<EventId>& current);
  void ContinueRead(const CallPtr& call);
  void WaitForFloor(const CallPtr& call, const ReadAnswer& answer);
  void NotFromCache(const CallPtr& call, const ReadAnswer& answer);
  void NoteAnswer(SessionState* state, const ReadAnswer& answer);

  // endpoint_rights.cc
  // One read that the metastore may be asked to judge, and what was known of its object before.
  struct Judged {
    ObjectName name;
    CatalogVersion version;
  };
  [[nodiscard]] std::optional<Judged> MayBecomeARight(const Call& call) const;
  [[nodiscard]] bool HasRight(const MethodRow& row, const ObjectName& name,
                              const SessionState& state) const;
  void NoteRight(const Call& call, const Judged& judged, std::string_view reply);

  // endpoint_side.cc
  [[nodiscard]] bool MayKeepSide(const MethodRow& row, const SideRequest& request) const;
  ReadAnswer AnswerSide(const wire::MessageHeader& header, const SideRequest& request,
                        EventId floor, std::string* reply) const;
  // A call on its way to the metastore whose answer is to be kept.
  struct Keeping {
    SideRequest request;
    sync::SideAnswers::Reading reading;
  };
  std::optional<Keeping> BeginKeeping(const Call& call);
  void Keep(const Call& call, Keeping keeping, const std::string& reply);

  // endpoint_calls.cc
  void PassThrough(const CallPtr& call);
  bool OnTurn(const CallPtr& call, const std::string& user);
  void TakeTurn(const CallPtr& call, const std::string& user, Turns::Entry entry);
  void Refuse(const CallPtr& call, const Error& error);
  void RunPassThrough(const CallPtr& call);
  void OnForwardFailed(const CallPtr& call, const Error& error);
  void OnLockGranted(const CallPtr& call, std::vector<ObjectName> names, std::string reply);
  void Write(const CallPtr& call);
  bool BeginWrite(const CallPtr& call, const std::string& user);
  std::optional<OtherCall> InItsWords(const Call& call, ddl::DdlRequest* request);
  void OnWritten(const CallPtr& call, Result<ddl::DdlOutcome> outcome);

  // endpoint_session.cc
  server::Outcome OfSession(const Incoming& in);
  server::Outcome SetUgi(const Incoming& in);
  server::Outcome SetMetaConf(const Incoming& in);
  server::Outcome GetMetaConf(const Incoming& in);
  void AnswerPosition(const CallPtr& call);
  [[nodiscard]] std::string AgeText() const;

  const EndpointParts parts_;
  const EndpointOptions options_;
  const MethodTable& methods_;
  EndpointCounters counters_;
  Forwarder forwarder_;
  LockFloors lock_floors_;
  ReadRights rights_;
  Turns turns_;
  std::unordered_map<std::string_view, OwnService> own_services_;
  std::vector<std::unique_ptr<std::string>> own_names_;  // The keys of own_services_.
};

}  // namespace catalogd::endpoint
