#include "catalog/endpoint/counters.h"

namespace catalogd::endpoint {

void EndpointCounters::CountCall(const MethodRow* row) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  if (row == nullptr) {
    by_method_.back().fetch_add(1, kRelaxed);
    by_kind_[static_cast<size_t>(Kind::kWrite)].fetch_add(1, kRelaxed);
    return;
  }
  by_method_[MethodTable::Get().IndexOf(*row)].fetch_add(1, kRelaxed);
  by_kind_[static_cast<size_t>(row->kind)].fetch_add(1, kRelaxed);
}

EndpointCounters::Snapshot EndpointCounters::Read() const {
  Snapshot out;
  for (int kind = 0; kind < kKindCount; ++kind) {
    out.by_kind[std::string(KindName(static_cast<Kind>(kind)))] =
        by_kind_[static_cast<size_t>(kind)].load();
  }
  for (const MethodRow& row : MethodTable::Get().rows()) {
    const uint64_t calls = by_method_[MethodTable::Get().IndexOf(row)].load();
    if (calls != 0) out.by_method[std::string(row.name)] = calls;
  }
  if (by_method_.back().load() != 0) out.by_method["(other)"] = by_method_.back().load();
  out.cached_answers = cached_answers.load();
  out.not_loaded = not_loaded.load();
  out.not_exact = not_exact.load();
  out.floor_waits = floor_waits.load();
  out.floor_timeouts = floor_timeouts.load();
  out.current_id_asked = current_id_asked.load();
  out.passed_through = passed_through.load();
  out.translated = translated.load();
  out.writes = writes.load();
  out.failed_writes = failed_writes.load();
  out.own_calls = own_calls.load();
  out.queue_full = queue_full.load();
  out.errors = errors.load();
  return out;
}

}  // namespace catalogd::endpoint
