#include "catalog/endpoint/endpoint.h"

// Reads where the metastore judges who may see what. Only whole tables and databases: what it
// leaves out of a list, or of the partitions of a table, is one user's own.
namespace catalogd::endpoint {
namespace {

bool IsOfOneObject(const MethodRow& row) {
  return row.kind == Kind::kCachedRead &&
         (row.read.shape == ReadShape::kTable || row.read.shape == ReadShape::kDatabase);
}

}  // namespace

bool Endpoint::HasRight(const MethodRow& row, const ObjectName& name,
                        const SessionState& state) const {
  if (!IsOfOneObject(row)) return false;
  // In this order: what is looked at next is at least as new.
  const CatalogView::LogEnd end = parts_.view->NewestLogEnd();
  const sync::ReadPosition at = parts_.view->LookAtLeast(name, end.id);
  return at.effective >= end.id &&
         rights_.Has(state.identity, name, at.view.version, end.began, parts_.clock->Now());
}

std::optional<Endpoint::Judged> Endpoint::MayBecomeARight(const Call& call) const {
  if (!parts_.view->ReadsPerUser() || call.row == nullptr || !IsOfOneObject(*call.row)) {
    return std::nullopt;
  }
  const Question question = ParseQuestion(*call.row, call.Arguments(), call.state->release);
  if (!question.cached) return std::nullopt;
  const ObjectName& name = question.cached->target;
  return Judged{name, parts_.view->Look(name).view.version};
}

void Endpoint::NoteRight(const Call& call, const Judged& judged, std::string_view reply) {
  if (!HasValue(reply)) return;
  rights_.Note(call.state->identity, judged.name, judged.version, parts_.clock->Now());
}

}  // namespace catalogd::endpoint
