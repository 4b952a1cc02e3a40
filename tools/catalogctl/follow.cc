#include "tools/catalogctl/follow.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "catalog/api/api_json.h"
#include "catalogd_idl/Catalogd.h"
#include "tools/catalogctl/text.h"

// Commands that go on: events --follow and subscribe.
namespace catalogd::ctl {
namespace {

using nlohmann::json;

constexpr int32_t kAtOnce = 1000;
constexpr int64_t kLongestWaitMs = 20000;

int64_t WaitMs(const CommandOptions& options) {
  return std::clamp<int64_t>(options.timeout_ms / 2, 1, kLongestWaitMs);
}

void PrintLine(const CommandOptions& options, const json& for_programs, const std::string& text) {
  options.print((options.json ? api::DumpJsonLine(for_programs) : text) + "\n");
}

// Follows the cache: a dump, then changes; starts over where changes are missing.
class Subscription {
 public:
  Subscription(DaemonClient* client, const CommandOptions& options)
      : client_(client), options_(options) {}

  Result<Output> Run() {
    if (options_.from_version) {
      version_ = *options_.from_version;
    } else {
      RETURN_IF_ERROR(Dump());
    }
    for (;;) {
      api::DeltaBatch batch;
      RETURN_IF_ERROR(client_->Call([&](api::CatalogdClient& daemon) {
        api::DeltasRequest request;
        request.__set_after_version(version_);
        request.__set_limit(kAtOnce);
        request.__set_wait_ms(options_.follow ? WaitMs(options_) : 0);
        daemon.catalogd_deltas(batch, request);
      }));
      if (batch.gap) {
        Gap();
        RETURN_IF_ERROR(Dump());
        continue;
      }
      for (const api::DeltaInfo& delta : batch.deltas) Object("delta", delta);
      version_ = batch.version;
      if (batch.deltas.empty() && !options_.follow) return Output{};
    }
  }

 private:
  void Object(const char* kind, const api::DeltaInfo& info) const {
    json line = api::ToJson(info);
    line["kind"] = kind;
    PrintLine(options_, line, Text(info));
  }

  void Gap() const {
    const std::string text = "gap: changes behind version " + std::to_string(version_) +
                             " are not kept any more; starting over";
    PrintLine(options_, {{"kind", "gap"}, {"catalog_version", version_}, {"text", text}}, text);
  }

  // What is known now, as of the version of its first page; later pages may be newer, and the
  // deltas that follow say so again.
  Status Dump() {
    api::DumpRequest request;
    request.__set_limit(kAtOnce);
    bool first = true;
    for (;;) {
      api::DumpPage page;
      RETURN_IF_ERROR(
          client_->Call([&](api::CatalogdClient& daemon) { daemon.catalogd_dump(page, request); }));
      if (first) {
        version_ = page.version;
        PrintLine(options_,
                  {{"kind", "dump"},
                   {"catalog_version", version_},
                   {"epoch", page.epoch},
                   {"listed", page.listed}},
                  "dump at version " + std::to_string(version_));
      }
      first = false;
      for (const api::DeltaInfo& object : page.objects) Object("object", object);
      if (!page.__isset.next_after) break;
      request.__set_after(page.next_after);
    }
    PrintLine(options_, {{"kind", "dump_end"}, {"catalog_version", version_}}, "end of dump");
    return Ok();
  }

  DaemonClient* const client_;
  const CommandOptions& options_;
  int64_t version_ = 0;
};

}  // namespace

Result<Output> FollowEvents(DaemonClient* client, const CommandOptions& options,
                            api::EventsRequest request) {
  for (bool first = true;; first = false) {
    std::vector<api::EventInfo> events;
    RETURN_IF_ERROR(client->Call(
        [&](api::CatalogdClient& daemon) { daemon.catalogd_events(events, request); }));
    std::reverse(events.begin(), events.end());
    const bool missed = !first && !request.__isset.name && !events.empty() &&
                        events.front().sequence > request.after_sequence + 1;
    if (missed) {
      const std::string text = "gap: more happened than is kept";
      PrintLine(options, {{"kind", "gap"}, {"text", text}}, text);
    }
    for (const api::EventInfo& event : events) {
      PrintLine(options, api::ToJson(event), LineOf(event));
    }
    request.__set_after_sequence(events.empty() ? request.after_sequence : events.back().sequence);
    request.__set_limit(kAtOnce);
    request.__set_wait_ms(WaitMs(options));
  }
}

Result<Output> RunSubscribe(DaemonClient* client, const CommandOptions& options) {
  return Subscription(client, options).Run();
}

}  // namespace catalogd::ctl
