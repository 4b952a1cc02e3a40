#include "catalog/cache/partition_dictionary.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "catalog/cache/varint.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::cache {
namespace {

constexpr size_t kMaxTexts = 64;
// So many more may be added one by one afterwards.
constexpr size_t kMaxTextsLater = 16;
constexpr size_t kMinText = 3;

// How a text is kept: the low two bits of the number that stands for it.
enum TextForm : uint64_t {
  kNumber = 0,      // It is the plain decimal form of the number.
  kDictionary = 1,  // Number of the text.
  kRaw = 2,         // Length; the text follows.
  kTime = 3,        // It is the decimal form of a time: distance from the creation time.
};
constexpr int64_t kFarFromCreation = 1 << 20;  // Seconds; beyond it the distance saves nothing.

// The part of a location before "/" and the name; nothing when it does not end so.
std::string_view BeforeName(std::string_view location, std::string_view name) {
  if (location.size() <= name.size() || !location.ends_with(name)) return {};
  const size_t size = location.size() - name.size() - 1;
  return location[size] == '/' ? location.substr(0, size) : std::string_view();
}

std::string_view CommonPrefix(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return a.substr(0, static_cast<size_t>(end - a.begin()));
}

// How often texts occur, in the order in which they were first seen.
class Tally {
 public:
  void Add(std::string_view text, size_t bytes_saved) {
    const auto [it, added] = index_.emplace(text, saved_.size());
    if (added) saved_.emplace_back(text, 0);
    saved_[it->second].second += bytes_saved;
  }
  // The best ones.
  std::vector<std::string_view> Best(size_t count) {
    std::stable_sort(saved_.begin(), saved_.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string_view> best;
    for (const auto& [text, bytes] : saved_) {
      // Keeping it costs its bytes once.
      if (best.size() < count && bytes > text.size()) best.push_back(text);
    }
    return best;
  }

 private:
  std::unordered_map<std::string_view, size_t> index_;
  std::vector<std::pair<std::string_view, size_t>> saved_;
};

}  // namespace

void PartitionInterner::Seed(const TemplatePtr& known) {
  auto& same = templates_[known->literal];
  if (std::find(same.begin(), same.end(), known) == same.end()) same.push_back(known);
}

TemplatePtr PartitionInterner::Template(const PartitionTemplate& shape) {
  if (newest_ && *newest_ == shape) return newest_;
  if (const auto it = templates_.find(shape.literal); it != templates_.end()) {
    for (const TemplatePtr& known : it->second) {
      if (*known == shape) return newest_ = known;
    }
  }
  newest_ = std::make_shared<const PartitionTemplate>(shape);
  Seed(newest_);
  return newest_;
}

TextPtr PartitionInterner::Text(std::string_view text) {
  const auto it = texts_.find(text);
  if (it != texts_.end()) return it->second;
  auto added = std::make_shared<const std::string>(text);
  texts_.emplace(*added, added);
  return added;
}

std::vector<EncodablePartition> PartitionDictionary::CutAll(
    const std::vector<std::string_view>& names, const std::vector<std::string_view>& structs,
    PartitionInterner* interner, std::vector<std::string_view>* pieces) {
  std::vector<EncodablePartition> partitions;
  partitions.reserve(names.size());
  pieces->clear();
  CutPartition cut;
  for (size_t i = 0; i < names.size(); ++i) {
    CutStruct(names[i], structs[i], &cut);
    partitions.push_back({names[i], TemplateId(cut.shape, interner), pieces->size()});
    pieces->insert(pieces->end(), cut.pieces.begin(), cut.pieces.end());
  }
  ChooseTexts(partitions, *pieces, interner);
  return partitions;
}

void PartitionDictionary::ChooseTexts(const std::vector<EncodablePartition>& partitions,
                                      const std::vector<std::string_view>& pieces,
                                      PartitionInterner* interner) {
  Tally tally;
  std::string_view common;  // Of all locations that do not end with their name.
  size_t others = 0;
  for (const EncodablePartition& partition : partitions) {
    const auto& cuts = templates_[partition.template_id]->cuts;
    for (size_t i = 0; i < cuts.size(); ++i) {
      const std::string_view piece = pieces[partition.first_piece + i];
      if (cuts[i].kind == CutKind::kText && piece.size() >= kMinText && PlainDecimal(piece) < 0) {
        tally.Add(piece, piece.size());
      } else if (cuts[i].kind == CutKind::kLocation) {
        const std::string_view prefix = BeforeName(piece, partition.name);
        if (!prefix.empty()) {
          tally.Add(prefix, piece.size() + 1);
          continue;
        }
        const std::string_view parent = piece.substr(0, piece.rfind('/') + 1);
        if (parent.size() >= kMinText) tally.Add(parent, parent.size());
        common = others++ == 0 ? piece : CommonPrefix(common, piece);
      }
    }
  }
  if (others > 1 && common.size() >= kMinText) tally.Add(common, common.size() * others);
  for (const std::string_view text : tally.Best(kMaxTexts)) {
    texts_.push_back(interner->Text(text));
  }
}

uint64_t PartitionDictionary::TemplateId(const PartitionTemplate& shape,
                                         PartitionInterner* interner) {
  TemplatePtr found;
  if (interner != nullptr) found = interner->Template(shape);
  // From the back: the newest ones are the likeliest.
  for (size_t i = templates_.size(); i > 0; --i) {
    const TemplatePtr& known = templates_[i - 1];
    if (interner != nullptr ? known == found : *known == shape) return i - 1;
  }
  if (!found) found = std::make_shared<const PartitionTemplate>(shape);
  templates_.push_back(std::move(found));
  return templates_.size() - 1;
}

uint64_t PartitionDictionary::TextId(std::string_view text) const {
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (*texts_[i] == text) return i + 1;
  }
  return 0;
}

