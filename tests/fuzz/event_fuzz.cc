#include <string>
#include <string_view>

#include "events/event_decoder.h"
#include "events/json_slices.h"
#include "events/message_text.h"
#include "tests/fuzz/fuzz_target.h"
#include "thrift/wire/scan.h"

// Whatever a row holds: decoding returns, images are well-formed binary, an event with a problem
// has no payload, and memory stays in proportion to the message.
namespace catalogd::fuzz {
namespace {

constexpr const char* kTypes[] = {"CREATE_TABLE",
                                  "ALTER_TABLE",
                                  "ADD_PARTITION",
                                  "ALTER_PARTITION",
                                  "ALTER_PARTITIONS",
                                  "DROP_PARTITION",
                                  "CREATE_FUNCTION",
                                  "DROP_FUNCTION",
                                  "UPDATE_TBL_COL_STAT_EVENT",
                                  "UPDATE_PART_COL_STAT_EVENT",
                                  "ADD_PRIMARYKEY",
                                  "ADD_NOTNULLCONSTRAINT",
                                  "DROP_TABLE",
                                  "ALLOC_WRITE_ID_EVENT",
                                  "SOMETHING_NEW"};

void RequireStruct(const std::string& bytes) {
  const auto length = wire::ValueLength(wire::TType::kStruct, bytes);
  Require(length && *length == bytes.size());
}

void Check(const events::Event& event, size_t message_size) {
  if (event.table_image) RequireStruct(*event.table_image);
  for (const auto& partition : event.partitions) {
    RequireStruct(partition.bytes);
    Require(!partition.values.empty());
  }
  if (!event.problem.empty()) {
    Require(!event.table_image && event.partitions.empty() && event.partition_values.empty() &&
            event.partition_specs.empty() && event.function.empty());
  }
  Require(event.bytes >= sizeof(events::Event));
  Require(event.bytes <= 4096 + 512 * message_size);
}

}  // namespace

void EventTarget(const uint8_t* data, size_t size) {
  if (size == 0) return;
  // The first byte chooses type and names, the rest is the message.
  hms::NotificationEvent row;
  row.id = EventId(1);
  row.type = kTypes[data[0] % std::size(kTypes)];
  if ((data[0] & 0x80U) != 0) {
    row.db = "db";
    row.table = "table";
  }
  row.message.assign(reinterpret_cast<const char*>(data + 1), size - 1);
  // An exact heap copy: a sanitizer sees every read past the end.
  row.message.shrink_to_fit();
  constexpr events::DecoderLimits kLimits{1U << 20U};
  const events::Event event = events::DecodeEvent(row, kLimits);
  const auto text = events::MessageText(row, kLimits);
  Require(!text || text->size() <= kLimits.max_message);
  Check(event, text ? text->size() : row.message.size());
  Require(events::DecodeEvent(row, kLimits).fingerprint == event.fingerprint);
}

}  // namespace catalogd::fuzz

FUZZ_ENTRY(catalogd::fuzz::EventTarget);
