#include "catalog/endpoint/layouts.h"

#include <algorithm>
#include <vector>

#include "hms_client/insert_layout.h"
#include "thrift/wire/write.h"

namespace catalogd::endpoint {
namespace {

using wire::StructView;
using wire::TType;

// ShowLocksResponse, ShowLocksResponseElement.
constexpr int16_t kLocks = 1;
constexpr int16_t kType = 6;
constexpr int32_t kLastOldType = 3;

// GetOpenTxnsResponse; the first two are those of GetOpenTxnsInfoResponse, too.
constexpr int16_t kHighWater = 1;
constexpr int16_t kOpen = 2;
constexpr int16_t kLeastOpen = 3;
constexpr int16_t kAbortedBits = 4;
// TxnInfo, TxnState.
constexpr int16_t kTxnId = 1;
constexpr int16_t kTxnState = 2;
constexpr int32_t kStateAborted = 2;
constexpr int32_t kStateOpen = 3;

std::optional<StructView> SuccessOf(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header || header->type != wire::MessageType::kReply) return std::nullopt;
  return StructView(reply.substr(header->body)).Struct(0);
}

struct Transaction {
  int64_t id = 0;
  int32_t state = 0;
};

std::optional<std::vector<Transaction>> TransactionsOf(const StructView& info) {
  const auto field = info.Find(kOpen);
  if (!field || field->type != TType::kList) return std::nullopt;
  const wire::ListView list(field->value);
  std::vector<Transaction> found;
  if (list.size() == 0) return found;
  if (list.element_type() != TType::kStruct) return std::nullopt;
  for (const std::string_view element : list.Elements()) {
    const auto id = StructView(element).I64(kTxnId);
    const auto state = StructView(element).I32(kTxnState);
    if (!id || !state) return std::nullopt;
    found.push_back({*id, *state});
  }
  std::sort(found.begin(), found.end(),
            [](const Transaction& a, const Transaction& b) { return a.id < b.id; });
  return found;
}

// Bit n is that of the n-th transaction, the lowest of a byte first, and no byte is empty at the
// end: as java.util.BitSet has it.
std::string AbortedBits(const std::vector<Transaction>& transactions) {
  std::string bits;
  for (size_t i = 0; i < transactions.size(); ++i) {
    if (transactions[i].state != kStateAborted) continue;
    bits.resize(i / 8 + 1);
    bits[i / 8] = static_cast<char>(static_cast<unsigned char>(bits[i / 8]) | (1U << (i % 8)));
  }
  return bits;
}

}  // namespace

std::optional<std::string> InsertEventFor(hms::Generation generation,
                                          const wire::MessageHeader& header,
                                          const StructView& arguments) {
  if (header.method != "fire_listener_event" || generation == hms::Generation::kUnknown) {
    return std::nullopt;
  }
  const auto changed = hms::InsertEventIn(
      generation == hms::Generation::kHive2 ? hms::InsertLayout::kHive2 : hms::InsertLayout::kLater,
      arguments);
  if (!changed) return std::nullopt;
  return wire::EncodeCall(header.method, header.sequence_id, *changed);
}

std::optional<std::string> ReadableTo(ClientRelease release, Unreadable unreadable,
                                      std::string_view reply) {
  switch (unreadable) {
    case Unreadable::kNothing:
      break;
    case Unreadable::kNewLocks:
      return release == ClientRelease::kOlder ? WithoutNewLocks(reply) : std::nullopt;
    case Unreadable::kListOfTxns:
      return release == ClientRelease::kHive4 ? std::nullopt : WithSetOfTxns(reply);
  }
  return std::nullopt;
}

std::optional<std::string> WithoutNewLocks(std::string_view reply) {
  const auto response = SuccessOf(reply);
  const auto list = response ? response->Find(kLocks) : std::nullopt;
  if (!list || list->type != TType::kList) return std::nullopt;
  const wire::ListView locks(list->value);
  if (locks.element_type() != TType::kStruct) return std::nullopt;
  std::string kept;
  size_t count = 0;
  for (const std::string_view lock : locks.Elements()) {
    const auto type = StructView(lock).Find(kType);
    const bool is_new =
        type && type->type == TType::kI32 && wire::DecodeI32(type->value) > kLastOldType;
    if (is_new) continue;
    kept.append(lock);
    ++count;
  }
  if (count == locks.size()) return std::nullopt;
  std::string left;
  wire::Writer(&left).ListBegin(TType::kStruct, count);
  left.append(kept);
  const auto header = wire::ParseMessageHeader(reply);
  return wire::EncodeReply(header->method, header->sequence_id, TType::kStruct, 0,
                           wire::WithField(response->bytes(), kLocks, TType::kList, left));
}

std::optional<std::string> WithSetOfTxns(std::string_view reply) {
  const auto response = SuccessOf(reply);
  if (!response) return std::nullopt;
  std::string_view list;
  for (const wire::Field& field : response->Fields()) {
    if (field.id != kOpen) continue;
    if (field.type == TType::kSet) return std::nullopt;
    if (field.type == TType::kList) list = field.value;
  }
  if (list.empty()) return std::nullopt;
  std::string both;
  wire::Writer out(&both);
  out.RawField(TType::kSet, kOpen, list);  // Written alike.
  out.Raw(response->bytes());
  const auto header = wire::ParseMessageHeader(reply);
  return wire::EncodeReply(header->method, header->sequence_id, TType::kStruct, 0, both);
}

std::optional<std::string> OpenTxnsOf(const StructView& info) {
  const auto high_water = info.I64(kHighWater);
  const auto transactions = TransactionsOf(info);
  if (!high_water || !transactions) return std::nullopt;
  std::string list;
  wire::Writer ids(&list);
  ids.ListBegin(TType::kI64, transactions->size());
  for (const Transaction& one : *transactions) ids.I64(one.id);
  std::string response;
  wire::Writer out(&response);
  out.I64Field(kHighWater, *high_water);
  out.RawField(TType::kSet, kOpen, list);
  out.RawField(TType::kList, kOpen, list);
  const auto open = std::find_if(transactions->begin(), transactions->end(),
                                 [](const Transaction& one) { return one.state == kStateOpen; });
  if (open != transactions->end()) out.I64Field(kLeastOpen, open->id);
  out.StringField(kAbortedBits, AbortedBits(*transactions));
  out.Stop();
  return response;
}

}  // namespace catalogd::endpoint
