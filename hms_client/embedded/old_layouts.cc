#include "hms_client/embedded/old_layouts.h"

#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::hms {

std::string NewInsertLayout(std::string_view arguments) {
  using wire::TType;
  const auto request = wire::StructView(arguments).Struct(1);
  const auto data = request ? request->Struct(2) : std::nullopt;
  const auto insert = data ? data->Struct(1) : std::nullopt;
  const auto files = insert ? insert->Find(1) : std::nullopt;
  if (!files || files->type != TType::kList) return "";
  std::string moved;
  wire::Writer writer(&moved);
  for (const wire::Field& field : insert->Fields()) {
    writer.RawField(field.type, static_cast<int16_t>(field.id + 1), field.value);
  }
  writer.Stop();
  const std::string new_data = wire::WithField(data->bytes(), 1, TType::kStruct, moved);
  const std::string new_request = wire::WithField(request->bytes(), 2, TType::kStruct, new_data);
  return wire::WithField(arguments, 1, TType::kStruct, new_request);
}

}  // namespace catalogd::hms
