#include "tests/replay/idl_facts.h"

#include <charconv>

#include "tests/replay/json_lines.h"

namespace catalogd::replay {

namespace {

std::vector<std::string> Cells(std::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    const size_t tab = line.find('\t');
    cells.emplace_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return cells;
    line.remove_prefix(tab + 1);
  }
}

// Lines come oldest shape first; one that still exists ends without a last version.
void Add(const std::vector<std::string>& cells, int16_t id, IdlFacts::Fields* fields) {
  (*fields)[cells[3]] = {id, cells[4]};
}

}  // namespace

Status IdlFacts::AddLine(std::string_view line) {
  const std::vector<std::string> cells = Cells(line);
  if (cells.size() != 9) return MakeError(ErrorCode::kCorrupt, "not nine columns");
  const std::string& kind = cells[0];
  if (kind == "enum_value") enums_.insert(cells[1]);
  int id = 0;
  const auto [end, error] = std::from_chars(cells[2].data(), cells[2].data() + cells[2].size(), id);
  if (error != std::errc() || end != cells[2].data() + cells[2].size()) return Ok();
  const auto field = static_cast<int16_t>(id);
  if (kind == "struct_field" || kind == "union_field") Add(cells, field, &structs_[cells[1]]);
  if (kind == "method_arg") Add(cells, field, &arguments_[cells[1]]);
  if (kind == "method_result") arguments_.try_emplace(cells[1]);
  if (kind == "method_throws") exceptions_[cells[1]][field] = cells[4];
  return Ok();
}

Result<IdlFacts> IdlFacts::Read(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  IdlFacts facts;
  std::string_view rest = text;
  for (size_t number = 1; !rest.empty(); ++number) {
    const size_t end = rest.find('\n');
    Status status = facts.AddLine(rest.substr(0, end));
    if (!status) {
      return AsError(std::move(status).error().WithContext(path + ":" + std::to_string(number)));
    }
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return facts;
}

const IdlFacts::Fields* IdlFacts::Struct(const std::string& name) const {
  const auto found = structs_.find(name);
  return found == structs_.end() ? nullptr : &found->second;
}

const IdlFacts::Fields* IdlFacts::Arguments(const std::string& method) const {
  const auto found = arguments_.find(method);
  return found == arguments_.end() ? nullptr : &found->second;
}

std::string IdlFacts::ExceptionClass(const std::string& method, int16_t field) const {
  const auto found = exceptions_.find(method);
  if (found == exceptions_.end()) return "";
  const auto one = found->second.find(field);
  return one == found->second.end() ? "" : one->second;
}

}  // namespace catalogd::replay
