#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "thrift/server/asio.h"
#include "thrift/server/io_loop.h"
#include "thrift/server/message_reader.h"
#include "thrift/server/server.h"

// Inside of thrift/server. Not for other folders.
namespace catalogd::server {

// One client connection: reads, hands whole messages to the handler one at a time, writes answers.
//
// Thread safety: Complete and Close from any thread; all else on the loop's thread.
// Invariants: while a message is deferred or an answer is not yet taken, nothing is read; so at
// most one answer is held. While idle no buffer is owned. OnClose follows OnOpen exactly once.
// Lifetime: may outlive its loop in the hands of a handler; then Complete and Close do nothing.
class Connection final : public Session {
 public:
  Connection(IoLoop& loop, boost::asio::ip::tcp::socket socket, uint64_t id, std::string peer);

  [[nodiscard]] uint64_t id() const override { return id_; }
  [[nodiscard]] const std::string& peer() const override { return peer_; }
  void Complete(std::string reply) override;
  void Close() override;
  void NoticeHangUp() override;

  void Start();
  // Closes now when nothing is being answered, else right after the answer.
  void Drain();
  // Closes now. Answers that are still open have nowhere to go.
  void Drop();
  void CheckDeadline(TimePoint now);
  // A message is being worked on, or its answer has not been taken.
  [[nodiscard]] bool answering() const { return deferred_ || output_ != nullptr; }

 private:
  // An answer that the peer has not taken yet.
  struct Output {
    std::string data;
    size_t offset = 0;
  };
  // What happens once the current answer is written.
  enum class After { kReadOn, kClose, kLinger };

  void ArmRead();
  void OnReadable();
  void LookForHangUp();
  void Discard();
  void Drive();
  void HandOver(const MessageReader::Item& item);
  void Refuse(const MessageReader::Item& item);
  void OnCompleted(std::string reply);
  void OnCloseAsked();
  // Writes as much as the socket takes; keeps the rest. `reply` is left in an unknown state.
  void Write(std::string* reply, Dialect dialect);
  void ArmWrite();
  void OnWritable();
  void Written();
  void Linger();
  [[nodiscard]] bool HasUnreadInput();
  void SetDeadline(Duration from_now);
  void ClearDeadline();

  IoLoop& loop_;
  const std::shared_ptr<Mailbox> mailbox_;
  const uint64_t id_;
  const std::string peer_;

  std::optional<boost::asio::ip::tcp::socket> socket_;
  MessageReader reader_;
  std::unique_ptr<Output> output_;
  TimePoint deadline_ = TimePoint::max();
  const char* deadline_for_ = "";
  Dialect dialect_ = Dialect::kUndecided;  // Of the message that is being answered.
  After after_ = After::kReadOn;
  bool armed_ = false;  // Told when there is something to read.
  bool deferred_ = false;
  bool lingering_ = false;
};

}  // namespace catalogd::server
