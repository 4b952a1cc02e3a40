#include "catalog/coord/service/read_pins.h"

#include <fmt/format.h>

#include <utility>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"
#include "catalog/coord/service/read_points.h"

namespace catalogd::coord {
namespace {

constexpr int64_t kLongestPinMs = 7LL * 24 * 3600 * 1000;

api::PinInfo InfoOf(const PinRecord& pin) {
  api::PinInfo info;
  info.token = pin.token;
  info.id_version = pin.version.value();
  info.until_ms = pin.until_ms;
  info.reader = pin.reader;
  return info;
}

// A call that is sent again finds the pin of the first.
std::string TokenOf(const TableState& state, const api::CoordCaller& caller) {
  if (caller.idempotency_key.empty()) return "";
  return fmt::format("{}/{}/{}", state.id(), caller.owner, caller.idempotency_key);
}

}  // namespace

PinRecord AddPin(const TableState& state, NewPin pin, int64_t now_ms, StoreBatch* batch) {
  for (const auto& [token, old] : state.pins()) {
    if (old.until_ms <= now_ms && token != pin.token) batch->emplace_back(DropPin{token});
  }
  PinRecord record;
  record.token = std::move(pin.token);
  for (int64_t n = 0; record.token.empty(); ++n) {
    std::string token = fmt::format("{}-{}-{}", state.id(), now_ms, n);
    if (!state.pins().contains(token)) record.token = std::move(token);
  }
  record.table_id = state.id();
  record.version = pin.version;
  record.reader = std::move(pin.reader);
  record.until_ms = now_ms + MillisOf(pin.life);
  batch->emplace_back(record);
  return record;
}

StoreBatch PinForPages(const TableState& state, IdVersion version, int64_t now_ms) {
  StoreBatch batch;
  const Duration life = state.options().pin_life;
  for (const auto& [token, pin] : state.pins()) {
    const bool lasts = pin.until_ms - now_ms > MillisOf(life) / 2;
    if (pin.version == version && pin.reader == kPageReader && lasts) return batch;
  }
  AddPin(state, {version, "", std::string(kPageReader), life}, now_ms, &batch);
  return batch;
}

void ReadCalls::Pin(const api::PinRequest& request, Done<api::PinInfo> done) {
  if (request.ttl_ms < 0 || request.ttl_ms > kLongestPinMs) {
    return done(Fail(CoordCode::kInvalidArgument,
                     fmt::format("a pin of {} ms; allowed: 0 (the default of the table) to {}",
                                 request.ttl_ms, kLongestPinMs)));
  }
  const auto found = context_->tables.Find(request.caller.table);
  if (!found) return done(AsFailure(found.error()));
  const ManagedTablePtr& table = *found;
  const int64_t now_ms = WallMillis(*context_->clock);
  const auto decide = [&]() -> CoordStatus {
    const MutexLock lock(table->mutex);
    TableState& state = table->state;
    COORD_RETURN_IF_FAILED(state.MayChange());
    NewPin pin;
    pin.version = request.id_version == 0 ? state.durable() : IdVersion(request.id_version);
    COORD_RETURN_IF_FAILED(CheckReadable(state, pin.version));
    pin.token = TokenOf(state, request.caller);
    pin.reader = request.caller.owner;
    pin.life = request.ttl_ms == 0 ? state.options().pin_life
                                   : Duration(std::chrono::milliseconds(request.ttl_ms));
    StoreBatch batch;
    const auto known = state.pins().find(pin.token);
    const bool repeated = known != state.pins().end() && known->second.until_ms > now_ms;
    const PinRecord record =
        repeated ? known->second : AddPin(state, std::move(pin), now_ms, &batch);
    table->Store(std::move(batch), [done, record](CoordStatus stored) {
      if (!stored) return done(AsFailure(std::move(stored).error()));
      done(InfoOf(record));
    });
    return {};
  };
  if (CoordStatus decided = decide(); !decided) done(AsFailure(std::move(decided).error()));
}

void ReadCalls::Unpin(const api::UnpinRequest& request, Done<api::PinInfo> done) {
  const auto found = context_->tables.Find(request.caller.table);
  if (!found) return done(AsFailure(found.error()));
  const ManagedTablePtr& table = *found;
  const auto decide = [&]() -> CoordStatus {
    const MutexLock lock(table->mutex);
    TableState& state = table->state;
    COORD_RETURN_IF_FAILED(state.MayChange());
    const auto pin = state.pins().find(request.token);
    if (pin == state.pins().end()) {
      return Fail(CoordCode::kNotFound,
                  fmt::format("table {} has no pin '{}': it ran out or was taken away",
                              state.name().ToString(), request.token));
    }
    const api::PinInfo info = InfoOf(pin->second);
    table->Store({DropPin{request.token}}, [done, info](CoordStatus stored) {
      if (!stored) return done(AsFailure(std::move(stored).error()));
      done(info);
    });
    return {};
  };
  if (CoordStatus decided = decide(); !decided) done(AsFailure(std::move(decided).error()));
}

}  // namespace catalogd::coord
