#include "catalog/endpoint/client_filter.h"

#include "hms_client/filter/like_dialect.h"
#include "thrift/wire/write.h"

namespace catalogd::endpoint {
namespace {

using hms::LikeDialect;
using wire::StructView;
using wire::TType;

// The struct with another text in one of its fields.
std::string WithText(const StructView& fields, int16_t id, std::string_view text) {
  std::string value;
  wire::Writer(&value).String(text);
  return wire::WithField(fields.bytes(), id, TType::kString, value);
}

}  // namespace

std::optional<LikeDialect> DialectOf(hms::Generation generation) {
  switch (generation) {
    case hms::Generation::kHive2:
    case hms::Generation::kHive3:
      return LikeDialect::kJavaRegex;
    case hms::Generation::kHive4:
      return LikeDialect::kSql;
    case hms::Generation::kUnknown:
      break;
  }
  return std::nullopt;
}

std::optional<LikeDialect> ForeignDialect(const MethodRow& row, ClientRelease release,
                                          hms::Generation generation) {
  if (row.filter == 0 || release == ClientRelease::kUnknown) return std::nullopt;
  const auto like = DialectOf(generation);
  const LikeDialect written =
      release == ClientRelease::kHive4 ? LikeDialect::kSql : LikeDialect::kJavaRegex;
  if (!like || *like == written) return std::nullopt;
  return written;
}

std::optional<std::string> FilterForServer(const MethodRow& row, const StructView& arguments,
                                           ClientRelease release, hms::Generation generation) {
  const auto written = ForeignDialect(row, release, generation);
  if (!written) return std::nullopt;
  const auto fields = row.read.request ? arguments.Struct(1) : arguments;
  const auto filter = fields ? fields->String(row.filter) : std::nullopt;
  if (!filter) return std::nullopt;
  const auto said = hms::FilterInDialect(*filter, *written, *DialectOf(generation));
  if (!said) return std::nullopt;
  const std::string changed = WithText(*fields, row.filter, *said);
  return row.read.request ? wire::WithField(arguments.bytes(), 1, TType::kStruct, changed)
                          : changed;
}

}  // namespace catalogd::endpoint
