#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/cache/partition_template.h"

// What the partitions of one chunk share, and the form of what they do not. Internal to partition
// sets.
namespace catalogd::cache {

using TemplatePtr = std::shared_ptr<const PartitionTemplate>;
using TextPtr = std::shared_ptr<const std::string>;

// Makes chunks that are built together share templates and texts.
// Thread safety: none; lives while a set is being built.
class PartitionInterner {
 public:
  void Seed(const TemplatePtr& known);
  TemplatePtr Template(const PartitionTemplate& shape);
  TextPtr Text(std::string_view text);

 private:
  TemplatePtr newest_;
  std::unordered_map<std::string_view, std::vector<TemplatePtr>> templates_;  // By literal.
  std::unordered_map<std::string_view, TextPtr> texts_;
};

// One struct that has been cut, its template known by number.
struct EncodablePartition {
  std::string_view name;
  uint64_t template_id = 0;
  size_t first_piece = 0;
};

// Templates and often repeated texts by number, and bodies in terms of them: the template's number,
// then for each cut what CutKind says. Numbers are only added, so bodies stay valid in copies.
// Thread safety: as a plain value.
class PartitionDictionary {
 public:
  // For a number of structs at once: cuts them, and chooses the texts worth a number.
  std::vector<EncodablePartition> CutAll(const std::vector<std::string_view>& names,
                                         const std::vector<std::string_view>& structs,
                                         PartitionInterner* interner,
                                         std::vector<std::string_view>* pieces);
  void Encode(const EncodablePartition& partition, const std::vector<std::string_view>& pieces,
              std::string* out);
  // For one that joins the others later.
  void EncodeOne(std::string_view name, std::string_view bytes, std::string* out);

  // Appends the struct.
  void Expand(std::string_view name, std::string_view body, std::string* out) const;
  // Whether the struct's values are exactly those of its name.
  [[nodiscard]] bool HasValuesOfName(std::string_view body) const;

  [[nodiscard]] const std::vector<TemplatePtr>& templates() const { return templates_; }
  [[nodiscard]] const std::vector<TextPtr>& texts() const { return texts_; }

 private:
  void ChooseTexts(const std::vector<EncodablePartition>& partitions,
                   const std::vector<std::string_view>& pieces, PartitionInterner* interner);
  uint64_t TemplateId(const PartitionTemplate& shape, PartitionInterner* interner);
  // The number of a text + 1; 0: it has none.
  [[nodiscard]] uint64_t TextId(std::string_view text) const;
  [[nodiscard]] uint64_t LongestPrefixId(std::string_view text) const;
  void EncodeText(std::string_view text, int64_t create_time, std::string* out) const;
  void EncodeLocation(std::string_view location, std::string_view name, std::string* out);
  void ExpandText(std::string_view* body, int64_t create_time, std::string* out) const;
  void ExpandLocation(std::string_view* body, std::string_view name, std::string* out) const;

  std::vector<TemplatePtr> templates_;
  std::vector<TextPtr> texts_;
};

}  // namespace catalogd::cache
