#pragma once

#include <string>
#include <string_view>

#include "thrift/server/dialect.h"
#include "thrift/wire/scan.h"

namespace catalogd::server {

// Cuts the byte stream of one connection into whole messages, whatever the sizes of its pieces,
// with the dialect decided anew for each message. Copies nothing while messages come whole.
//
// Not a parser: it hands out strict binary bytes.
// Thread safety: none.
// Invariants: an idle reader (nothing kept) owns no buffer. After kBroken nothing more is read.
class MessageReader {
 public:
  explicit MessageReader(const wire::Limits& limits) : limits_(limits), scanner_(limits) {}

  enum class State { kNeedMore, kMessage, kBroken };
  struct Item {
    State state = State::kNeedMore;
    // kMessage: valid until the next call of this reader.
    std::string_view message;
    Dialect dialect = Dialect::kUndecided;
    // kBroken: what to answer as it goes on the wire (framed as the peer frames), and the reason.
    std::string answer;
    std::string reason;
  };

  // Lends `bytes` to the reader until Keep() is called. REQUIRES: Keep() since the last Feed.
  void Feed(std::string_view bytes);
  Item Next();
  // Takes what is not yet read into a buffer of its own.
  void Keep();
  // True when a message has begun and is not whole.
  [[nodiscard]] bool has_partial() const { return !kept_.empty(); }

 private:
  Item NextUnframed();
  Item NextFramed();
  Item Found(std::string_view message, size_t consumed);
  Item Broken(const Error& error, std::string_view message_start);
  Item Refused();
  bool ConvertOldHeader();
  void SkipReturned();

  const wire::Limits limits_;
  wire::MessageScanner scanner_;
  Dialect dialect_ = Dialect::kUndecided;
  // The header of the current unframed old message has been replaced by a strict one.
  bool converted_ = false;
  std::string kept_;
  // Bytes not yet returned: of the lent bytes, or of kept_.
  std::string_view rest_;
  size_t returned_ = 0;  // Of rest_: bytes of the message that Next() has given out.
  std::string strict_frame_;
};

}  // namespace catalogd::server