uint64_t PartitionDictionary::LongestPrefixId(std::string_view text) const {
  uint64_t best = 0;
  size_t size = 0;
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (texts_[i]->size() <= size || !text.starts_with(*texts_[i])) continue;
    size = texts_[i]->size();
    best = i + 1;
  }
  return best;
}

void PartitionDictionary::EncodeOne(std::string_view name, std::string_view bytes,
                                    std::string* out) {
  thread_local CutPartition cut;
  CutStruct(name, bytes, &cut);
  Encode({name, TemplateId(cut.shape, nullptr), 0}, cut.pieces, out);
}

void PartitionDictionary::Encode(const EncodablePartition& partition,
                                 const std::vector<std::string_view>& pieces, std::string* out) {
  PutVarint(partition.template_id, out);
  int64_t create_time = 0;
  size_t at = partition.first_piece;
  for (const PartitionTemplate::Cut& cut : templates_[partition.template_id]->cuts) {
    const std::string_view piece = pieces[at++];
    switch (cut.kind) {
      case CutKind::kValuesFromName:
        break;
      case CutKind::kBytes:
        PutVarint(piece.size(), out);
        out->append(piece);
        break;
      case CutKind::kCreateTime:
        create_time = wire::DecodeI32(piece);
        PutVarint(ZigZag(create_time), out);
        break;
      case CutKind::kI32:
        PutVarint(ZigZag(wire::DecodeI32(piece)), out);
        break;
      case CutKind::kI64:
        PutVarint(ZigZag(wire::DecodeI64(piece)), out);
        break;
      case CutKind::kText:
        EncodeText(piece, create_time, out);
        break;
      case CutKind::kLocation:
        EncodeLocation(piece, partition.name, out);
        break;
    }
  }
}

void PartitionDictionary::EncodeText(std::string_view text, int64_t create_time,
                                     std::string* out) const {
  if (const int64_t number = PlainDecimal(text); number >= 0) {
    const int64_t distance = number - create_time;
    if (number > kFarFromCreation && std::abs(distance) < kFarFromCreation) {
      PutVarint((ZigZag(distance) << 2U) | kTime, out);
    } else {
      PutVarint((static_cast<uint64_t>(number) << 2U) | kNumber, out);
    }
    return;
  }
  if (text.size() >= kMinText) {
    if (const uint64_t id = TextId(text); id != 0) {
      PutVarint((id << 2U) | kDictionary, out);
      return;
    }
  }
  PutVarint((text.size() << 2U) | kRaw, out);
  out->append(text);
}

