#include <gtest/gtest.h>
#include <thrift/TApplicationException.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TJSONProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <memory>
#include <string>

#include "tests/support/random_thrift.h"
#include "tests/support/tjson_samples.h"
#include "thrift/wire/json_text.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/tjson.h"
#include "thrift/wire/write.h"

// Our readers and writers against the ones of the Thrift library.
namespace catalogd::wire {
namespace {

using apache::thrift::protocol::TBinaryProtocol;
using apache::thrift::protocol::TJSONProtocol;
using apache::thrift::protocol::TProtocol;
using apache::thrift::transport::TMemoryBuffer;
using LibType = apache::thrift::protocol::TType;

// Copies any value from one protocol to another, without a schema: the types are in the data.
class Copier {
 public:
  Copier(TProtocol* from, TProtocol* to) : from_(*from), to_(*to) {}

  void Value(LibType type) {
    switch (type) {
      case apache::thrift::protocol::T_STRUCT:
        return Struct();
      case apache::thrift::protocol::T_MAP:
        return Map();
      case apache::thrift::protocol::T_LIST:
      case apache::thrift::protocol::T_SET:
        return List(type);
      case apache::thrift::protocol::T_STRING: {
        std::string text;
        from_.readString(text);
        to_.writeString(text);
        return;
      }
      case apache::thrift::protocol::T_DOUBLE: {
        double value = 0;
        from_.readDouble(value);
        to_.writeDouble(value);
        return;
      }
      default:
        return Integer(type);
    }
  }

 private:
  void Integer(LibType type) {
    if (type == apache::thrift::protocol::T_BOOL) {
      bool value = false;
      from_.readBool(value);
      to_.writeBool(value);
    } else if (type == apache::thrift::protocol::T_BYTE) {
      int8_t value = 0;
      from_.readByte(value);
      to_.writeByte(value);
    } else if (type == apache::thrift::protocol::T_I16) {
      int16_t value = 0;
      from_.readI16(value);
      to_.writeI16(value);
    } else if (type == apache::thrift::protocol::T_I32) {
      int32_t value = 0;
      from_.readI32(value);
      to_.writeI32(value);
    } else {
      int64_t value = 0;
      from_.readI64(value);
      to_.writeI64(value);
    }
  }

  void Struct() {
    std::string name;
    from_.readStructBegin(name);
    to_.writeStructBegin("");
    for (;;) {
      LibType type = apache::thrift::protocol::T_STOP;
      int16_t id = 0;
      from_.readFieldBegin(name, type, id);
      if (type == apache::thrift::protocol::T_STOP) break;
      to_.writeFieldBegin("", type, id);
      Value(type);
      from_.readFieldEnd();
      to_.writeFieldEnd();
    }
    from_.readStructEnd();
    to_.writeFieldStop();
    to_.writeStructEnd();
  }

  void List(LibType kind) {
    const bool list = kind == apache::thrift::protocol::T_LIST;
    LibType type = apache::thrift::protocol::T_STOP;
    uint32_t size = 0;
    list ? from_.readListBegin(type, size) : from_.readSetBegin(type, size);
    list ? to_.writeListBegin(type, size) : to_.writeSetBegin(type, size);
    for (uint32_t i = 0; i < size; ++i) Value(type);
    list ? from_.readListEnd() : from_.readSetEnd();
    list ? to_.writeListEnd() : to_.writeSetEnd();
  }

  void Map() {
    LibType key = apache::thrift::protocol::T_STOP;
    LibType value = apache::thrift::protocol::T_STOP;
    uint32_t size = 0;
    from_.readMapBegin(key, value, size);
    to_.writeMapBegin(key, value, size);
    for (uint32_t i = 0; i < size; ++i) {
      Value(key);
      Value(value);
    }
    from_.readMapEnd();
    to_.writeMapEnd();
  }

