#pragma once

#include <zlib.h>

#include <string>
#include <vector>

// Thrift-JSON objects of real notification logs (tests/data/tjson_samples.jsonl.gz, made by
// tests/support/collect_tjson_samples.py). Users link ZLIB::ZLIB and define CATALOGD_TEST_DATA.
namespace catalogd::testing {

// Each entry is the raw content of a JSON string: Thrift-JSON at escape depth 1. Empty when the
// file cannot be read.
inline std::vector<std::string> LoadTJsonSamples() {
  std::string all;
  gzFile file = gzopen(CATALOGD_TEST_DATA "/tjson_samples.jsonl.gz", "rb");
  if (file == nullptr) return {};
  std::string block(1U << 16U, '\0');
  for (int n = 0; (n = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;) {
    all.append(block, 0, static_cast<size_t>(n));
  }
  gzclose(file);
  std::vector<std::string> samples;
  for (size_t start = 0; start < all.size();) {
    const size_t end = all.find('\n', start);
    samples.push_back(all.substr(start + 1, end - start - 2));  // Without the quotes.
    start = end + 1;
  }
  return samples;
}

}  // namespace catalogd::testing
