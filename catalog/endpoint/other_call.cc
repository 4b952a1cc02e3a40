#include "catalog/endpoint/other_call.h"

#include "catalog/base/names.h"
#include "catalog/endpoint/call_rows.h"
#include "catalog/endpoint/layouts.h"
#include "thrift/wire/write.h"

// Answers to calls in other words.
namespace catalogd::endpoint {
namespace {

using wire::StructView;
using wire::TType;

std::string WithHeader(const wire::MessageHeader& header, wire::MessageType type,
                       std::string_view body) {
  std::string out;
  wire::Writer writer(&out);
  writer.MessageBegin(type, header.method, header.sequence_id);
  writer.Raw(body);
  return out;
}

std::string UndeclaredError(const wire::MessageHeader& header) {
  return wire::EncodeApplicationError(header.method, header.sequence_id,
                                      wire::ApplicationError::kInternalError,
                                      "Internal error processing " + std::string(header.method));
}

// The success of the newer method out of that of the older one.
std::string SuccessOfNewer(const wire::MessageHeader& header, CallResult packing,
                           const StructView& body) {
  std::string result;
  switch (packing) {
    case CallResult::kSame:
      return WithHeader(header, wire::MessageType::kReply, body.bytes());
    case CallResult::kOpenTxns: {
      const auto info = body.Struct(0);
      result = info ? OpenTxnsOf(*info).value_or("") : "";
      if (result.empty()) return UndeclaredError(header);
      return wire::EncodeReply(header.method, header.sequence_id, TType::kStruct, 0, result);
    }
    case CallResult::kWrapped:
    case CallResult::kEmpty:
      break;
  }
  wire::Writer out(&result);
  const auto value = body.Find(0);
  if (packing == CallResult::kWrapped && value) out.RawField(value->type, 1, value->value);
  out.Stop();
  return wire::EncodeReply(header.method, header.sequence_id, TType::kStruct, 0, result);
}

std::string SuccessOfOlder(const wire::MessageHeader& header, CallResult packing,
                           const StructView& body) {
  if (packing == CallResult::kSame) {
    return WithHeader(header, wire::MessageType::kReply, body.bytes());
  }
  const auto success = body.Struct(0);
  const auto value = success ? success->Find(1) : std::nullopt;
  if (!value || (value->type != TType::kStruct && value->type != TType::kList)) {
    return UndeclaredError(header);
  }
  return wire::EncodeReply(header.method, header.sequence_id, value->type, 0, value->value);
}

}  // namespace

std::string FromOther(const wire::MessageHeader& header, const OtherCall& call,
                      std::string_view reply) {
  const auto answered = wire::ParseMessageHeader(reply);
  if (!answered) return UndeclaredError(header);
  const StructView body(reply.substr(answered->body));
  if (answered->type != wire::MessageType::kReply) {
    return WithHeader(header, answered->type, body.bytes());
  }
  const CallRow& row = *call.row;
  const bool to_newer = call.method == row.newer;
  const auto first = body.Begin().Next();
  if (!first || first->id == 0) {
    return to_newer ? SuccessOfOlder(header, row.result, body)
                    : SuccessOfNewer(header, row.result, body);
  }
  if (to_newer && first->id > row.exceptions) return UndeclaredError(header);
  int16_t id = first->id;
  if (row.swaps_exceptions && (id == 1 || id == 2)) id = id == 1 ? 2 : 1;
  return wire::EncodeReply(header.method, header.sequence_id, first->type, id, first->value);
}

std::optional<std::string> WithoutCatalog(const wire::MessageHeader& header,
                                          const StructView& arguments) {
  const auto first = arguments.String(1);
  if (!first || first->empty() || first->front() != '@') return std::nullopt;
  const size_t end = first->find('#');
  if (end == std::string_view::npos ||
      NormalizeName(first->substr(1, end - 1)) != kDefaultCatalog) {
    return std::nullopt;
  }
  std::string_view plain = first->substr(end + 1);
  if (plain == "!") plain = "";
  if (plain.empty() && header.method == "get_databases") plain = "*";
  std::string out;
  wire::Writer writer(&out);
  auto fields = arguments.Begin();
  while (const auto field = fields.Next()) {
    if (field->id == 1) {
      writer.StringField(1, plain);
    } else {
      writer.Raw(field->encoded);
    }
  }
  writer.Stop();
  return wire::EncodeCall(header.method, header.sequence_id, out);
}

}  // namespace catalogd::endpoint
