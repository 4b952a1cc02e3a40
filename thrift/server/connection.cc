#include "thrift/server/connection.h"

#include <glog/logging.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <utility>

namespace catalogd::server {
namespace {

using boost::asio::ip::tcp;

// How long a refused peer may take to read why, and to stop sending.
constexpr Duration kLingerTime = std::chrono::seconds(2);
// The reply buffer of a loop keeps no more than this between messages.
constexpr size_t kKeptReplyCapacity = size_t{1} << 20U;

// Bytes taken by the socket, 0 when it takes none now, -1 when it is broken.
ssize_t SendNow(int fd, std::string_view prefix, std::string_view data) {
  std::array<iovec, 2> parts{};
  size_t count = 0;
  for (const std::string_view part : {prefix, data}) {
    if (part.empty()) continue;
    parts.at(count++) = {const_cast<char*>(part.data()), part.size()};
  }
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = count;
  for (;;) {
    const ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return sent;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return -1;
  }
}

// Bytes read, 0 at the end of input, -1 with errno.
ssize_t ReceiveNow(int fd, std::string* buffer, int flags) {
  for (;;) {
    const ssize_t got = recv(fd, buffer->data(), buffer->size(), MSG_DONTWAIT | flags);
    if (got >= 0 || errno != EINTR) return got;
  }
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

Connection::Connection(IoLoop& loop, tcp::socket socket, uint64_t id, std::string peer)
    : loop_(loop),
      mailbox_(loop.mailbox()),
      id_(id),
      peer_(std::move(peer)),
      socket_(std::move(socket)),
      reader_(loop.options().limits) {}

void Connection::Complete(std::string reply) {
  auto self = std::static_pointer_cast<Connection>(shared_from_this());
  mailbox_->Post([self = std::move(self), reply = std::move(reply)]() mutable {
    self->OnCompleted(std::move(reply));
  });
}

void Connection::Close() {
  auto self = std::static_pointer_cast<Connection>(shared_from_this());
  mailbox_->Post([self = std::move(self)] { self->OnCloseAsked(); });
}

void Connection::NoticeHangUp() {
  auto self = std::static_pointer_cast<Connection>(shared_from_this());
  mailbox_->Post([self = std::move(self)] {
    if (self->socket_ && self->deferred_) self->ArmRead();
  });
}

void Connection::Start() {
  loop_.handler().OnOpen(*this);
  ArmRead();
}

void Connection::Drain() {
  if (lingering_) return;
  if (answering()) {
    if (after_ == After::kReadOn) after_ = After::kClose;
    return;
  }
  Drop();
}

void Connection::Drop() {
  if (!socket_) return;
  ClearDeadline();
  output_.reset();
  boost::system::error_code ignored;
  socket_->close(ignored);
  socket_.reset();
  loop_.handler().OnClose(*this);
  loop_.Forget(this);
}

void Connection::CheckDeadline(TimePoint now) {
  if (now < deadline_) return;
  VLOG(1) << "closing the connection of " << peer_ << ": " << deadline_for_;
  Drop();
}

void Connection::ArmRead() {
  if (std::exchange(armed_, true)) return;
  auto self = std::static_pointer_cast<Connection>(shared_from_this());
  socket_->async_wait(tcp::socket::wait_read,
                      [self = std::move(self)](const boost::system::error_code& error) {
                        self->armed_ = false;
                        if (!self->socket_) return;
                        if (error) return self->Drop();
                        self->OnReadable();
                      });
}

void Connection::OnReadable() {
  if (lingering_) return Discard();
  if (answering()) return LookForHangUp();
  std::string& buffer = loop_.read_buffer();
  const ssize_t got = ReceiveNow(socket_->native_handle(), &buffer, 0);
  if (got > 0) {
    reader_.Feed(std::string_view(buffer).substr(0, static_cast<size_t>(got)));
    return Drive();
  }
  if (got < 0 && WouldBlock()) return ArmRead();
  Drop();
}

// Takes nothing: what there is to read comes after the answer.
void Connection::LookForHangUp() {
  if (!deferred_) return;  // The answer that is being written tells.
  const ssize_t got = ReceiveNow(socket_->native_handle(), &loop_.read_buffer(), MSG_PEEK);
  if (got > 0) return;
  if (got < 0 && WouldBlock()) return ArmRead();
  Drop();
}

void Connection::Discard() {
  const ssize_t got = ReceiveNow(socket_->native_handle(), &loop_.read_buffer(), 0);
  if (got > 0 || (got < 0 && WouldBlock())) return ArmRead();
  Drop();
}

void Connection::Drive() {
  // Nested calls happen only through Written(), which is not called while this loop runs.
  while (socket_ && !answering() && !lingering_) {
    const MessageReader::Item item = reader_.Next();
    if (item.state == MessageReader::State::kMessage) {
      HandOver(item);
      continue;
    }
    if (item.state == MessageReader::State::kBroken) {
      Refuse(item);
      return;
    }
    reader_.Keep();
    if (!reader_.has_partial()) {
      ClearDeadline();
    } else if (deadline_ == TimePoint::max()) {
      deadline_for_ = "a message was begun and not finished in time";
      SetDeadline(loop_.options().read_timeout);
    }
    ArmRead();
    return;
  }
  if (socket_) reader_.Keep();
}

void Connection::HandOver(const MessageReader::Item& item) {
  ClearDeadline();
  loop_.CountMessage();
  dialect_ = item.dialect;
  std::string& reply = loop_.reply_buffer();
  const auto self = shared_from_this();
  switch (loop_.handler().OnMessage(self, item.message, &reply)) {
    case Outcome::kReplied:
      Write(&reply, dialect_);
      break;
    case Outcome::kNoReply:
      break;
    case Outcome::kDeferred:
      deferred_ = true;
      break;
    case Outcome::kClose:
      after_ = After::kClose;
      if (reply.empty()) {
        Drop();
      } else {
        Write(&reply, dialect_);
      }
      break;
  }
  reply.clear();
  if (reply.capacity() > kKeptReplyCapacity) std::string().swap(reply);
}

void Connection::Refuse(const MessageReader::Item& item) {
  loop_.CountBroken();
  VLOG(1) << "closing the connection of " << peer_ << ": " << item.reason;
  after_ = After::kLinger;
  std::string answer = item.answer;
  // The answer is framed already, in the way the peer frames.
  Write(&answer, Dialect::kStrict);
}

void Connection::OnCompleted(std::string reply) {
  if (!deferred_) return;
  deferred_ = false;
  if (!socket_) return;
  if (!reply.empty()) {
    Write(&reply, dialect_);
    if (!socket_ || output_ != nullptr || lingering_) return;
  } else if (after_ != After::kReadOn) {
    return Drop();
  }
  Drive();
}

void Connection::OnCloseAsked() {
  deferred_ = false;
  if (!socket_ || lingering_) return;
  if (output_ != nullptr) {
    if (after_ == After::kReadOn) after_ = After::kClose;
    return;
  }
  Drop();
}

void Connection::Write(std::string* reply, Dialect dialect) {
  if (IsOld(dialect)) MakeOld(reply);
  const std::string prefix = IsFramed(dialect) ? FramePrefix(reply->size()) : std::string();
  const ssize_t sent = SendNow(socket_->native_handle(), prefix, *reply);
  if (sent < 0) return Drop();
  const auto taken = static_cast<size_t>(sent);
  if (taken == prefix.size() + reply->size()) return Written();
  output_ = std::make_unique<Output>();
  if (taken < prefix.size()) {
    output_->data = prefix.substr(taken) + *reply;
  } else {
    output_->data = std::move(*reply);
    output_->offset = taken - prefix.size();
  }
  deadline_for_ = "an answer was not taken in time";
  SetDeadline(loop_.options().write_timeout);
  ArmWrite();
}

void Connection::ArmWrite() {
  auto self = std::static_pointer_cast<Connection>(shared_from_this());
  socket_->async_wait(tcp::socket::wait_write,
                      [self = std::move(self)](const boost::system::error_code& error) {
                        if (!self->socket_) return;
                        if (error) return self->Drop();
                        self->OnWritable();
                      });
}

void Connection::OnWritable() {
  const std::string_view rest = std::string_view(output_->data).substr(output_->offset);
  const ssize_t sent = SendNow(socket_->native_handle(), {}, rest);
  if (sent < 0) return Drop();
  output_->offset += static_cast<size_t>(sent);
  if (output_->offset < output_->data.size()) return ArmWrite();
  output_.reset();
  ClearDeadline();
  Written();
  if (socket_ && !lingering_) Drive();
}

void Connection::Written() {
  switch (after_) {
    case After::kReadOn:
      return;
    case After::kLinger:
      return Linger();
    case After::kClose:
      // Closing over unread input resets the connection and may take the answer with it.
      if (HasUnreadInput()) return Linger();
      return Drop();
  }
}

void Connection::Linger() {
  lingering_ = true;
  shutdown(socket_->native_handle(), SHUT_WR);
  deadline_for_ = "it was told to go";
  SetDeadline(kLingerTime);
  ArmRead();
}

bool Connection::HasUnreadInput() {
  return ReceiveNow(socket_->native_handle(), &loop_.read_buffer(), MSG_PEEK) > 0;
}

void Connection::SetDeadline(Duration from_now) {
  deadline_ = loop_.Now() + from_now;
  loop_.Watch(this);
}

void Connection::ClearDeadline() {
  if (deadline_ == TimePoint::max()) return;
  deadline_ = TimePoint::max();
  loop_.Unwatch(this);
}

}  // namespace catalogd::server
