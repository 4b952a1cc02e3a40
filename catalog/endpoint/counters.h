#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "catalog/endpoint/method_table.h"

namespace catalogd::endpoint {

// What the endpoint counts; read one by one. Thread safety: yes.
class EndpointCounters {
 public:
  EndpointCounters() : by_method_(MethodTable::Get().rows().size() + 1) {}

  struct Snapshot {
    std::map<std::string, uint64_t> by_kind;
    std::map<std::string, uint64_t> by_method;  // Only methods that were called; "(other)".
    uint64_t cached_answers = 0;
    uint64_t not_loaded = 0;        // Passed through because the object was not loaded.
    uint64_t not_exact = 0;         // Passed through for another reason.
    uint64_t floor_waits = 0;       // Reads that waited for the cache to come up to their floor.
    uint64_t floor_timeouts = 0;    // And were passed through in the end.
    uint64_t current_id_asked = 0;  // Reads that needed the metastore's current event id.
    uint64_t passed_through = 0;
    uint64_t translated = 0;  // Calls that the metastore does not know, made from others.
    uint64_t writes = 0;
    uint64_t failed_writes = 0;  // Without an answer of the metastore.
    uint64_t own_calls = 0;      // Services of the daemon itself.
    uint64_t queue_full = 0;
    uint64_t errors = 0;  // Answers made here because none could be had.
  };
  [[nodiscard]] Snapshot Read() const;

  // Null: a method without a row.
  void CountCall(const MethodRow* row);

  std::atomic<uint64_t> cached_answers{0};
  std::atomic<uint64_t> not_loaded{0};
  std::atomic<uint64_t> not_exact{0};
  std::atomic<uint64_t> floor_waits{0};
  std::atomic<uint64_t> floor_timeouts{0};
  std::atomic<uint64_t> current_id_asked{0};
  std::atomic<uint64_t> passed_through{0};
  std::atomic<uint64_t> translated{0};
  std::atomic<uint64_t> writes{0};
  std::atomic<uint64_t> failed_writes{0};
  std::atomic<uint64_t> own_calls{0};
  std::atomic<uint64_t> queue_full{0};
  std::atomic<uint64_t> errors{0};

 private:
  std::array<std::atomic<uint64_t>, kKindCount> by_kind_{};
  std::vector<std::atomic<uint64_t>> by_method_;  // The last one: methods without a row.
};

}  // namespace catalogd::endpoint
