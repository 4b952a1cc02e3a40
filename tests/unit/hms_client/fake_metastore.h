#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/base/mutex.h"
#include "hms_client/uri.h"
#include "thrift/server/server.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::hms {

// A far side that answers as each test scripts it, over a real socket. Methods without a script are
// unknown to it, in the words of a real metastore.
// Thread safety: yes.
class FakeMetastore final : public server::Handler {
 public:
  struct Request {
    std::string method;
    int32_t sequence_id = 0;
    wire::StructView args;
    server::Session* session = nullptr;
  };
  // Writes the answer and says what to do with the connection.
  using Script = std::function<server::Outcome(const Request& request, std::string* reply)>;

  FakeMetastore() { Start(0); }
  ~FakeMetastore() override { Stop(); }

  void On(const std::string& method, Script script) {
    const MutexLock lock(mutex_);
    scripts_[method] = std::move(script);
  }
  // Answers with success and that encoded value.
  void Answer(const std::string& method, wire::TType type, const std::string& value) {
    On(method, [type, value](const Request& request, std::string* reply) {
      *reply = wire::EncodeReply(request.method, request.sequence_id, type, 0, value);
      return server::Outcome::kReplied;
    });
  }
  void AnswerString(const std::string& method, std::string_view text) {
    std::string value;
    wire::Writer(&value).String(text);
    Answer(method, wire::TType::kString, value);
  }
  void AnswerStrings(const std::string& method, const std::vector<std::string>& texts) {
    Answer(method, wire::TType::kList, EncodedStrings(texts));
  }
  void Throw(const std::string& method, int16_t field_id, const std::string& text) {
    On(method, [field_id, text](const Request& request, std::string* reply) {
      *reply = wire::EncodeExceptionReply(request.method, request.sequence_id, field_id, text);
      return server::Outcome::kReplied;
    });
  }
  void Fail(const std::string& method, wire::ApplicationError type, const std::string& text) {
    On(method, [type, text](const Request& request, std::string* reply) {
      *reply = wire::EncodeApplicationError(request.method, request.sequence_id, type, text);
      return server::Outcome::kReplied;
    });
  }
  // Reads the request, closes without an answer: the work may have been done.
  void Cut(const std::string& method) {
    On(method, [](const Request&, std::string*) { return server::Outcome::kClose; });
  }
  // Never answers.
  void Mute(const std::string& method) {
    On(method, [](const Request&, std::string*) { return server::Outcome::kDeferred; });
  }

  void Stop() {
    server_->Stop(Duration::zero());
    server_.reset();
  }
  void Restart() {
    const uint16_t port = port_;
    if (server_ != nullptr) Stop();
    Start(port);
  }

  [[nodiscard]] Address address() const { return {"127.0.0.1", port_}; }
  [[nodiscard]] server::ServerStats stats() const { return server_->stats(); }
  // Methods in the order they were asked.
  std::vector<std::string> seen() {
    const MutexLock lock(mutex_);
    return seen_;
  }
  size_t CountOf(const std::string& method) {
    const MutexLock lock(mutex_);
    size_t count = 0;
    for (const auto& one : seen_) count += one == method ? 1U : 0U;
    return count;
  }
  // Returns when that many connections have been closed since the start.
  void AwaitClosed(size_t count) {
    const MutexLock lock(mutex_);
    while (closed_ < count) changed_.Wait(mutex_);
  }

  server::Outcome OnMessage(const std::shared_ptr<server::Session>& session,
                            std::string_view message, std::string* reply) override {
    const auto header = wire::ParseMessageHeader(message);
    if (!header) return server::Outcome::kClose;
    const Request request{std::string(header->method), header->sequence_id,
                          wire::StructView(message.substr(header->body)), session.get()};
    Script script;
    {
      const MutexLock lock(mutex_);
      seen_.push_back(request.method);
      const auto found = scripts_.find(request.method);
      if (found != scripts_.end()) script = found->second;
      changed_.NotifyAll();
    }
    if (script) return script(request, reply);
    *reply = wire::EncodeApplicationError(request.method, request.sequence_id,
                                          wire::ApplicationError::kUnknownMethod,
                                          "Invalid method name: '" + request.method + "'");
    return server::Outcome::kReplied;
  }
  void OnClose(server::Session&) override {
    const MutexLock lock(mutex_);
    ++closed_;
    changed_.NotifyAll();
  }

  static std::string EncodedStrings(const std::vector<std::string>& texts) {
    std::string value;
    wire::Writer writer(&value);
    writer.ListBegin(wire::TType::kString, texts.size());
    for (const auto& text : texts) writer.String(text);
    return value;
  }

 private:
  void Start(uint16_t port) {
    server::ServerOptions options;
    options.port = port;
    auto server = server::StartServer(options, this, SystemClock());
    ASSERT_TRUE(server) << server.error().ToString();
    server_ = std::move(*server);
    port_ = server_->port();
  }

  uint16_t port_ = 0;
  std::unique_ptr<server::Server> server_;
  Mutex mutex_{LockRank::kLeaf};
  CondVar changed_;
  std::map<std::string, Script> scripts_;
  std::vector<std::string> seen_;
  size_t closed_ = 0;
};

// Far enough that no test that works runs into it.
inline TimePoint Later() { return SystemClock().Now() + std::chrono::minutes(5); }
// Near enough that a test waits for it.
inline TimePoint Soon() { return SystemClock().Now() + std::chrono::milliseconds(50); }

}  // namespace catalogd::hms
