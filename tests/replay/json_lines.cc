#include "tests/replay/json_lines.h"

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace catalogd::replay {

using Json = nlohmann::json;

// zlib reads files that are not compressed as they are.
Result<std::string> ReadFile(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) return MakeError(ErrorCode::kNotFound, path + ": cannot be opened");
  std::string all;
  std::string block(1U << 16U, '\0');
  int size = 0;
  while ((size = gzread(file.get(), block.data(), static_cast<unsigned>(block.size()))) > 0) {
    all.append(block, 0, static_cast<size_t>(size));
  }
  if (size < 0) return MakeError(ErrorCode::kCorrupt, path + ": cannot be unpacked");
  return all;
}

Status ForEachLine(const std::string& folder, const std::string& name,
                   const std::function<Status(const Json& line)>& read) {
  std::string path = folder + "/" + name + ".jsonl";
  if (!std::filesystem::exists(path)) path += ".gz";
  ASSIGN_OR_RETURN(const std::string all, ReadFile(path));
  size_t number = 0;
  for (size_t start = 0; start < all.size();) {
    const size_t end = std::min(all.find('\n', start), all.size());
    const Json line = Json::parse(all.begin() + static_cast<std::ptrdiff_t>(start),
                                  all.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    start = end + 1;
    ++number;
    Status status = line.is_object() ? read(line) : MakeError(ErrorCode::kCorrupt, "not an object");
    if (!status) {
      return AsError(std::move(status).error().WithContext(path + ":" + std::to_string(number)));
    }
  }
  return Ok();
}

}  // namespace catalogd::replay
