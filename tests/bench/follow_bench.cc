// How fast the notification log is followed: rows from memory, decoded, planned, decided and
// committed by the real poller, appliers and cache (SyncCore).
//
//   bench_follow [--events N] [--rounds N]
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "catalog/ddl/ddl_executor.h"
#include "catalog/sync/sync_core.h"
#include "tests/bench/hot_log.h"

namespace catalogd::bench {
namespace {

using Seconds = std::chrono::duration<double>;

TimePoint Now() { return SystemClock().Now(); }

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

void Nap(Duration time) {
  Mutex mutex(LockRank::kLeaf);
  CondVar never;
  const MutexLock lock(mutex);
  never.WaitUntil(mutex, Now() + time);
}

double Percentile(std::vector<double>* values, double share) {
  if (values->empty()) return 0;
  std::sort(values->begin(), values->end());
  const double at = share * static_cast<double>(values->size() - 1);
  return (*values)[static_cast<size_t>(at)];
}

std::string Percentiles(std::vector<double> ms) {
  const double p50 = Percentile(&ms, 0.5);
  const double p99 = Percentile(&ms, 0.99);
  return fmt::format("p50 {:.2f}  p99 {:.2f}  p99.9 {:.2f}  max {:.2f} ms", p50, p99,
                     Percentile(&ms, 0.999), Percentile(&ms, 1));
}

// A core that follows a HotLog whose tables are in the cache.
class Follower {
 public:
  Follower(const HotLog::Options& log, int threads, Duration poll_interval)
      : log_(log), store_(std::move(*sync::StateStore::Open(""))), timer_(SystemClock()) {
    sync::SyncOptions options;
    options.event_threads = threads;
    options.poll_interval = poll_interval;
    core_ = std::make_unique<sync::SyncCore>(&log_, store_.get(), &SystemClock(), &timer_, options);
    core_->Start();
    while (!core_->following()) Nap(std::chrono::milliseconds(1));
    log_.CreateTables();
    Reach(log_.current());
  }
  ~Follower() { core_->Stop(); }

  HotLog& log() { return log_; }
  sync::SyncCore& core() { return *core_; }
  void Reach(EventId id) {
    core_->processor().Kick();
    while (core_->watermark().value() < id) Nap(std::chrono::microseconds(200));
  }

