#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// How a Partition struct is cut into what many partitions share and what is its own. Internal to
// partition sets.
namespace catalogd::cache {

enum class CutKind : uint8_t {
  kValuesFromName,  // list<string> whose elements are those of the name: nothing is kept.
  kBytes,           // Anything, kept as it is.
  kCreateTime,      // i32; times among the parameters are kept as distances from it.
  kI32,
  kI64,
  kText,      // string
  kLocation,  // string, most often a prefix that others share, '/', and the name.
};

// The bytes of a struct without the values that differ between partitions: columns, serde, formats,
// database and table name, parameter keys, fields that nobody has heard of. Shared by all
// partitions that agree in them. Thread safety: plain value.
struct PartitionTemplate {
  struct Cut {
    uint32_t at = 0;  // Offset in `literal` at which the value was.
    CutKind kind = CutKind::kBytes;
    friend bool operator==(const Cut&, const Cut&) = default;
  };
  std::string literal;
  std::vector<Cut> cuts;
  friend bool operator==(const PartitionTemplate&, const PartitionTemplate&) = default;
};

// A struct that has been cut. Joining the literal and the pieces gives back its bytes exactly,
// whatever they are: what is not understood stays in the literal.
struct CutPartition {
  PartitionTemplate shape;
  // One per cut: for kText and kLocation the text without its length, else the encoded value.
  // Borrowed from the struct.
  std::vector<std::string_view> pieces;
};

// Reuses the memory of `cut`.
void CutStruct(std::string_view name, std::string_view bytes, CutPartition* cut);

// Calls `visit` with each value of a partition's name, unescaped.
void ForEachValueOfName(std::string_view name,
                        const std::function<void(std::string_view value)>& visit);

// The encoded list<string> of a partition name's values is appended.
void AppendValuesOfName(std::string_view name, std::string* out);

// The number that a text is the plain decimal form of; negative when it is none, or too great to
// be kept as one.
int64_t PlainDecimal(std::string_view text);

}  // namespace catalogd::cache
