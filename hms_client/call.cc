#include "hms_client/call.h"

#include <utility>

#include "thrift/wire/scan.h"

namespace catalogd::hms {
namespace {

ErrorCode CodeOf(Thrown thrown) {
  switch (thrown) {
    case Thrown::kNoSuchObject:
      return ErrorCode::kNotFound;
    case Thrown::kConfigSecurity:
      return ErrorCode::kPermission;
    default:
      return ErrorCode::kInternal;
  }
}

std::string_view ApplicationErrorName(int32_t type) {
  switch (static_cast<wire::ApplicationError>(type)) {
    case wire::ApplicationError::kUnknownMethod:
      return "unknown method";
    case wire::ApplicationError::kMissingResult:
      return "missing result";
    case wire::ApplicationError::kInternalError:
      return "internal error";
    case wire::ApplicationError::kProtocolError:
      return "protocol error";
    default:
      return "application error";
  }
}

}  // namespace

std::string_view ThrownName(Thrown thrown) {
  switch (thrown) {
    case Thrown::kNothing:
      return "nothing";
    case Thrown::kMeta:
      return "MetaException";
    case Thrown::kNoSuchObject:
      return "NoSuchObjectException";
    case Thrown::kInvalidObject:
      return "InvalidObjectException";
    case Thrown::kConfigSecurity:
      return "ConfigValSecurityException";
    case Thrown::kApplication:
      return "TApplicationException";
  }
  return "?";
}

Args& Args::String(int16_t id, std::string_view value) {
  wire::Writer(&bytes_).StringField(id, value);
  return *this;
}

Args& Args::Strings(int16_t id, const std::vector<std::string>& values) {
  wire::Writer(&bytes_).StringListField(id, values);
  return *this;
}

Args& Args::I16(int16_t id, int16_t value) {
  wire::Writer(&bytes_).I16Field(id, value);
  return *this;
}

Args& Args::I32(int16_t id, int32_t value) {
  wire::Writer(&bytes_).I32Field(id, value);
  return *this;
}

Args& Args::I64(int16_t id, int64_t value) {
  wire::Writer(&bytes_).I64Field(id, value);
  return *this;
}

Args& Args::Struct(int16_t id, const Args& fields) {
  wire::Writer(&bytes_).RawField(wire::TType::kStruct, id, fields.Finish());
  return *this;
}

Args& Args::Enums(int16_t id, const std::vector<int32_t>& values) {
  wire::Writer writer(&bytes_);
  writer.Field(wire::TType::kList, id);
  writer.ListBegin(wire::TType::kI32, values.size());
  for (const int32_t value : values) writer.I32(value);
  return *this;
}

Result<Answer> Answer::Decode(const Method& method, std::string message) {
  ASSIGN_OR_RETURN(const auto header, wire::ParseMessageHeader(message));
  Answer answer;
  answer.body_ = header.body;
  const wire::StructView body(std::string_view(message).substr(header.body));
  if (header.type == wire::MessageType::kException) {
    answer.thrown_ = Thrown::kApplication;
    answer.text_ = std::string(body.String(1).value_or(""));
    answer.application_type_ = body.I32(2).value_or(0);
  } else {
    for (size_t i = 0; i < method.throws.size(); ++i) {
      const auto exception = body.Struct(static_cast<int16_t>(i + 1));
      if (!exception) continue;
      answer.thrown_ = method.throws.at(i);
      // An exception that newer servers declare here and this table does not know.
      if (answer.thrown_ == Thrown::kNothing) answer.thrown_ = Thrown::kMeta;
      answer.text_ = std::string(exception->String(1).value_or(""));
    }
  }
  answer.message_ = std::move(message);
  return answer;
}

bool Answer::IsUnknownMethod() const {
  return thrown_ == Thrown::kApplication &&
         application_type_ == static_cast<int32_t>(wire::ApplicationError::kUnknownMethod);
}

bool Answer::IsInternalError() const {
  return thrown_ == Thrown::kApplication &&
         application_type_ == static_cast<int32_t>(wire::ApplicationError::kInternalError);
}

Error Answer::AsError() const {
  if (IsUnknownMethod())
    return {ErrorCode::kUnsupported, "the metastore does not know it: " + text_};
  std::string text(ThrownName(thrown_));
  if (thrown_ == Thrown::kApplication) {
    text += " (";
    text += ApplicationErrorName(application_type_);
    text += ")";
  }
  return {CodeOf(thrown_), text + ": " + text_};
}

Result<std::string_view> Answer::Value(wire::TType type) const {
  if (thrown_ != Thrown::kNothing) return catalogd::AsError(AsError());
  const wire::StructView body(std::string_view(message_).substr(body_));
  const auto field = body.Find(0);
  if (!field) return MakeError(ErrorCode::kInternal, "the metastore answered nothing (null)");
  if (field->type != type) {
    return MakeError(ErrorCode::kCorrupt, "the answer has another type than the method declares");
  }
  return field->value;
}

Result<std::string> Answer::StringValue() const {
  ASSIGN_OR_RETURN(const auto value, Value(wire::TType::kString));
  return std::string(wire::DecodeString(value));
}

Result<wire::StructView> Answer::StructValue() const {
  ASSIGN_OR_RETURN(const auto value, Value(wire::TType::kStruct));
  return wire::StructView(value);
}

Result<std::vector<std::string>> Answer::Strings() const {
  ASSIGN_OR_RETURN(const auto value, Value(wire::TType::kList));
  return wire::ListView(value).Strings();
}

Result<std::vector<std::string>> Answer::Structs() const {
  ASSIGN_OR_RETURN(const auto value, Value(wire::TType::kList));
  return StructElements(value);
}

Result<std::vector<std::string>> StructElements(std::string_view list_value) {
  const wire::ListView list(list_value);
  if (list.size() > 0 && list.element_type() != wire::TType::kStruct) {
    return MakeError(ErrorCode::kCorrupt, "the answer's list holds something else than structs");
  }
  const auto elements = list.Elements();
  return std::vector<std::string>(elements.begin(), elements.end());
}

}  // namespace catalogd::hms
