#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hms_client/embedded/connection_state.h"
#include "hms_client/embedded/store.h"
#include "hms_idl/ThriftHiveMetastore.h"
#include "thrift/wire/view.h"

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
  // REQUIRES: set around every message. `arguments`: the argument struct as it came.
  static void SetCall(ConnectionState* connection, wire::StructView arguments) {
    connection_ = connection;
    arguments_ = arguments;
  }

 protected:
  Store& store() { return *store_; }
  static ConnectionState& connection() { return *connection_; }
  // Whether the call has that argument; generated code makes an empty value of a missing one.
  static bool Given(int16_t argument) { return arguments_.Find(argument).has_value(); }

 private:
  Store* store_ = nullptr;
  static inline thread_local ConnectionState* connection_ = nullptr;
  static inline thread_local wire::StructView arguments_;
};

}  // namespace catalogd::hms
