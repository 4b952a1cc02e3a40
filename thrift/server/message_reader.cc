#include "thrift/server/message_reader.h"

#include <utility>

#include "thrift/wire/write.h"

namespace catalogd::server {
namespace {

// Behind the version bytes of a strict message: call or oneway. Anything else is no request.
bool IsRequestType(char type) {
  return type == static_cast<char>(wire::MessageType::kCall) ||
         type == static_cast<char>(wire::MessageType::kOneway);
}

}  // namespace

void MessageReader::Feed(std::string_view bytes) {
  if (kept_.empty()) {
    rest_ = bytes;
  } else {
    kept_ += bytes;
    rest_ = kept_;
  }
}

void MessageReader::Keep() {
  SkipReturned();
  if (rest_.empty()) {
    std::string().swap(kept_);
  } else if (kept_.empty()) {
    kept_ = rest_;
  } else if (rest_.size() < kept_.size()) {
    kept_.erase(0, kept_.size() - rest_.size());
  }
  rest_ = kept_;
}

MessageReader::Item MessageReader::Next() {
  SkipReturned();
  if (rest_.empty()) return {};
  if (dialect_ == Dialect::kUndecided) dialect_ = TellDialect(rest_);
  if (dialect_ == Dialect::kUndecided) return {};
  if (IsRefused(dialect_)) return Refused();
  return IsFramed(dialect_) ? NextFramed() : NextUnframed();
}

void MessageReader::SkipReturned() {
  rest_.remove_prefix(returned_);
  returned_ = 0;
}

MessageReader::Item MessageReader::NextUnframed() {
  if (dialect_ == Dialect::kOld && !converted_ && !ConvertOldHeader()) return {};
  if (rest_.size() >= 4 && !IsRequestType(rest_[3])) {
    return Broken({ErrorCode::kCorrupt, "the message is neither a call nor a oneway call"}, rest_);
  }
  const auto state = scanner_.Scan(rest_);
  if (!state) return Broken(state.error(), rest_);
  if (*state == wire::MessageScanner::State::kNeedMore) return {};
  const size_t length = scanner_.length();
  return Found(rest_.substr(0, length), length);
}

MessageReader::Item MessageReader::NextFramed() {
  const size_t length = FrameLength(rest_);
  const std::string_view body = rest_.substr(4);
  if (length > limits_.max_message) {
    return Broken({ErrorCode::kResourceExhausted, "a frame of " + std::to_string(length) +
                                                      " bytes is over the limit of " +
                                                      std::to_string(limits_.max_message)},
                  body);
  }
  if (body.size() < length) return {};
  std::string_view message = body.substr(0, length);
  if (dialect_ == Dialect::kFramedOld) {
    const size_t header = OldHeaderLength(message);
    if (header == 0) {
      return Broken({ErrorCode::kCorrupt, "the frame ends inside the message header"}, {});
    }
    strict_frame_ = StrictFromOldHeader(message);
    strict_frame_ += message.substr(header);
    message = strict_frame_;
  }
  if (message.size() >= 4 && !IsRequestType(message[3])) {
    return Broken({ErrorCode::kCorrupt, "the message is neither a call nor a oneway call"},
                  message);
  }
  if (auto checked = wire::CheckMessage(message, limits_); !checked) {
    return Broken(checked.error(), message);
  }
  return Found(message, 4 + length);
}

MessageReader::Item MessageReader::Found(std::string_view message, size_t consumed) {
  Item item;
  item.state = State::kMessage;
  item.message = message;
  item.dialect = dialect_;
  returned_ = consumed;
  scanner_.Reset();
  dialect_ = Dialect::kUndecided;
  converted_ = false;
  return item;
}

MessageReader::Item MessageReader::Broken(const Error& error, std::string_view message_start) {
  Item item;
  item.state = State::kBroken;
  item.dialect = dialect_;
  item.reason = error.message;
  std::string_view method;
  int32_t sequence_id = 0;
  const auto header = wire::ParseMessageHeader(message_start);
  if (header) {
    method = header->method;
    sequence_id = header->sequence_id;
  }
  item.answer = wire::EncodeApplicationError(
      method, sequence_id, wire::ApplicationError::kProtocolError,
      "the message cannot be read: " + error.message + "; the connection is closed");
  if (IsOld(dialect_)) MakeOld(&item.answer);
  if (IsFramed(dialect_)) item.answer.insert(0, FramePrefix(item.answer.size()));
  return item;
}

MessageReader::Item MessageReader::Refused() {
  Item item;
  item.state = State::kBroken;
  item.dialect = dialect_;
  item.reason = RefusalText(dialect_);
  item.answer = RefusalBytes(dialect_);
  return item;
}

// Puts a strict header in the place of the old one, so that one scanner serves both.
bool MessageReader::ConvertOldHeader() {
  const size_t header = OldHeaderLength(rest_);
  if (header == 0) return false;
  std::string converted = StrictFromOldHeader(rest_);
  converted += rest_.substr(header);
  kept_ = std::move(converted);
  rest_ = kept_;
  converted_ = true;
  return true;
}

}  // namespace catalogd::server
