#pragma once

#include "catalog/daemon/metric_families.h"
#include "catalog/daemon/views.h"

namespace catalogd::daemon {

// What table coordination counts. Nothing where it is off.
void AddCoordMetrics(const ViewSources& sources, Families* out);

}  // namespace catalogd::daemon
