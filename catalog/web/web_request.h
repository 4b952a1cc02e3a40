#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/base/result.h"

// What the transport hands to pages and takes back: plain data, no HTTP library.
namespace catalogd::web {

struct WebRequest {
  std::string path;                          // "/events", percent-decoded.
  std::map<std::string, std::string> query;  // Decoded; of a repeated name the last one counts.
  bool json = false;                         // The client asked for JSON (?json, or Accept).

  [[nodiscard]] std::string Get(const std::string& name, std::string_view fallback = "") const;
  [[nodiscard]] bool Has(const std::string& name) const { return query.count(name) > 0; }
  // A whole number in [least, most], or `fallback` when the parameter is not given.
  // kInvalidArgument otherwise.
  [[nodiscard]] Result<int64_t> GetNumber(const std::string& name, int64_t fallback, int64_t least,
                                          int64_t most) const;
};

struct WebResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// From a request target ("/events?limit=5&json") and an Accept header. kInvalidArgument for a
// target that is no path, has broken percent escapes or a zero byte.
Result<WebRequest> ParseTarget(std::string_view target, std::string_view accept);
// For links: everything but unreserved characters as %XX.
std::string EncodeQueryValue(std::string_view text);
int HttpStatusOf(ErrorCode code);
WebResponse PlainText(int status, std::string text);

}  // namespace catalogd::web
