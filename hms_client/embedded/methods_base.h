#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hms_client/embedded/connection_state.h"
#include "hms_client/embedded/store.h"
#include "hms_idl/ThriftHiveMetastore.h"

namespace catalogd::hms {

namespace api = thrift::hms;
namespace fb303 = thrift::fb303;
using Strings = std::vector<std::string>;
using Properties = std::map<std::string, std::string>;

// What all groups of Thrift methods use.
// Thread safety: yes; the connection is that of the message now being answered on this thread.
class MethodsBase : public virtual api::ThriftHiveMetastoreIf {
 public:
  void set_store(Store* store) { store_ = store; }
  // REQUIRES: set around every message.
  static void SetConnection(ConnectionState* connection) { connection_ = connection; }

 protected:
  Store& store() { return *store_; }
  static ConnectionState& connection() { return *connection_; }

 private:
  Store* store_ = nullptr;
  static inline thread_local ConnectionState* connection_ = nullptr;
};

}  // namespace catalogd::hms
