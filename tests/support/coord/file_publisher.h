#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "catalog/coord/service/table_publisher.h"

namespace catalogd::coord::testing {

// A metastore of one table whose parameters are in a file: what was published outlives whoever
// published it, and a publication is there as a whole or not at all.
// Thread safety: none needed: one write at a time, on the thread of the caller.
class FilePublisher final : public TablePublisher {
 public:
  explicit FilePublisher(std::string path) : path_(std::move(path)) {}

  std::map<std::string, std::string> Parameters() const {
    std::map<std::string, std::string> parameters;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      const size_t equals = line.find('=');
      parameters[line.substr(0, equals)] = line.substr(equals + 1);
    }
    return parameters;
  }

  void UnderWrite(Lock, Body body, std::function<void(Result<EventId>)> done) override {
    const Status ended = body(TimePoint::max());
    if (!ended) return done(AsError(ended.error()));
    done(EventId(++event_));
  }
  void UnderLock(Lock, std::function<void(Status)> body) override { body(Ok()); }
  Result<PublishedTable> Read(const ObjectName&, TimePoint) override {
    return PublishedTable{"file:/warehouse/orders", Parameters(), "1", false};
  }
  Status Publish(const ObjectName&, const Publication& publication, TimePoint) override {
    auto parameters = Parameters();
    const std::string key(kStateParameter);
    const auto now = parameters.find(key);
    const std::string value = now == parameters.end() ? "" : now->second;
    if (publication.expected && value != *publication.expected) {
      return MakeError(ErrorCode::kConflict, "the table has been modified");
    }
    for (const auto& [name, text] : publication.parameters) parameters[name] = text;
    std::ostringstream text;
    for (const auto& [name, set] : parameters) text << name << "=" << set << "\n";
    std::ofstream(path_ + ".new") << text.str();
    std::filesystem::rename(path_ + ".new", path_);
    return Ok();
  }
  Result<bool> Compares(const ObjectName&, TimePoint) override { return true; }

 private:
  const std::string path_;
  int64_t event_ = 0;
};

}  // namespace catalogd::coord::testing
