#include "catalog/coord/service/publication.h"

#include <fmt/format.h>
#include <glog/logging.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "catalog/base/random.h"

namespace catalogd::coord {
namespace {

// Unlike those of any other process: no secret, but two of one value would be taken for one.
std::string RandomHex(int words) {
  static std::atomic<uint64_t> count{0};
  static const auto start =
      static_cast<uint64_t>(SystemClock().WallNow().time_since_epoch().count());
  static const auto process = static_cast<uint64_t>(getpid());
  Random random(Random(start).Next() ^ Random(process << 32U).Next() ^ Random(++count).Next());
  std::string text;
  for (int i = 0; i < words; ++i) text += fmt::format("{:016x}", random.Next());
  return text;
}

std::string ValueOf(const std::map<std::string, std::string>& values, std::string_view key) {
  const auto found = values.find(std::string(key));
  return found == values.end() ? "" : found->second;
}

Standing Compare(const TableState& state, const PublishedState& seen) {
  const TableRecord& record = state.record();
  if (seen.table_id != state.id()) return Standing::kForeign;
  const auto& publishing = state.publishing();
  if (publishing && seen.nonce == publishing->nonce && seen.version == publishing->version) {
    return Standing::kPrepared;
  }
  if (seen.epoch > record.epoch) return Standing::kHigherEpoch;
  const auto& published = state.published();
  if (published && seen.nonce == published->nonce && seen.version == published->version) {
    return Standing::kAsKnown;
  }
  return seen.version > record.row.id_version ? Standing::kAhead : Standing::kBehind;
}

}  // namespace

std::string NewNonce() { return RandomHex(1); }
std::string NewTableId() { return RandomHex(2); }

Seen Judge(const TableState& state, const PublishedTable& table) {
  Seen seen;
  seen.text = ValueOf(table.parameters, kStateParameter);
  const std::string& incarnation = state.options().incarnation;
  if (!incarnation.empty() && !table.incarnation.empty() && table.incarnation != incarnation) {
    seen.standing = Standing::kReplaced;
    return seen;
  }
  if (const auto parsed = PublishedState::Parse(seen.text)) {
    seen.state = *parsed;
    seen.standing = Compare(state, *parsed);
    return seen;
  }
  const bool meant = ValueOf(table.parameters, kDetachParameter) == "true";
  seen.standing = meant ? Standing::kDetached : Standing::kMissing;
  return seen;
}

Publication MakePublication(const TableState& state, IdVersion version, const std::string& nonce,
                            int64_t epoch) {
  Publication publication;
  auto& parameters = publication.parameters;
  parameters[std::string(kStateParameter)] =
      PublishedState{state.id(), epoch, version, nonce}.Text();
  if (const TxnRecord* txn = state.FindTxnOfVersion(version)) {
    parameters[std::string(kTxnParameter)] = std::to_string(txn->row.txn_id);
    parameters[std::string(kTimeParameter)] = txn->row.completed->text();
    parameters[std::string(kHudiTimeParameter)] = txn->row.requested.text();
    parameters[std::string(kHudiCompletionParameter)] = txn->row.completed->text();
  }
  return publication;
}

namespace {

CoordStatus LoseTable(CoordContext* context, ManagedTable* table, const Seen& seen)
    REQUIRES(table->mutex) {
  table->state.SetHold(
      TableHold::kNotOwner,
      fmt::format("another daemon coordinates it (epoch {}, its id there is {}); ask that one, or "
                  "register it here again with take_over",
                  seen.state.epoch, seen.state.table_id));
  context->counters.ownership_lost.fetch_add(1, std::memory_order_relaxed);
  CoordStatus status = table->state.MayChange();
  status.error().details["epoch"] = std::to_string(seen.state.epoch);
  status.error().details["owner"] = seen.state.table_id;
  return status;
}

// What is found out here is true whether or not it is stored: the next look finds it again.
CoordStatus Mark(ManagedTable* table, bool corrupt, const std::string& reason)
    REQUIRES(table->mutex) {
  TableRecord record = table->state.record();
  (corrupt ? record.corrupt : record.row.dropped) = true;
  table->Store({record}, [](const CoordStatus&) {});
  table->state.SetHold(table->state.hold(), reason);
  return table->state.MayChange();
}

}  // namespace

CoordStatus TakeStanding(CoordContext* context, ManagedTable* table, const Seen& seen) {
  switch (seen.standing) {
    case Standing::kAsKnown:
    case Standing::kPrepared:
      return {};
    case Standing::kBehind:
    case Standing::kMissing:
      context->counters.regressions.fetch_add(1, std::memory_order_relaxed);
      return {};
    case Standing::kHigherEpoch:
    case Standing::kForeign:
      return LoseTable(context, table, seen);
    case Standing::kAhead:
      return Mark(
          table, true,
          fmt::format("the metastore has version {} and the store only {}: it may have "
                      "been restored from a copy; AlterOptions with resolve=override goes "
                      "on from the store",
                      seen.state.version.value(), table->state.record().row.id_version.value()));
    case Standing::kDetached:
    case Standing::kReplaced:
      context->tables.Deactivate(table->id(), table->state.name());
      return Mark(table, false, "it was dropped or detached");
  }
  return {};
}

}  // namespace catalogd::coord
