#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/executor.h"
#include "catalog/coord/service/coordinator.h"
#include "catalog/daemon/coord_access.h"

namespace catalogd::daemon {

struct ThriftCall;

// The failure as clients get it.
api::CoordError ErrorOf(const coord::CoordFailure& failure);
// What is answered where the daemon was told not to coordinate.
api::CoordError CoordinationIsOff();

// What a call asks of its caller, and of the daemon.
struct CoordRule {
  CoordAccess::Right right = CoordAccess::Right::kRead;
  bool is_long = false;      // Goes through all of a table, or of all tables.
  bool needs_owner = false;  // Its owner will hold a lease.
  bool filters = false;      // Leaves out itself what the caller may not read.
};

// The service of catalogd_coord.thrift: decodes a call, says who it is of, checks his rights, lets
// the coordinator answer it.
//
// Thread safety: yes. Never blocks its caller: what is long, and what must ask the metastore for a
// right first, runs on the workers.
// Errors: arguments that cannot be decoded are a TApplicationException; everything else is a
// CoordError.
// Lifetime: coordinator, access and workers outlive the calls that are open.
class CoordService {
 public:
  CoordService(coord::Coordinator* coordinator, CoordAccess* access, Executor* workers);
  // Nothing is coordinated: every call gets `why`.
  explicit CoordService(api::CoordError why);

  // "catalogd_coord_begin_txn", ...
  [[nodiscard]] std::vector<std::string> methods() const;

  using Reply = std::function<void(std::string)>;
  // Answers one whole, checked message; `reply` is called once, perhaps at once, perhaps later on
  // another thread.
  void Handle(std::string_view message, CoordCallerFacts caller, Reply reply) const;

 private:
  void AddMethods();
  void AddTables();
  void AddTxns();
  void AddPlans();
  void AddReads();
  // body(caller, request, done) with done(CoordResult<Success>).
  template <class Method, class Body>
  void Add(Method method, const CoordRule& rule, Body body);
  // Calls of a part of the coordinator: those that answer later, and those that answer at once.
  template <class Method, class Part, class Request>
  void AddLater(Method method, const CoordRule& rule, Part coord::Coordinator::*part,
                void (Part::*call)(const Request&, coord::Done<typename Method::Success>));
  template <class Method, class Part, class Request>
  void AddNow(Method method, const CoordRule& rule, Part coord::Coordinator::*part,
              coord::CoordResult<typename Method::Success> (Part::*call)(const Request&));
  // `then` with the verdict, at once or on a worker.
  void Judge(const CoordRule& rule, const CoordCallerFacts& caller, const std::string& table,
             std::function<void(coord::CoordStatus)> then) const;
  [[nodiscard]] std::optional<ObjectName> NameOf(const std::string& reference) const;

  coord::Coordinator* const coordinator_ = nullptr;
  CoordAccess* const access_ = nullptr;
  Executor* const workers_ = nullptr;
  const std::optional<api::CoordError> closed_;
  std::map<std::string, std::function<void(ThriftCall)>, std::less<>> methods_;
};

}  // namespace catalogd::daemon
