#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string_view>

#include "thrift/wire/view.h"

namespace catalogd::sync {

// The fields of one struct, found in one pass: StructView::Find walks over whatever lies before the
// field each time, and in a table that is its columns.
// Thread safety: a pure value over borrowed memory, like StructView.
class StructFields {
 public:
  explicit StructFields(std::string_view bytes) {
    auto fields = wire::StructView(bytes).Begin();
    while (const auto field = fields.Next()) {
      const bool indexed = field->id >= 0 && field->id < kIndexed;
      if (indexed && at_[static_cast<size_t>(field->id)] == 0 && fields_.size() < kIndexed) {
        at_[static_cast<size_t>(field->id)] = static_cast<uint8_t>(fields_.size() + 1);
      }
      fields_.push_back(*field);
    }
  }

  // In wire order.
  [[nodiscard]] auto begin() const { return fields_.begin(); }
  [[nodiscard]] auto end() const { return fields_.end(); }
  // The first field with that id, whatever its type; null when there is none.
  // REQUIRES: 0 <= id < 64.
  [[nodiscard]] const wire::Field* Find(int16_t id) const {
    const uint8_t at = at_[static_cast<size_t>(id)];
    return at == 0 ? nullptr : &fields_[at - 1];
  }
  // The same if it has that type.
  [[nodiscard]] const wire::Field* Find(int16_t id, wire::TType type) const {
    const wire::Field* field = Find(id);
    return field != nullptr && field->type == type ? field : nullptr;
  }

 private:
  static constexpr int16_t kIndexed = 64;
  std::array<uint8_t, kIndexed> at_{};  // Index into fields_ plus one.
  boost::container::small_vector<wire::Field, 24> fields_;
};

}  // namespace catalogd::sync
