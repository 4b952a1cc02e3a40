#include "hms_client/embedded/object_codec.h"

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TJSONProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <memory>

#include "hms_idl/hive_metastore_types.h"

namespace catalogd::hms {

namespace {

using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::protocol::TJSONProtocol;
using apache::thrift::transport::TMemoryBuffer;
using BinaryProtocol = TBinaryProtocolT<TMemoryBuffer>;

}  // namespace

template <class Object>
std::string EncodeObject(const Object& object) {
  auto buffer = std::make_shared<TMemoryBuffer>();
  BinaryProtocol protocol(buffer);
  object.write(&protocol);
  return buffer->getBufferAsString();
}

namespace {

// Members with a default count as set in a fresh struct; a stored object has what it was stored
// with.
template <class Object>
void ForgetDefaults(Object*) {}
void ForgetDefaults(thrift::hms::Table* table) {
  table->__isset.temporary = table->__isset.ownerType = table->__isset.writeId = false;
}
void ForgetDefaults(thrift::hms::Partition* partition) { partition->__isset.writeId = false; }

}  // namespace

template <class Object>
Result<Object> DecodeObject(std::string_view bytes) {
  // The library's buffer does not write to observed bytes, but asks for a pointer to plain ones.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  auto* start = const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(bytes.data()));
  auto buffer = std::make_shared<TMemoryBuffer>(start, static_cast<uint32_t>(bytes.size()),
                                                TMemoryBuffer::OBSERVE);
  BinaryProtocol protocol(buffer);
  Object object;
  ForgetDefaults(&object);
  try {
    object.read(&protocol);
  } catch (const apache::thrift::TException& error) {
    return MakeError(ErrorCode::kCorrupt, std::string("stored object: ") + error.what());
  }
  return object;
}

template <class Object>
std::string ObjectToJson(const Object& object) {
  auto buffer = std::make_shared<TMemoryBuffer>();
  TJSONProtocol protocol(buffer);
  object.write(&protocol);
  return buffer->getBufferAsString();
}

#define CATALOGD_CODEC(Object)                                         \
  template std::string EncodeObject(const thrift::hms::Object&);       \
  template Result<thrift::hms::Object> DecodeObject(std::string_view); \
  template std::string ObjectToJson(const thrift::hms::Object&)

CATALOGD_CODEC(Database);
CATALOGD_CODEC(Table);
CATALOGD_CODEC(Partition);
CATALOGD_CODEC(Function);
CATALOGD_CODEC(SQLPrimaryKey);
CATALOGD_CODEC(SQLForeignKey);
CATALOGD_CODEC(SQLUniqueConstraint);
CATALOGD_CODEC(SQLNotNullConstraint);
CATALOGD_CODEC(SQLDefaultConstraint);
CATALOGD_CODEC(SQLCheckConstraint);
CATALOGD_CODEC(ColumnStatisticsObj);
CATALOGD_CODEC(ColumnStatistics);
CATALOGD_CODEC(HiveObjectPrivilege);

#undef CATALOGD_CODEC

}  // namespace catalogd::hms
