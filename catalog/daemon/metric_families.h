#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace catalogd::daemon {

// Collects families in the order in which they are named.
class Families {
 public:
  void Gauge(const char* name, const char* help, double value) {
    Add(name, help, prometheus::MetricType::Gauge, {}, value);
  }
  void Counter(const char* name, const char* help, uint64_t value) {
    Add(name, help, prometheus::MetricType::Counter, {}, static_cast<double>(value));
  }
  void Add(const char* name, const char* help, prometheus::MetricType type,
           std::vector<prometheus::ClientMetric::Label> labels, double value) {
    if (families_.empty() || families_.back().name != name) {
      families_.push_back({name, help, type, {}});
    }
    prometheus::ClientMetric metric;
    metric.label = std::move(labels);
    if (type == prometheus::MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
    families_.back().metric.push_back(std::move(metric));
  }
  void Labelled(const char* name, const char* help, prometheus::MetricType type, const char* label,
                const std::string& label_value, double value) {
    Add(name, help, type, {{label, label_value}}, value);
  }
  std::vector<prometheus::MetricFamily> Take() { return std::move(families_); }

 private:
  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace catalogd::daemon
