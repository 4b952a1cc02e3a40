#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "catalog/endpoint/method_table.h"
#include "catalog/endpoint/session_state.h"
#include "thrift/server/server.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

namespace catalogd::endpoint {

// One message that is worked on beyond its I/O thread, with a copy of its bytes.
// Thread safety: none; handed from one thread to the next.
struct Call {
  Call(std::shared_ptr<server::Session> of_session, SessionState* of_state, const MethodRow* of_row,
       std::string_view bytes);

  [[nodiscard]] wire::StructView Arguments() const {
    return wire::StructView(std::string_view(message).substr(header.body));
  }

  const std::shared_ptr<server::Session> session;
  SessionState* const state;   // Lives as long as the session.
  const MethodRow* const row;  // Null: a method without a row.
  const std::string message;
  const wire::MessageHeader header;  // Points into `message`.
  EventId floor;                     // Asked for on behalf of this read.
  TimePoint give_up;                 // When a read stops waiting for its floor.
  int waits = 0;
};
using CallPtr = std::shared_ptr<Call>;

// Answers that are made here. `call.row` tells which exceptions the method declares: the text goes
// into a MetaException where there is one, because clients show that, else into a
// TApplicationException.
std::string ErrorReply(const Call& call, std::string_view text);
std::string ErrorReply(const MethodRow* row, const wire::MessageHeader& header,
                       std::string_view text);
std::string InternalError(const wire::MessageHeader& header, std::string_view text);

// An answer that shows something: neither an exception nor a void reply, which wire::IsSuccess
// takes for success.
bool HasValue(std::string_view reply);

// "get_table sales.orders", as far as the names can be told, for texts.
std::string Describe(const Call& call);

}  // namespace catalogd::endpoint
