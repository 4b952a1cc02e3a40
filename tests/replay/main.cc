// replay DIR: lets the core follow a recorded log of a real metastore and compares. Exit codes:
// 0 all equal; 1 something differs; 2 wrong usage or an unreadable recording.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>

#include "tests/replay/calls_replayer.h"
#include "tests/replay/replayer.h"

namespace {

using catalogd::replay::Follower;
using catalogd::replay::Recording;
using catalogd::replay::ReplayOptions;
using catalogd::replay::ReplayReport;

void PrintReads(const Follower& follower, bool actions) {
  int total = 0;
  std::map<std::string, int> by_type;
  for (const auto& [cause, count] : follower.reads()) {
    total += count;
    by_type[cause.substr(0, cause.find(':'))] += count;
  }
  std::printf("reads         %d\n", total);
  for (const auto& [type, count] : by_type) {
    std::printf("  %-30s %5d\n", type.c_str(), count);
    for (const auto& [cause, part] : follower.reads()) {
      const size_t colon = cause.find(':');
      if (colon == std::string::npos || cause.substr(0, colon) != type) continue;
      std::printf("    %5d %s\n", part, cause.substr(colon + 2).c_str());
    }
  }
  if (!actions) return;
  std::printf("actions (event type, what it did to a name)\n");
  for (const auto& [key, count] : follower.actions()) {
    std::printf("  %-30s %-20s %5d\n", key.first.c_str(), key.second.c_str(), count);
  }
}

void PrintReport(const Recording& recording, const ReplayOptions& options,
                 const ReplayReport& report) {
  const double seconds = std::chrono::duration<double>(report.following).count();
  std::printf("recording     %s (%s), %zu events\n", recording.name.c_str(),
              std::string(GenerationName(recording.generation)).c_str(), recording.log.size());
  std::printf("replay        chunk %d, from event %lld, payload %s\n", options.chunk,
              static_cast<long long>(options.from.value()),
              catalogd::replay::PayloadName(options.payload).c_str());
  std::printf("events        %zu in %.1f ms: %.0f events/s\n", report.events, seconds * 1000,
              seconds > 0 ? static_cast<double>(report.events) / seconds : 0);
  std::printf("checkpoints   %zu equal, %zu different; %zu objects compared\n",
              report.checkpoints_equal(), report.checkpoints.size() - report.checkpoints_equal(),
              report.objects_compared);
  std::printf("end state     %zu equal, %zu different\n", report.end_equal, report.end_different);
  std::printf("not compared  %zu states of functions (not cached)\n", report.not_followed);
  if (report.half_dropped > 0) {
    std::printf("              %zu states of objects that the server dropped by half\n",
                report.half_dropped);
  }
}

int PrintFindings(const ReplayReport& report, size_t max) {
  size_t shown = 0;
  for (const std::string& difference : report.differences) {
    if (max != 0 && shown++ == max) break;
    std::printf("DIFFERENT %s\n", difference.c_str());
  }
  if (shown > max && max != 0) {
    std::printf("... %zu differences in all; --max 0 shows them\n", report.differences.size());
  }
  for (const std::string& problem : report.problems) std::printf("PROBLEM %s\n", problem.c_str());
  std::printf("%s\n", report.all_equal() ? "all equal" : "NOT EQUAL");
  return report.all_equal() ? 0 : 1;
}

// The calls of the recording, made on the embedded metastore.
int ReplayCalls(const std::string& folder, size_t max) {
  catalogd::replay::CallsReplayer replayer;
  const auto status = replayer.Run({folder, CATALOGD_IDL_FACTS, CATALOGD_WANTED_DIFFERENCES});
  if (!status) {
    std::fprintf(stderr, "replay: %s\n", status.error().message.c_str());
    return 2;
  }
  const auto& report = replayer.report();
  std::printf("calls         %zu made on the embedded metastore\n", report.calls);
  std::printf("compared      %zu events with their images, %zu objects at the end\n", report.events,
              report.objects);
  std::printf("wanted        %zu differences that have a reason\n", report.wanted);
  size_t shown = 0;
  for (const std::string& difference : report.differences) {
    if (max != 0 && shown++ == max) break;
    std::printf("DIFFERENT %s\n", difference.c_str());
  }
  for (const std::string& pattern : report.unused) {
    std::printf("not needed    %s\n", pattern.c_str());
  }
  std::printf("%zu differences that have none\n", report.differences.size());
  return report.differences.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Follows a recorded log of a real metastore and compares the cache with it.",
               "replay"};
  std::string folder;
  ReplayOptions options;
  int64_t from = 0;
  size_t max = 50;
  bool actions = false;
  app.add_option("folder", folder, "With log, checkpoints, state and calls, .jsonl or .jsonl.gz")
      ->required();
  app.add_option("--chunk", options.chunk, "Events that become visible and are fetched at once")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--first-chunk", options.first_chunk, "Size of the first chunk, to move the ends");
  app.add_option("--from", from, "Begin with the names listed after the call that ended there")
      ->capture_default_str();
  app.add_option("--payload", options.payload, "trust: apply messages; stub: read every change")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, catalogd::sync::PayloadMode>{
              {"trust", catalogd::sync::PayloadMode::kTrust},
              {"stub", catalogd::sync::PayloadMode::kStub}},
          CLI::ignore_case));
  app.add_option("--max", max, "Differences to print; 0: all")->capture_default_str();
  bool calls = false;
  app.add_flag("--calls", calls, "Make the recorded calls on the embedded metastore and compare");
  app.add_flag("--actions", actions, "Also print what each event type did");
  CLI11_PARSE(app, argc, argv);
  options.from = catalogd::EventId(from);

  if (calls) return ReplayCalls(folder, max);
  const auto recording = catalogd::replay::ReadRecording(folder);
  if (!recording) {
    std::fprintf(stderr, "replay: %s\n", recording.error().message.c_str());
    return 2;
  }
  catalogd::replay::Replayer replayer(&*recording, options);
  if (const auto status = replayer.Run(); !status) {
    std::fprintf(stderr, "replay: %s\n", status.error().message.c_str());
    return 2;
  }
  PrintReport(*recording, options, replayer.report());
  PrintReads(replayer.follower(), actions);
  return PrintFindings(replayer.report(), max);
}
