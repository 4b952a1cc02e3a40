#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_target.h"
#include "thrift/server/dialect.h"
#include "thrift/server/message_reader.h"
#include "thrift/wire/scan.h"

// Whatever a peer sends first, and however it arrives: more bytes never change what was decided,
// and a stream that is cut elsewhere holds the same messages and ends the same way.
namespace catalogd::fuzz {
namespace {

using server::Dialect;
using server::MessageReader;

wire::Limits SmallLimits() {
  wire::Limits limits;
  limits.max_message = 1U << 14U;
  limits.max_string = 1U << 12U;
  limits.max_container = 1U << 10U;
  limits.max_depth = 16;
  return limits;
}

void CheckDecision(std::string_view bytes) {
  Dialect decided = Dialect::kUndecided;
  for (size_t n = 0; n <= bytes.size() && n <= 16; ++n) {
    const Dialect now = server::TellDialect(bytes.substr(0, n));
    Require(decided == Dialect::kUndecided || now == decided);
    decided = now;
  }
  Require(bytes.size() < 8 || decided != Dialect::kUndecided);
  if (!server::IsRefused(decided)) return;
  Require(!server::RefusalText(decided).empty() && !server::RefusalBytes(decided).empty());
}

void CheckOldHeader(std::string_view bytes) {
  if (server::TellDialect(bytes) != Dialect::kOld) return;
  const size_t length = server::OldHeaderLength(bytes);
  Require(length <= bytes.size());
  if (length == 0) return;
  const std::string strict = server::StrictFromOldHeader(bytes);
  const auto header = wire::ParseMessageHeader(strict);
  if (!header) return;
  std::string back = strict + std::string(1, '\0');
  server::MakeOld(&back);
  Require(back == std::string(bytes.substr(0, length)) + std::string(1, '\0'));
}

struct Read {
  std::vector<std::string> messages;
  std::vector<Dialect> dialects;
  bool broken = false;
  std::string reason;
  std::string answer;
  bool partial = false;
};

Read ReadInPieces(std::string_view stream, size_t piece) {
  MessageReader reader(SmallLimits());
  Read read;
  for (size_t at = 0; at < stream.size() && !read.broken; at += piece) {
    const std::string lent(stream.substr(at, piece));  // Gone after this round.
    reader.Feed(lent);
    auto item = reader.Next();
    for (; item.state == MessageReader::State::kMessage; item = reader.Next()) {
      Require(wire::CheckMessage(item.message, SmallLimits()).has_value());
      Require(!server::IsRefused(item.dialect));
      read.messages.emplace_back(item.message);
      read.dialects.push_back(item.dialect);
    }
    if (item.state == MessageReader::State::kBroken) {
      Require(!item.reason.empty());
      read.broken = true;
      read.reason = item.reason;
      read.answer = item.answer;
      break;
    }
    reader.Keep();
  }
  read.partial = reader.has_partial();
  return read;
}

}  // namespace

void DialectTarget(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckDecision(bytes);
  CheckOldHeader(bytes);
  const Read whole = ReadInPieces(bytes, size == 0 ? 1 : size);
  for (const size_t piece : {size_t{1}, size_t{3}, size_t{5} + (size == 0 ? 0 : data[0] % 64U)}) {
    const Read cut = ReadInPieces(bytes, piece);
    Require(cut.messages == whole.messages);
    Require(cut.dialects == whole.dialects);
    Require(cut.broken == whole.broken);
    // Which limit is met first may depend on how much has arrived; that it is named may not.
    Require(cut.reason.empty() == whole.reason.empty());
    Require(cut.answer.empty() == whole.answer.empty());
    if (!cut.broken) Require(cut.partial == whole.partial);
  }
}

}  // namespace catalogd::fuzz

FUZZ_ENTRY(catalogd::fuzz::DialectTarget);
