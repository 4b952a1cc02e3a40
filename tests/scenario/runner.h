#pragma once

#include <string>
#include <vector>

#include "tests/scenario/script.h"
#include "tests/scenario/show.h"
#include "tests/scenario/world.h"

namespace catalogd::scenario {

// Runs the commands of one script against one world. README.md of this folder lists them.
// Thread safety: none.
class Runner {
 public:
  Runner() : show_(&world_) {}

  // What the block prints. Commands that cannot be understood print "BAD COMMAND ..." and count as
  // a fault.
  std::string Run(const Block& block);
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  // After the script: follows to the end of the log and compares the cache with the metastore.
  // Empty: equal, or the script has said why they differ.
  std::string Finish();

 private:
  using Strings = std::vector<std::string>;
  void RunCommand(const Command& command);
  Status Dispatch(const Strings& words, const Command& command);
  Status External(const Strings& words);
  Status Local(const std::string& session, const Strings& words);
  Status Raw(const Strings& words, const Command& command);
  Status BendNext(const Strings& words);
  Status ChangeLog(const Strings& words);
  Status Fail(const Strings& words);
  Status During(const Strings& words, const Command& command);
  Status Events(const Strings& words);
  Status Start();
  Status Restart();
  Status Load(const Strings& words);
  Status Wait(const Strings& words);
  Status SetOption(const Strings& words);
  Status Server(const Strings& words);
  Status Admin(const Strings& words);
  Status Check();
  void Reconcile();
  void PrintNewRows();
  void PrintAnswers();
  void Print(const std::string& line);

  World world_;
  Show show_;
  std::string output_;
  std::string indent_;
  std::vector<std::string> faults_;
  std::map<EventId, hms::NotificationEvent> hidden_rows_;
  std::string not_compared_;
};

}  // namespace catalogd::scenario
