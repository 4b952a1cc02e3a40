#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hms_client/channel.h"
#include "thrift/wire/scan.h"

namespace catalogd::testing {

// Channels of clients that have one of their own: what goes through them, in order.
class FakeConnector final : public hms::Connector {
 public:
  struct Log {
    std::vector<std::string> messages;
    std::vector<hms::Identity> opened;
    std::deque<Error> fail_calls;  // Of the next calls.
    std::function<std::string(std::string_view)> answer;
  };
  Result<std::unique_ptr<hms::Channel>> Open(const hms::Identity& identity, TimePoint) override {
    log.opened.push_back(identity);
    return std::unique_ptr<hms::Channel>(std::make_unique<FakeChannel>(&log, identity));
  }
  Log log;

 private:
  class FakeChannel final : public hms::Channel {
   public:
    FakeChannel(Log* log, const hms::Identity& identity)
        : log_(log), has_user_(!identity.user.empty()) {}
    Result<std::string> Call(std::string_view message, TimePoint) override {
      if (!log_->fail_calls.empty()) {
        Error error = log_->fail_calls.front();
        log_->fail_calls.pop_front();
        usable_ = false;
        return AsError(std::move(error));
      }
      log_->messages.emplace_back(message);
      const auto header = wire::ParseMessageHeader(message);
      // As real servers: the user is told once.
      if (header && header->method == "set_ugi" && std::exchange(has_user_, true)) {
        usable_ = false;
        return MakeError(ErrorCode::kUnknownOutcome, "closed by the server");
      }
      return log_->answer(message);
    }
    Status Send(std::string_view, TimePoint) override { return Ok(); }
    bool usable() const override { return usable_; }
    const std::string& endpoint() const override { return endpoint_; }

   private:
    Log* log_;
    bool has_user_;
    bool usable_ = true;
    std::string endpoint_ = "fake";
  };
};

}  // namespace catalogd::testing
