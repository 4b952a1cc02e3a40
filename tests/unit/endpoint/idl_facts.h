#pragma once

#include <zlib.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace catalogd::testing {

// The facts table of the metastore's protocol, as tests compare with it.
struct IdlFacts {
  struct Field {
    int id = 0;
    std::string name;
    std::string type;
  };
  std::set<std::string> methods;
  std::map<std::string, std::string> since;             // By method: the first version that has it.
  std::map<std::string, std::vector<Field>> arguments;  // By method.
  std::map<std::string, std::vector<Field>> fields;     // By struct; several rows per id possible.
  // By method and exception: all ids at which some version declares it.
  std::map<std::string, std::map<std::string, std::set<int>>> throws;

  [[nodiscard]] static const Field* Find(const std::vector<Field>& fields, int id) {
    // Later rows are of newer versions.
    const auto it = std::find_if(fields.rbegin(), fields.rend(),
                                 [id](const Field& field) { return field.id == id; });
    return it == fields.rend() ? nullptr : &*it;
  }

  static IdlFacts Load() {
    std::string text;
    gzFile file = gzopen(CATALOGD_IDL_FACTS, "rb");
    std::string block(1U << 16U, '\0');
    for (int n = 0; file != nullptr &&
                    (n = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;) {
      text.append(block, 0, static_cast<size_t>(n));
    }
    if (file != nullptr) gzclose(file);
    IdlFacts facts;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) facts.Add(line);
    return facts;
  }

 private:
  void Add(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    if (cells.size() < 5) return;
    const std::string& kind = cells[0];
    const std::string& owner = cells[1];
    const Field field{std::atoi(cells[2].c_str()), cells[3], cells[4]};
    if (kind == "method_result" || kind == "fb303_method_result") {
      methods.insert(owner);
      const std::string first = cells.size() > 7 ? cells[7] : "";
      const auto known = since.emplace(owner, first).first;
      known->second = std::min(known->second, first);
    }
    if (kind == "method_arg" || kind == "fb303_method_arg") arguments[owner].push_back(field);
    if (kind == "struct_field") fields[owner].push_back(field);
    if (kind == "method_throws") throws[owner][field.type].insert(field.id);
  }
};

}  // namespace catalogd::testing
