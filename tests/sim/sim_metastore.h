#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hms_client/channel.h"
#include "tests/sim/model.h"
#include "tests/sim/options.h"
#include "tests/sim/scheduler.h"

namespace catalogd::sim {

// The model as a server: channels that speak Thrift binary, one scheduling point before a call
// takes effect and one before it is answered, and faults in between.
//
// Writes name one of the ops in the table here by number: what clients' messages look like is not
// what is tested.
// Thread safety: actors only, one at a time.
class SimMetastore final : public hms::Connector {
 public:
  SimMetastore(Model* model, Scheduler* scheduler, const SimOptions* options)
      : model_(model), scheduler_(scheduler), options_(options) {}

  Result<std::unique_ptr<hms::Channel>> Open(const hms::Identity& identity,
                                             TimePoint deadline) override;

  // The message that asks for op number `number`.
  static std::string WriteMessage(const Op& op, size_t number);
  size_t AddOp(Op op);
  // What became of it; null while it has not happened.
  [[nodiscard]] const OpResult* ResultOf(size_t number) const;
  // Applies an op as somebody else's: no call, no fault.
  OpResult ApplyForeign(const Op& op);

  void SetFaults(bool on) { faults_ = on; }
  // Writes that clients gave up on and that the server still works on: does one. False: none.
  bool FinishLateWrite();
  [[nodiscard]] bool has_late_writes() const { return !late_writes_.empty(); }

 private:
  class SimChannel;
  enum class Fault { kNone, kNotSent, kLostBefore, kLostAfter, kLate };

  Result<std::string> Call(std::string_view message);
  Fault DrawFault(bool write);
  std::string Answer(std::string_view method, int32_t sequence_id, std::string_view args);
  std::string ReadObject(std::string_view method, int32_t sequence_id, std::string_view args);
  std::string ReadPartitions(std::string_view method, int32_t sequence_id, std::string_view args);
  std::string NextNotification(std::string_view method, int32_t sequence_id, std::string_view args);
  std::string ListNames(std::string_view method, int32_t sequence_id, std::string_view args);
  std::string Write(std::string_view method, int32_t sequence_id, size_t number);
  void Perform(size_t number);
  void AfterWrite();

  Model* const model_;
  Scheduler* const scheduler_;
  const SimOptions* const options_;
  std::vector<Op> ops_;
  std::map<size_t, OpResult> results_;
  std::vector<size_t> late_writes_;
  bool faults_ = false;
};

}  // namespace catalogd::sim
