#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/base/clock.h"
#include "catalog/base/ids.h"
#include "catalog/base/result.h"
#include "hms_client/channel.h"

namespace catalogd::endpoint {

// How fresh the answers of a connection are (setMetaConf "catalogd.read").
struct ReadLevel {
  enum class Kind { kCached, kAtLeast, kLatest };
  Kind kind = Kind::kCached;
  EventId at_least;  // kAtLeast only.
  friend bool operator==(const ReadLevel&, const ReadLevel&) = default;
};
// "cached", "latest", "at-least 4711". kInvalidArgument names the allowed values.
Result<ReadLevel> ParseReadLevel(std::string_view text);
std::string ReadLevelText(const ReadLevel& level);

// Metastore settings that a client has made for its connection, and the connection of its own that
// keeps them.
struct PrivateChannel {
  std::unique_ptr<hms::Channel> channel;
  std::map<std::string, std::string> settings;  // By key: the setMetaConf that succeeded last.
};

// Of which release a client is, as far as it has shown by the methods that it called.
enum class ClientRelease : uint8_t {
  kUnknown,
  kOlder,  // It has called what clients of Hive 4 do not call, and nothing that came with Hive 4.
  kHive4,
};

// What the endpoint knows of one client connection.
// Thread safety: none needed: one message of a connection is worked on at a time.
struct SessionState {
  bool ugi_set = false;
  hms::Identity identity;
  ClientRelease release = ClientRelease::kUnknown;
  ReadLevel level;
  // The log that position and floor belong to.
  LogEpoch epoch;
  // The id up to which this connection has seen the catalog; 0: nothing yet.
  EventId position;
  // What it has read through the metastore itself may not be unseen by its next cached read.
  EventId floor;
  bool floor_unknown = false;  // It has, and how new that was must be asked,
  // unless the log was read to its end by a look that began after this moment.
  TimePoint seen_at;
  // It has just read something through the metastore, or may have.
  void SawUnknown(TimePoint now) {
    floor_unknown = true;
    seen_at = now;
  }
  // It has seen nothing above `id`.
  void SawAtMost(EventId id);
  // The log is another one: what was seen of the old one says nothing, and what is seen of the new
  // one must be asked for. False when it is still the same.
  bool StartOver(LogEpoch now);

  PrivateChannel own;
  [[nodiscard]] bool has_own_channel() const { return !own.settings.empty(); }
};

}  // namespace catalogd::endpoint
