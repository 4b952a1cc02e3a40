#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

// Messages as clients write and read them.
namespace catalogd::testing {

// A call as a client writes it.
using WriteArguments = std::function<void(wire::Writer*)>;
inline std::string MakeCall(std::string_view method, const WriteArguments& write,
                            int32_t sequence = 7) {
  std::string arguments;
  wire::Writer out(&arguments);
  write(&out);
  out.Stop();
  return wire::EncodeCall(method, sequence, arguments);
}
// String arguments 1, 2, ...
inline std::string StringCall(std::string_view method, const std::vector<std::string>& strings) {
  return MakeCall(method, [&](wire::Writer* out) {
    for (size_t i = 0; i < strings.size(); ++i) {
      out->StringField(static_cast<int16_t>(i + 1), strings[i]);
    }
  });
}
// Argument 1 is a struct.
inline std::string RequestCall(std::string_view method, const WriteArguments& write) {
  return MakeCall(method, [&](wire::Writer* out) {
    out->Field(wire::TType::kStruct, 1);
    write(out);
    out->Stop();
  });
}

inline wire::StructView ResultOf(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  return header ? wire::StructView(reply.substr(header->body)) : wire::StructView();
}
// The text of the exception at a field, or of a TApplicationException (field 0); else empty.
inline std::string ErrorText(std::string_view reply, int16_t field) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header) return "";
  if (field == 0) {
    if (header->type != wire::MessageType::kException) return "";
    return std::string(ResultOf(reply).String(1).value_or(""));
  }
  const auto exception = ResultOf(reply).Struct(field);
  return exception ? std::string(exception->String(1).value_or("")) : "";
}

}  // namespace catalogd::testing
