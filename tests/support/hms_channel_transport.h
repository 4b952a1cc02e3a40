#pragma once

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TTransportException.h>
#include <thrift/transport/TVirtualTransport.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "hms_client/channel.h"
#include "hms_idl/ThriftHiveMetastore.h"

namespace catalogd::testing {

// Lets the generated client speak over a hms::Channel: what is written up to a flush is one
// message, its answer is what is read. A failed call is thrown as a transport exception.
class ChannelTransport : public apache::thrift::transport::TVirtualTransport<ChannelTransport> {
 public:
  explicit ChannelTransport(std::unique_ptr<hms::Channel> channel) : channel_(std::move(channel)) {}

  bool isOpen() const override { return channel_->usable(); }
  void open() override {}
  void close() override {}

  uint32_t read(uint8_t* buffer, uint32_t length) {
    const size_t count = std::min<size_t>(length, answer_.size() - position_);
    std::copy_n(answer_.data() + position_, count, reinterpret_cast<char*>(buffer));
    position_ += count;
    return static_cast<uint32_t>(count);
  }

  void write(const uint8_t* buffer, uint32_t length) {
    message_.append(reinterpret_cast<const char*>(buffer), length);
  }

  void flush() override {
    const std::string message = std::exchange(message_, {});
    const bool oneway = message.size() > 3 && message[3] == 4;
    const TimePoint deadline = TimePoint::max();
    position_ = 0;
    answer_.clear();
    if (oneway) {
      Check(channel_->Send(message, deadline));
      return;
    }
    auto answer = channel_->Call(message, deadline);
    Check(answer);
    answer_ = std::move(*answer);
  }

  hms::Channel& channel() { return *channel_; }

 private:
  template <class T>
  static void Check(const Result<T>& result) {
    if (result) return;
    throw apache::thrift::transport::TTransportException(result.error().message);
  }

  std::unique_ptr<hms::Channel> channel_;
  std::string message_;
  std::string answer_;
  size_t position_ = 0;
};

// The generated client on a channel.
class HmsTestClient : public thrift::hms::ThriftHiveMetastoreClient {
 public:
  explicit HmsTestClient(std::unique_ptr<hms::Channel> channel)
      : HmsTestClient(std::make_shared<ChannelTransport>(std::move(channel))) {}

  hms::Channel& channel() { return transport_->channel(); }

 private:
  explicit HmsTestClient(const std::shared_ptr<ChannelTransport>& transport)
      : ThriftHiveMetastoreClient(
            std::make_shared<apache::thrift::protocol::TBinaryProtocol>(transport)),
        transport_(transport) {}

  std::shared_ptr<ChannelTransport> transport_;
};

}  // namespace catalogd::testing