// The number of the prefix twice, plus one when "/" and the name follow it; else what follows it.
void PartitionDictionary::EncodeLocation(std::string_view location, std::string_view name,
                                         std::string* out) {
  const std::string_view before_name = BeforeName(location, name);
  if (!before_name.empty()) {
    uint64_t id = TextId(before_name);
    if (id == 0 && texts_.size() < kMaxTexts + kMaxTextsLater) {
      texts_.push_back(std::make_shared<const std::string>(before_name));
      id = texts_.size();
    }
    if (id != 0) {
      PutVarint((id << 1U) | 1U, out);
      return;
    }
  }
  const uint64_t id = LongestPrefixId(location);
  const std::string_view rest = location.substr(id == 0 ? 0 : texts_[id - 1]->size());
  PutVarint(id << 1U, out);
  PutVarint(rest.size(), out);
  out->append(rest);
}

void PartitionDictionary::Expand(std::string_view name, std::string_view body,
                                 std::string* out) const {
  const PartitionTemplate& shape = *templates_[TakeVarint(&body)];
  const std::string_view literal = shape.literal;
  wire::Writer writer(out);
  int64_t create_time = 0;
  size_t done = 0;
  for (const PartitionTemplate::Cut& cut : shape.cuts) {
    writer.Raw(literal.substr(done, cut.at - done));
    done = cut.at;
    switch (cut.kind) {
      case CutKind::kValuesFromName:
        AppendValuesOfName(name, out);
        break;
      case CutKind::kBytes: {
        const size_t size = TakeVarint(&body);
        writer.Raw(TakeBytes(size, &body));
        break;
      }
      case CutKind::kCreateTime:
        create_time = UnZigZag(TakeVarint(&body));
        writer.I32(static_cast<int32_t>(create_time));
        break;
      case CutKind::kI32:
        writer.I32(static_cast<int32_t>(UnZigZag(TakeVarint(&body))));
        break;
      case CutKind::kI64:
        writer.I64(UnZigZag(TakeVarint(&body)));
        break;
      case CutKind::kText:
        ExpandText(&body, create_time, out);
        break;
      case CutKind::kLocation:
        ExpandLocation(&body, name, out);
        break;
    }
  }
  writer.Raw(literal.substr(done));
}

bool PartitionDictionary::HasValuesOfName(std::string_view body) const {
  const auto& cuts = templates_[TakeVarint(&body)]->cuts;
  return std::any_of(cuts.begin(), cuts.end(),
                     [](const auto& cut) { return cut.kind == CutKind::kValuesFromName; });
}

void PartitionDictionary::ExpandText(std::string_view* body, int64_t create_time,
                                     std::string* out) const {
  wire::Writer writer(out);
  const uint64_t tagged = TakeVarint(body);
  const uint64_t number = tagged >> 2U;
  char digits[24];
  int64_t value = static_cast<int64_t>(number);
  switch (static_cast<TextForm>(tagged & 3U)) {
    case kDictionary:
      writer.String(*texts_[number - 1]);
      return;
    case kRaw:
      writer.String(TakeBytes(number, body));
      return;
    case kTime:
      value = create_time + UnZigZag(number);
      break;
    case kNumber:
      break;
  }
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  writer.String({digits, static_cast<size_t>(end - digits)});
}

void PartitionDictionary::ExpandLocation(std::string_view* body, std::string_view name,
                                         std::string* out) const {
  const uint64_t tagged = TakeVarint(body);
  const std::string_view prefix =
      tagged < 2 ? std::string_view() : std::string_view(*texts_[(tagged >> 1U) - 1]);
  const bool derived = (tagged & 1U) != 0;
  const std::string_view rest = derived ? name : TakeBytes(TakeVarint(body), body);
  wire::Writer writer(out);
  writer.I32(static_cast<int32_t>(prefix.size() + rest.size() + (derived ? 1U : 0U)));
  writer.Raw(prefix);
  if (derived) writer.Byte('/');
  writer.Raw(rest);
}

}  // namespace catalogd::cache
