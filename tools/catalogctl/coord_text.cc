#include "tools/catalogctl/coord_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/catalogctl/text.h"

namespace catalogd::ctl {
namespace {

using nlohmann::json;

std::string Cell(const json& value);

std::string Joined(const json& list) {
  std::string text;
  for (const json& element : list) text += (text.empty() ? "" : ", ") + Cell(element);
  return text;
}

std::string Pairs(const json& object) {
  std::string text;
  for (const auto& [key, value] : object.items()) {
    text += (text.empty() ? "" : ", ") + key + "=" + Cell(value);
  }
  return text;
}

std::string Cell(const json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_array()) return Joined(value);
  if (value.is_object()) return Pairs(value);
  return value.dump();
}

bool SaysSomething(const json& value) {
  if (value.is_null()) return false;
  if (value.is_string() || value.is_structured()) return !value.empty() && value != "";
  return true;
}

}  // namespace

std::string JsonTable(const json& list, const std::vector<std::string>& columns) {
  std::vector<std::vector<std::string>> rows;
  for (const json& object : list) {
    std::vector<std::string> row;
    for (const std::string& column : columns) row.push_back(Cell(object.value(column, json())));
    rows.push_back(std::move(row));
  }
  return Table(columns, rows);
}

std::string JsonLines(const json& object) {
  size_t width = 0;
  for (const auto& [key, value] : object.items()) width = std::max(width, key.size());
  std::string text;
  for (const auto& [key, value] : object.items()) {
    if (SaysSomething(value)) text += fmt::format("{:<{}}  {}\n", key, width, Cell(value));
  }
  return text;
}

}  // namespace catalogd::ctl
