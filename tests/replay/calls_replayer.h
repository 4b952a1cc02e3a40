#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hms_client/embedded/embedded_metastore.h"
#include "tests/replay/call_encoder.h"
#include "tests/replay/recording.h"
#include "tests/replay/wanted_differences.h"
#include "tests/support/fake_time.h"

namespace catalogd::replay {

// Makes the calls of a recording on an embedded metastore and compares: the class of each error,
// the events of each call (type, names, and the images in them), and all objects at the end.
//
// Left out: times, and the ids of tables. Not for the core: nothing is cached here.
// Thread safety: none. Errors of Run: those of reading the files; kCorrupt: a call that cannot be
// encoded.
class CallsReplayer {
 public:
  struct Files {
    std::string folder;  // Of the recording.
    std::string facts;   // The table of IDL facts.
    std::string wanted;  // The list of wanted differences.
  };
  struct Report {
    size_t calls = 0;
    size_t events = 0;  // Compared one by one.
    size_t objects = 0;
    size_t wanted = 0;
    std::vector<std::string> differences;  // That nobody wants.
    std::vector<std::string> unused;       // Wishes that nothing fulfils.
  };

  Status Run(const Files& files);
  [[nodiscard]] const Report& report() const { return report_; }

 private:
  struct Call {
    std::string label;
    std::string method;
    nlohmann::json arguments;
    std::string error;  // Class; empty: it succeeded.
    EventId before;
    EventId after;
  };

  Status Open(const std::string& version);
  Status ReadCalls(const std::string& folder);
  // Makes the call unless a rule wants it left out ("call METHOD (LABEL) recorded ...").
  Status Make(Call call);
  // Where the recorded server reads a call otherwise than the embedded one.
  void Translate(Call* call) const;
  void CompareEvents(const Call& call);
  void CompareEvent(const std::string& context, const hms::NotificationEvent& recorded,
                    const hms::NotificationEvent& made);
  void CompareState();
  // The bytes of the answer's field 0; empty: the call failed.
  Result<std::string> Ask(const std::string& method, const nlohmann::json& arguments);
  [[nodiscard]] std::string ErrorOf(const std::string& method, std::string_view reply) const;
  void Found(const std::string& difference);

  Recording recording_;
  IdlFacts facts_;
  WantedDifferences wanted_;
  std::vector<Call> calls_;
  testing::FakeClock clock_;
  std::unique_ptr<hms::EmbeddedMetastore> metastore_;
  std::unique_ptr<hms::Channel> channel_;
  EventId seen_;  // The newest event of the embedded log that was compared.
  Report report_;
};

}  // namespace catalogd::replay
