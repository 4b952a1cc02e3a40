#include "catalog/coord/data_file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace catalogd::coord {
namespace {

constexpr std::array<std::string_view, 4> kFormats = {"parquet", "orc", "hfile", "lance"};

tl::unexpected<Error> Bad(ErrorCode code, std::string_view name, std::string_view why) {
  constexpr size_t kShown = 200;
  return MakeError(code, fmt::format("data file '{}': {}", name.substr(0, kShown), why));
}

bool IsFormat(std::string_view ending) {
  return std::find(kFormats.begin(), kFormats.end(), ending) != kFormats.end();
}

// Splits at the last `separator`: what is before it stays in *text, what is behind it is returned.
std::optional<std::string_view> TakeLast(std::string_view* text, char separator) {
  const size_t at = text->rfind(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view last = text->substr(at + 1);
  *text = text->substr(0, at);
  return last;
}

Result<Instant> ParseInstant(std::string_view name, std::string_view digits) {
  Result<Instant> instant = Instant::Parse(digits);
  if (!instant) return Bad(instant.error().code, name, instant.error().message);
  return instant;
}

// <file id>_<token>_<instant>_<version>.log.parquet and such.
bool IsNativeLog(std::string_view stem) {
  const std::optional<std::string_view> kind = TakeLast(&stem, '.');
  return kind && (*kind == "log" || *kind == "deletes" || *kind == "cdc");
}

Result<std::optional<DataFileName>> ParseBase(std::string_view name) {
  std::string_view rest = name;
  const std::optional<std::string_view> format = TakeLast(&rest, '.');
  if (!format || !IsFormat(*format)) return std::optional<DataFileName>();
  if (IsNativeLog(rest)) {
    return Bad(ErrorCode::kUnsupported, name, "a log in the format of a base file is not read");
  }
  const std::optional<std::string_view> digits = TakeLast(&rest, '_');
  const std::optional<std::string_view> token = TakeLast(&rest, '_');
  if (!digits || !token || rest.empty() || token->empty()) {
    return Bad(ErrorCode::kInvalidArgument, name,
               "<file id>_<write token>_<instant> is expected before the format");
  }
  BaseName base;
  ASSIGN_OR_RETURN(base.instant, ParseInstant(name, *digits));
  base.file_id = rest;
  base.write_token = *token;
  base.format = *format;
  return std::optional<DataFileName>(std::move(base));
}

Status ParseVersion(std::string_view name, std::string_view text, LogName* log) {
  const size_t bar = text.find('_');
  const std::string_view digits = text.substr(0, bar);
  const char* const end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, log->version);
  if (failure != std::errc() || stop != end || log->version < 1) {
    return Bad(ErrorCode::kInvalidArgument, name,
               fmt::format("'{}' is not the version of a log: a number from 1 on is expected",
                           digits.substr(0, 40)));
  }
  if (bar != std::string_view::npos) log->write_token = text.substr(bar + 1);
  return Ok();
}

Result<std::optional<DataFileName>> ParseLog(std::string_view name) {
  constexpr std::string_view kMiddle = ".log.";
  const size_t middle = name.find(kMiddle, 1);
  const bool note = name.starts_with("._") || name.ends_with(".crc") || name.ends_with(".tmp");
  if (middle == std::string_view::npos || note) return std::optional<DataFileName>();
  std::string_view stem = name.substr(1, middle - 1);
  std::string_view tail = name.substr(middle + kMiddle.size());
  LogName log;
  if (tail.ends_with(".cdc")) {
    log.suffix = "cdc";
    tail.remove_suffix(4);
  }
  const std::optional<std::string_view> digits = TakeLast(&stem, '_');
  if (!digits || stem.empty()) {
    return Bad(ErrorCode::kInvalidArgument, name, "<file id>_<instant> is expected before .log.");
  }
  ASSIGN_OR_RETURN(log.instant, ParseInstant(name, *digits));
  RETURN_IF_ERROR(ParseVersion(name, tail, &log));
  log.file_id = stem;
  return std::optional<DataFileName>(std::move(log));
}

}  // namespace

std::strong_ordering CompareLogs(const LogName& a, const LogName& b) {
  if (const auto order = a.instant <=> b.instant; order != 0) {
    return order < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (const auto order = a.version <=> b.version; order != 0) return order;
  if (const int order = a.write_token.compare(b.write_token); order != 0) return order <=> 0;
  return a.suffix.compare(b.suffix) <=> 0;
}

Result<std::optional<DataFileName>> ParseDataFileName(std::string_view name) {
  if (name.starts_with('.')) return ParseLog(name);
  return ParseBase(name);
}

std::string ToFileName(const DataFileName& name) {
  if (const auto* base = std::get_if<BaseName>(&name)) {
    return fmt::format("{}_{}_{}.{}", base->file_id, base->write_token, base->instant.text(),
                       base->format);
  }
  const auto& log = std::get<LogName>(name);
  std::string text = fmt::format(".{}_{}.log.{}", log.file_id, log.instant.text(), log.version);
  if (!log.write_token.empty()) text += "_" + log.write_token;
  if (!log.suffix.empty()) text += "." + log.suffix;
  return text;
}

std::string FencedToken(int64_t task, Fence fence, int64_t attempt) {
  return fmt::format("{}-{}-{}", task, fence.value(), attempt);
}

}  // namespace catalogd::coord
