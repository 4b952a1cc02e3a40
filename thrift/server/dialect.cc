#include "thrift/server/dialect.h"

#include "thrift/wire/write.h"

namespace catalogd::server {
namespace {

constexpr uint8_t kStrictFirst = 0x80;
constexpr uint8_t kCompactFirst = 0x82;
// No method name is anywhere near this long; more is not an old header but something else.
constexpr uint32_t kMaxOldName = 255;

uint8_t ByteAt(std::string_view bytes, size_t index) { return static_cast<uint8_t>(bytes[index]); }

bool IsLetter(uint8_t byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

bool StartsLikeHttp(std::string_view bytes) {
  for (const std::string_view verb :
       {"POST", "GET ", "HEAD", "PUT ", "OPTI", "DELE", "PATC", "CONN", "TRAC", "PRI "}) {
    if (bytes.starts_with(verb)) return true;
  }
  return false;
}

// The bytes behind the four of a length, or of the length of an old name.
Dialect TellBehindLength(std::string_view bytes, uint32_t length) {
  const uint8_t fifth = ByteAt(bytes, 4);
  if (IsLetter(fifth) && length >= 1 && length <= kMaxOldName) return Dialect::kOld;
  if (bytes.size() < 6) return Dialect::kUndecided;
  const uint8_t sixth = ByteAt(bytes, 5);
  if (fifth == kStrictFirst && sixth == 0x01) return Dialect::kFramedStrict;
  if (fifth == kCompactFirst && (sixth & 0x1FU) == 1) return Dialect::kFramedCompact;
  if (ByteAt(bytes, 0) == 0x01 && FrameLength(bytes.substr(1)) <= kMaxOldName) {
    return Dialect::kSasl;
  }
  if (fifth == 0 && sixth == 0) {
    if (bytes.size() < 8) return Dialect::kUndecided;
    const uint32_t name = FrameLength(bytes.substr(4));
    if (name >= 1 && name <= kMaxOldName) return Dialect::kFramedOld;
  }
  return Dialect::kGarbage;
}

void AppendVarint(std::string* out, uint32_t value) {
  while (value >= 0x80U) {
    out->push_back(static_cast<char>((value & 0x7FU) | 0x80U));
    value >>= 7U;
  }
  out->push_back(static_cast<char>(value));
}

// A compact message of type exception, no name, sequence id 0: struct {1: text, 2: type}.
std::string CompactException(std::string_view text) {
  std::string out("\x82\x61", 2);
  out.append(2, '\0');
  out.push_back('\x18');
  AppendVarint(&out, static_cast<uint32_t>(text.size()));
  out += text;
  out.push_back('\x15');
  AppendVarint(&out, static_cast<uint32_t>(wire::ApplicationError::kProtocolError) << 1U);
  out.push_back('\0');
  return out;
}

std::string HttpAnswer(std::string_view text) {
  std::string out =
      "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
      "Connection: close\r\nContent-Length: ";
  out += std::to_string(text.size() + 1);
  out += "\r\n\r\n";
  out += text;
  out += "\n";
  return out;
}

}  // namespace

Dialect TellDialect(std::string_view first_bytes) {
  if (first_bytes.size() < 2) return Dialect::kUndecided;
  const uint8_t first = ByteAt(first_bytes, 0);
  const uint8_t second = ByteAt(first_bytes, 1);
  if (first == kStrictFirst) return second == 0x01 ? Dialect::kStrict : Dialect::kGarbage;
  if (first == kCompactFirst) {
    return (second & 0x1FU) == 1 ? Dialect::kCompact : Dialect::kGarbage;
  }
  if (first == 0x16 && second == 0x03) return Dialect::kTls;
  if (first > 0x80) return Dialect::kGarbage;
  if (first_bytes.size() < 4) return Dialect::kUndecided;
  if (StartsLikeHttp(first_bytes)) return Dialect::kHttp;
  if (first_bytes.size() < 5) return Dialect::kUndecided;
  return TellBehindLength(first_bytes, FrameLength(first_bytes));
}

std::string RefusalText(Dialect dialect) {
  switch (dialect) {
    case Dialect::kCompact:
    case Dialect::kFramedCompact:
      return "this port speaks the binary Thrift protocol, not the compact one; set "
             "hive.metastore.thrift.compact.protocol.enabled=false in the client";
    case Dialect::kTls:
      return "this port does not speak TLS; set hive.metastore.use.SSL=false in the client";
    case Dialect::kSasl:
      return "this port takes no SASL (Kerberos, tokens); set hive.metastore.sasl.enabled=false in "
             "the client";
    case Dialect::kHttp:
      return "this port speaks Thrift over plain TCP, not HTTP; use a thrift:// address for the "
             "metastore, or the web port for pages";
    default:
      return "the first bytes are not those of a binary Thrift message";
  }
}

std::string RefusalBytes(Dialect dialect) {
  const std::string text = RefusalText(dialect);
  switch (dialect) {
    case Dialect::kHttp:
      return HttpAnswer(text);
    case Dialect::kTls:
      // Alert, fatal, handshake_failure: all that TLS lets us say.
      return std::string("\x15\x03\x01\x00\x02\x02\x28", 7);
    case Dialect::kSasl:
      // Status BAD, then the text as payload.
      return "\x03" + FramePrefix(text.size()) + text;
    case Dialect::kCompact:
      return CompactException(text);
    case Dialect::kFramedCompact: {
      const std::string answer = CompactException(text);
      return FramePrefix(answer.size()) + answer;
    }
    default:
      return wire::EncodeApplicationError("", 0, wire::ApplicationError::kProtocolError, text);
  }
}

size_t OldHeaderLength(std::string_view bytes) {
  if (bytes.size() < 4) return 0;
  const size_t length = size_t{4} + FrameLength(bytes) + 1 + 4;
  return bytes.size() < length ? 0 : length;
}

std::string StrictFromOldHeader(std::string_view bytes) {
  const uint32_t name = FrameLength(bytes);
  std::string out("\x80\x01\x00", 3);
  out.push_back(bytes[size_t{4} + name]);
  out += bytes.substr(0, size_t{4} + name);
  out += bytes.substr(size_t{4} + name + 1, 4);
  return out;
}

void MakeOld(std::string* strict_message) {
  if (strict_message->size() < 8) return;
  const char type = (*strict_message)[3];
  const uint32_t name = FrameLength(std::string_view(*strict_message).substr(4));
  if (strict_message->size() < size_t{8} + name) return;
  strict_message->insert(size_t{8} + name, 1, type);
  strict_message->erase(0, 4);
}

std::string FramePrefix(size_t length) {
  std::string out;
  wire::Writer(&out).I32(static_cast<int32_t>(length));
  return out;
}

uint32_t FrameLength(std::string_view first_four_bytes) {
  uint32_t length = 0;
  for (size_t i = 0; i < 4; ++i) length = (length << 8U) | ByteAt(first_four_bytes, i);
  return length;
}

}  // namespace catalogd::server
