#include "catalog/cache/partition_template.h"

#include <algorithm>

#include "catalog/base/names.h"
#include "thrift/idl/object_field_ids.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::cache {
namespace {

using wire::TType;

// Collects cuts in the order of the bytes.
class Cutter {
 public:
  Cutter(std::string_view name, std::string_view bytes, CutPartition* cut)
      : name_(name), bytes_(bytes), cut_(cut) {
    cut_->shape.literal.clear();
    cut_->shape.cuts.clear();
    cut_->pieces.clear();
  }

  void Run() {
    auto fields = wire::StructView(bytes_).Begin();
    while (const auto field = fields.Next()) OnField(*field);
    cut_->shape.literal.append(bytes_.substr(done_));
  }

 private:
  void OnField(const wire::Field& field) {
    namespace f = ids::partition;
    if (field.id == f::kValues && field.type == TType::kList) {
      OnValues(field.value);
    } else if (field.id == f::kCreateTime && field.type == TType::kI32) {
      Cut(field.value, CutKind::kCreateTime, field.value);
    } else if (field.id == f::kLastAccessTime && field.type == TType::kI32) {
      Cut(field.value, CutKind::kI32, field.value);
    } else if (field.id == f::kWriteId && field.type == TType::kI64) {
      Cut(field.value, CutKind::kI64, field.value);
    } else if (field.id == f::kSd && field.type == TType::kStruct) {
      auto inner = wire::StructView(field.value).Begin();
      while (const auto part = inner.Next()) {
        if (part->id != ids::storage_descriptor::kLocation || part->type != TType::kString)
          continue;
        Cut(part->value, CutKind::kLocation, wire::DecodeString(part->value));
      }
    } else if (field.id == f::kParameters && field.type == TType::kMap) {
      for (const auto& [key, value] : wire::StringMap(field.value)) {
        // With the length in front, as it lies in the bytes.
        Cut({value.data() - 4, value.size() + 4}, CutKind::kText, value);
      }
    }
  }

  void OnValues(std::string_view value) {
    thread_local std::string expected;
    expected.clear();
    AppendValuesOfName(name_, &expected);
    Cut(value, value == expected ? CutKind::kValuesFromName : CutKind::kBytes, value);
  }

  void Cut(std::string_view range, CutKind kind, std::string_view piece) {
    const auto begin = static_cast<size_t>(range.data() - bytes_.data());
    std::string& literal = cut_->shape.literal;
    literal.append(bytes_.substr(done_, begin - done_));
    cut_->shape.cuts.push_back({static_cast<uint32_t>(literal.size()), kind});
    cut_->pieces.push_back(piece);
    done_ = begin + range.size();
  }

  const std::string_view name_;
  const std::string_view bytes_;
  CutPartition* const cut_;
  size_t done_ = 0;
};

// Calls `visit` with each value of the name, unescaped.
template <class Visit>
void ForEachValue(std::string_view name, const Visit& visit) {
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    name.remove_prefix(std::min(name.size(), part.size() + 1));
    const std::string_view value = part.substr(std::min(part.size(), part.find('=') + 1));
    if (value.find('%') == std::string_view::npos) {
      visit(value);
    } else {
      visit(UnescapePathName(value));
    }
  }
}

}  // namespace

void CutStruct(std::string_view name, std::string_view bytes, CutPartition* cut) {
  Cutter(name, bytes, cut).Run();
}

void ForEachValueOfName(std::string_view name,
                        const std::function<void(std::string_view value)>& visit) {
  ForEachValue(name, visit);
}

void AppendValuesOfName(std::string_view name, std::string* out) {
  wire::Writer writer(out);
  const auto count = name.empty() ? 0 : 1 + std::count(name.begin(), name.end(), '/');
  writer.ListBegin(TType::kString, static_cast<size_t>(count));
  ForEachValue(name, [&writer](std::string_view value) { writer.String(value); });
}

int64_t PlainDecimal(std::string_view text) {
  constexpr size_t kMaxDigits = 18;  // Leaves the bits that the record puts beside the number.
  if (text.empty() || text.size() > kMaxDigits) return -1;
  if (text.front() == '0' && text.size() > 1) return -1;
  int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace catalogd::cache
