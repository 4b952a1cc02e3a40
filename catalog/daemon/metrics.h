#pragma once

#include <prometheus/collectable.h>

#include <memory>

#include "catalog/daemon/views.h"
#include "catalog/endpoint/endpoint.h"
#include "hms_client/channel_pool.h"
#include "thrift/server/server.h"

namespace catalogd::daemon {

// What /metrics is made of; everything outlives it.
struct MetricSources {
  const ViewSources* views = nullptr;
  const endpoint::Endpoint* endpoint = nullptr;
  const server::Server* server = nullptr;
  const hms::ChannelPool* pool = nullptr;
};

// Reads all counters at the time of the scrape: nothing is counted twice, and nothing is counted
// for a scrape that never comes. Thread safety: yes.
std::shared_ptr<prometheus::Collectable> MakeMetrics(const MetricSources& sources);

}  // namespace catalogd::daemon