  TProtocol& from_;
  TProtocol& to_;
};

std::shared_ptr<TMemoryBuffer> BufferOf(std::string_view bytes) {
  auto buffer = std::make_shared<TMemoryBuffer>();
  buffer->write(reinterpret_cast<const uint8_t*>(bytes.data()),
                static_cast<uint32_t>(bytes.size()));
  return buffer;
}

std::string LibraryBinary(std::string_view json) {
  TJSONProtocol from(BufferOf(json));
  auto out = std::make_shared<TMemoryBuffer>();
  TBinaryProtocol to(out);
  Copier(&from, &to).Value(apache::thrift::protocol::T_STRUCT);
  return out->getBufferAsString();
}

TEST(LibThrift, RealMessagesTranscodeToTheSameBytes) {
  const std::vector<std::string> samples = testing::LoadTJsonSamples();
  ASSERT_GT(samples.size(), 3000U);
  size_t container_keys = 0;
  for (const std::string& escaped : samples) {
    const auto ours = TJsonStructToBinary(escaped, 1);
    ASSERT_TRUE(ours.has_value()) << escaped << ours.error().message;
    const auto text = internal::UnescapeJson(escaped);
    ASSERT_TRUE(text.has_value());
    EXPECT_EQ(*ours, LibraryBinary(*text)) << *text;
    if (text->find("{[\"str\"") != std::string::npos) ++container_keys;
  }
  // The samples must contain the maps that are not JSON, or this proves too little.
  EXPECT_GT(container_keys, 0U);
}

TEST(LibThrift, RandomStructsTranscodeToTheSameBytes) {
  testing::RandomThrift random(31);
  random.OnlyPositiveIds();
  for (int i = 0; i < 2000; ++i) {
    const testing::RandomThrift::Pair pair = random.Struct(4);
    // The library drops a \u0000 from strings; the metastore's Java reader does not.
    if (pair.json.find("\\u0000") == std::string::npos) {
      ASSERT_EQ(LibraryBinary(pair.json), pair.binary) << pair.json;
    }
    ASSERT_EQ(TJsonStructToBinary(pair.json), pair.binary) << pair.json;
  }
}

TEST(LibThrift, ItsOwnJsonTranscodesBackToTheSameBytes) {
  testing::RandomThrift random(32);
  for (int i = 0; i < 2000; ++i) {
    const std::string binary = random.Struct(4).binary;
    TBinaryProtocol from(BufferOf(binary));
    auto out = std::make_shared<TMemoryBuffer>();
    TJSONProtocol to(out);
    Copier(&from, &to).Value(apache::thrift::protocol::T_STRUCT);
    const std::string json = out->getBufferAsString();
    ASSERT_EQ(TJsonStructToBinary(json), binary) << json;
  }
}

TEST(LibThrift, ReadsOurMessages) {
  TBinaryProtocol protocol(BufferOf(EncodeCall("get_table", 12, std::string(1, '\0'))), 0, 0, true,
                           true);
  std::string name;
  apache::thrift::protocol::TMessageType type{};
  int32_t sequence_id = 0;
  protocol.readMessageBegin(name, type, sequence_id);
  EXPECT_EQ(name, "get_table");
  EXPECT_EQ(type, apache::thrift::protocol::T_CALL);
  EXPECT_EQ(sequence_id, 12);
}

TEST(LibThrift, ReadsOurApplicationErrors) {
  TBinaryProtocol protocol(BufferOf(EncodeApplicationError("m", 1, ApplicationError::kUnknownMethod,
                                                           "Invalid method name: 'm'")));
  std::string name;
  apache::thrift::protocol::TMessageType type{};
  int32_t sequence_id = 0;
  protocol.readMessageBegin(name, type, sequence_id);
  EXPECT_EQ(type, apache::thrift::protocol::T_EXCEPTION);
  apache::thrift::TApplicationException error;
  error.read(&protocol);
  EXPECT_EQ(error.getType(), apache::thrift::TApplicationException::UNKNOWN_METHOD);
  EXPECT_STREQ(error.what(), "Invalid method name: 'm'");
}

TEST(LibThrift, WeReadItsOldHeaders) {
  auto out = std::make_shared<TMemoryBuffer>();
  TBinaryProtocol protocol(out, 0, 0, false, false);
  protocol.writeMessageBegin("getStatus", apache::thrift::protocol::T_CALL, 3);
  protocol.writeFieldStop();
  const std::string message = out->getBufferAsString();
  const auto header = CheckMessage(message);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->method, "getStatus");
  EXPECT_EQ(header->sequence_id, 3);
}

}  // namespace
}  // namespace catalogd::wire