 private:
  HotLog log_;
  std::unique_ptr<sync::StateStore> store_;
  ThreadTimer timer_;
  std::unique_ptr<sync::SyncCore> core_;
};

struct Rate {
  double per_second = 0;
  double cpu_us = 0;  // CPU per event, all threads.
};

Rate CatchUp(const HotLog::Options& log, int threads, int64_t events) {
  Follower follower(log, threads, std::chrono::milliseconds(100));
  follower.log().Grow(20'000);
  follower.Reach(follower.log().current());
  follower.log().Grow(events);
  const TimePoint begin = Now();
  const double cpu = CpuSeconds();
  follower.Reach(follower.log().current());
  const double count = static_cast<double>(events);
  return {count / Seconds(Now() - begin).count(), (CpuSeconds() - cpu) / count * 1e6};
}

void Throughput(int64_t events, int rounds) {
  for (const bool gzip : {false, true}) {
    HotLog::Options log;
    log.gzip = gzip;
    fmt::print("{} messages, {:.0f} bytes each, {} tables:\n", gzip ? "gzip" : "JSON",
               HotLog(log).mean_message_bytes(), log.tables);
    for (const int threads : {1, 2, 4}) {
      Rate best;
      double worst = 1e12;
      for (int round = 0; round < rounds; ++round) {
        const Rate rate = CatchUp(log, threads, events);
        if (rate.per_second > best.per_second) best = rate;
        worst = std::min(worst, rate.per_second);
      }
      fmt::print("  {} lane thread{}: {:8.0f} events/s (worst {:.0f}), {:.2f} us CPU per event\n",
                 threads, threads == 1 ? " " : "s", best.per_second, worst, best.cpu_us);
    }
  }
}

void LongCatchUp() {
  constexpr int64_t kEvents = 1'000'000;
  const Rate rate = CatchUp({}, 2, kEvents);
  fmt::print("catch-up of {} events, 2 lane threads: {:.2f} s\n", kEvents,
             static_cast<double>(kEvents) / rate.per_second);
}

// Appends `per_second` events each second for `time`; returns how long each took to be applied.
std::vector<double> Lags(Follower* follower, int64_t per_second, Duration time) {
  const int64_t per_tick = per_second / 1000;
  std::vector<double> lags;
  std::vector<std::pair<EventId, TimePoint>> pending;
  size_t head = 0;
  const TimePoint begin = Now();
  TimePoint next = begin;
  while (Now() - begin < time || head < pending.size()) {
    if (Now() >= next && next - begin < time) {
      follower->log().Grow(per_tick);
      pending.emplace_back(follower->log().current(), Now());
      next += std::chrono::milliseconds(1);
    }
    const EventId reached = follower->core().watermark().value();
    for (; head < pending.size() && pending[head].first <= reached; ++head) {
      lags.push_back(Seconds(Now() - pending[head].second).count() * 1e3);
    }
    Nap(std::chrono::microseconds(100));
  }
  return lags;
}

void Lag() {
  for (const int poll_ms : {5, 500}) {
    Follower follower({}, 2, std::chrono::milliseconds(poll_ms));
    fmt::print("lag at 5,000 events/s, poll interval {} ms: {}\n", poll_ms,
               Percentiles(Lags(&follower, 5000, std::chrono::seconds(10))));
  }
}

// One table altered through the daemon 100 times a second while 1,000 others follow.
void WritesBesideEvents() {
  HotLog::Options log;
  log.tables = 1000;
  Follower follower(log, 2, std::chrono::milliseconds(5));
  ddl::DdlExecutor ddls(&follower.core());
  Mutex mutex{LockRank::kLeaf};
  std::vector<double> took;
  std::atomic<int> failed{0};
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    const ObjectName table = follower.log().ddl_table();
    for (TimePoint next = Now(); !stop; next += std::chrono::milliseconds(10)) {
      while (Now() < next) Nap(std::chrono::microseconds(200));
      ddl::DdlRequest request;
      request.message = "alter";
      request.method = "alter_table";
      request.names = {table};
      request.peer = "bench";
      const TimePoint begin = Now();
      ddls.Submit(std::move(request), [&, begin](const Result<ddl::DdlOutcome>& outcome) {
        if (!outcome || outcome->event == EventId()) failed.fetch_add(1);
        const MutexLock lock(mutex);
        took.push_back(Seconds(Now() - begin).count() * 1e3);
      });
    }
  });
  const std::vector<double> lags = Lags(&follower, 5000, std::chrono::seconds(10));
  stop = true;
  writer.join();
  while (ddls.in_flight() > 0) Nap(std::chrono::milliseconds(1));
  follower.core().Stop();
  const MutexLock lock(mutex);
  fmt::print("100 DDL/s on one table beside 5,000 events/s on 1,000 others (poll 5 ms):\n");
  fmt::print("  lag of the others: {}\n", Percentiles(lags));
  fmt::print("  DDL ({} done, {} failed): {}\n", took.size(), failed.load(), Percentiles(took));
}

int Main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  int64_t events = 300'000;
  int rounds = 3;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--events") events = std::stoll(argv[i + 1]);
    if (flag == "--rounds") rounds = std::stoi(argv[i + 1]);
  }
  Throughput(events, rounds);
  LongCatchUp();
  Lag();
  WritesBesideEvents();
  return 0;
}

}  // namespace
}  // namespace catalogd::bench

int main(int argc, char** argv) { return catalogd::bench::Main(argc, argv); }
