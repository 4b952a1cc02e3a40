#include "catalog/web/web_request.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "catalog/base/utf8.h"

namespace catalogd::web {
namespace {

std::optional<unsigned> HexDigit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10U;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10U;
  return std::nullopt;
}

Result<std::string> Decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out.push_back(' ');
      continue;
    }
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    const auto high = i + 1 < text.size() ? HexDigit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? HexDigit(text[i + 2]) : std::nullopt;
    if (!high || !low || (*high == 0 && *low == 0)) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "the address has a broken percent escape; write % as %25");
    }
    out.push_back(static_cast<char>((*high << 4U) | *low));
    i += 2;
  }
  return out;
}

Status ParseQuery(std::string_view text, std::map<std::string, std::string>* query) {
  while (!text.empty()) {
    const size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    ASSIGN_OR_RETURN(const std::string name, Decode(pair.substr(0, equals), true));
    std::string value;
    if (equals != std::string_view::npos) {
      ASSIGN_OR_RETURN(value, Decode(pair.substr(equals + 1), true));
    }
    (*query)[name] = value;
  }
  return Ok();
}

// A browser also accepts JSON as one of everything; it names HTML.
bool WantsJson(std::string_view accept) {
  const size_t json = accept.find("application/json");
  if (json == std::string_view::npos) return false;
  const size_t html = accept.find("text/html");
  return html == std::string_view::npos || json < html;
}

}  // namespace

std::string WebRequest::Get(const std::string& name, std::string_view fallback) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string(fallback) : found->second;
}

Result<int64_t> WebRequest::GetNumber(const std::string& name, int64_t fallback, int64_t least,
                                      int64_t most) const {
  const auto found = query.find(name);
  if (found == query.end()) return fallback;
  const std::string& text = found->second;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        fmt::format("{}={}: expected a whole number from {} to {}", name, text, least, most));
  }
  return value;
}

Result<WebRequest> ParseTarget(std::string_view target, std::string_view accept) {
  constexpr std::string_view kScheme = "http://";
  if (target.substr(0, kScheme.size()) == kScheme) {  // As a proxy asks.
    const size_t slash = target.find('/', kScheme.size());
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  if (target.empty() || target.front() != '/') {
    return MakeError(ErrorCode::kInvalidArgument, "the request names no path; ask for /");
  }
  target = target.substr(0, target.find('#'));
  const size_t mark = target.find('?');
  WebRequest request;
  ASSIGN_OR_RETURN(request.path, Decode(target.substr(0, mark), false));
  if (mark != std::string_view::npos) {
    RETURN_IF_ERROR(ParseQuery(target.substr(mark + 1), &request.query));
  }
  request.json = request.Has("json") || WantsJson(accept);
  return request;
}

std::string EncodeQueryValue(std::string_view text) {
  constexpr std::string_view kKept =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (kKept.find(c) != std::string_view::npos) {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

int HttpStatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kPermission:
      return 403;
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kNotEmpty:
    case ErrorCode::kInvalidState:
    case ErrorCode::kConflict:
      return 409;
    case ErrorCode::kUnsupported:
      return 501;
    case ErrorCode::kTimedOut:
      return 504;
    case ErrorCode::kUnavailable:
    case ErrorCode::kCancelled:
    case ErrorCode::kResourceExhausted:
      return 503;
    case ErrorCode::kUnknownOutcome:
    case ErrorCode::kCorrupt:
    case ErrorCode::kInternal:
      return 500;
  }
  return 500;
}

WebResponse PlainText(int status, std::string text) {
  WebResponse response;
  response.status = status;
  response.body = ValidUtf8(std::move(text));
  return response;
}

}  // namespace catalogd::web
