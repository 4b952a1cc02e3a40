#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hms_client/metastore.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

// Lists of objects for which older metastores have no call: their names first, then one by one.
// What is dropped in between is left out, as if it had been before. Pure.
namespace catalogd::endpoint {

class EachCall {
 public:
  // Absent for other methods, and for what this metastore cannot be asked.
  static std::optional<EachCall> Of(const wire::MessageHeader& header,
                                    const wire::StructView& arguments, hms::Generation generation);

  // The call for the names.
  [[nodiscard]] const std::string& list() const { return list_; }
  // The names in its answer. Absent: an error, which is that of the whole (`Failed`).
  [[nodiscard]] static std::optional<std::vector<std::string>> Names(std::string_view reply);
  // The call for one.
  [[nodiscard]] std::string One(std::string_view name) const;
  // Takes its answer. False: an error, which is that of the whole.
  bool Add(std::string_view reply);

  [[nodiscard]] std::string Failed(std::string_view reply) const;
  // All that was added.
  [[nodiscard]] std::string Answer() const;

 private:
  struct Row;
  static const Row* RowOf(std::string_view method);

  const Row* row_ = nullptr;
  wire::MessageHeader header_;
  hms::Generation generation_ = hms::Generation::kUnknown;
  std::string_view catalog_;
  std::string_view db_;
  std::string list_;
  std::string objects_;
  size_t count_ = 0;
};

}  // namespace catalogd::endpoint
