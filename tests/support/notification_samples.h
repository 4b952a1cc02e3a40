#pragma once

#include <zlib.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hms_client/metastore.h"

// Rows of notification logs (tests/data/notification_samples.jsonl.gz): four streams of invented
// objects whose messages were written by Hive's own encoders of 2.3, 3.1 and 4.1, and two recorded
// rows. Users link ZLIB::ZLIB and define CATALOGD_TEST_DATA.
namespace catalogd::testing {

struct NotificationSample {
  hms::NotificationEvent row;
  std::string stream;  // "3.1/json"
  // The message as JSON, decoded without any code of ours. Null for packed messages.
  nlohmann::json message;
};

inline std::string ReadGzipFile(const std::string& path) {
  std::string all;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  std::string block(1U << 16U, '\0');
  for (int n = 0; (n = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;) {
    all.append(block, 0, static_cast<size_t>(n));
  }
  gzclose(file);
  return all;
}

// Empty when the file cannot be read.
inline std::vector<NotificationSample> LoadNotificationSamples() {
  const std::string all = ReadGzipFile(CATALOGD_TEST_DATA "/notification_samples.jsonl.gz");
  std::vector<NotificationSample> samples;
  for (size_t start = 0; start < all.size();) {
    const size_t end = all.find('\n', start);
    const auto line = nlohmann::json::parse(all.substr(start, end - start));
    const auto text = [&line](const char* key) -> std::optional<std::string> {
      return line[key].is_null() ? std::nullopt
                                 : std::optional<std::string>(line[key].get<std::string>());
    };
    NotificationSample& sample = samples.emplace_back();
    sample.row.id = EventId(line["event_id"].is_null() ? 0 : line["event_id"].get<int64_t>());
    sample.row.time = line["event_time"].is_null() ? 0 : line["event_time"].get<int32_t>();
    sample.row.type = line["event_type"].get<std::string>();
    sample.row.catalog = text("cat");
    sample.row.db = text("db");
    sample.row.table = text("table");
    sample.row.message = line["message"].get<std::string>();
    sample.row.format = text("message_format");
    sample.stream = line["stream"].get<std::string>();
    if (sample.row.message.front() == '{') {
      sample.message = nlohmann::json::parse(sample.row.message);
    }
    start = end + 1;
  }
  return samples;
}

}  // namespace catalogd::testing
