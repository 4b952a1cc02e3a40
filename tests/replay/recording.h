#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/base/result.h"
#include "hms_client/metastore.h"
#include "tests/replay/object_key.h"

// What a folder of one recording says: the notification log of a real metastore, what its objects
// looked like after each call, and all of them at the end.
//
// Files (JSON lines, each plain or gzipped): log, checkpoints, calls, state; the format is
// described in tests/replay/README.md.
namespace catalogd::replay {

// An object as the server answered it: struct bytes, or nothing when there was none.
struct ObjectState {
  ObjectKey key;
  std::optional<std::string> thrift;
  // The call wrote an event from which this could be known. Not so when it wrote none, and when it
  // only wrote events that bring no content (INSERT, constraints, ...) and the object was as
  // before.
  bool told = true;
};

// One call that wrote events or was seen to change objects.
struct Step {
  std::string label;
  EventId id;  // The last event in the log after the call.
  std::vector<ObjectState> objects;
};

struct EndObject {
  ObjectKey key;
  std::string thrift;
  // Paths of fields that the log did not tell, as in Difference::path or ::generic.
  std::vector<std::string> unannounced;
};

struct Recording {
  std::string name;  // Of the folder.
  hms::Generation generation = hms::Generation::kUnknown;
  std::vector<hms::NotificationEvent> log;
  std::vector<Step> steps;  // In order of the calls; ids never go back.
  std::vector<EndObject> end;

  [[nodiscard]] EventId last_id() const { return log.empty() ? EventId() : log.back().id; }
};

// Errors: kNotFound (a file is missing), kCorrupt (file, line and what is wrong with it).
Result<Recording> ReadRecording(const std::string& folder);

}  // namespace catalogd::replay
