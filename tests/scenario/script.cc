#include "tests/scenario/script.h"

#include <sstream>

namespace catalogd::scenario {
namespace {

constexpr const char* kSeparator = "----";

size_t IndentOf(const std::string& line) {
  const size_t at = line.find_first_not_of(' ');
  return at == std::string::npos ? 0 : at;
}

bool IsBlank(const std::string& line) { return line.find_first_not_of(' ') == std::string::npos; }

Error At(int line, const std::string& text) {
  return {ErrorCode::kInvalidArgument, "line " + std::to_string(line) + ": " + text};
}

// The open command lists, from the outermost on, by indentation.
class Nesting {
 public:
  explicit Nesting(std::vector<Command>* top) : levels_{{0, top}} {}

  Status Add(int number, const std::string& line) {
    const size_t indent = IndentOf(line);
    while (levels_.size() > 1 && indent < levels_.back().indent) levels_.pop_back();
    if (indent > levels_.back().indent) {
      if (levels_.back().list->empty() || levels_.back().list->back().text.back() != ':') {
        return AsError(At(number, "indented, but the line above does not end in a colon"));
      }
      levels_.push_back({indent, &levels_.back().list->back().nested});
    }
    levels_.back().list->push_back({number, line.substr(indent), {}});
    return Ok();
  }

 private:
  struct Level {
    size_t indent;
    std::vector<Command>* list;
  };
  std::vector<Level> levels_;
};

Status ReadCommands(Block* block) {
  Nesting nesting(&block->commands);
  std::istringstream lines(block->source);
  std::string line;
  for (int number = block->line; std::getline(lines, line); ++number) {
    if (IsBlank(line) || line[IndentOf(line)] == '#') continue;
    RETURN_IF_ERROR(nesting.Add(number, line));
  }
  if (block->commands.empty()) return AsError(At(block->line, "a separator without commands"));
  return Ok();
}

}  // namespace

Result<Script> ParseScript(const std::string& text) {
  Script script;
  Block block;
  block.line = 1;
  bool in_golden = false;
  std::istringstream lines(text);
  std::string line;
  int number = 0;
  while (std::getline(lines, line)) {
    ++number;
    if (in_golden && IsBlank(line)) {
      script.blocks.push_back(std::move(block));
      block = Block();
      block.line = number + 1;
      in_golden = false;
    } else if (in_golden) {
      block.golden += line + "\n";
    } else if (line == kSeparator) {
      RETURN_IF_ERROR(ReadCommands(&block));
      in_golden = true;
    } else {
      block.source += line + "\n";
    }
  }
  if (in_golden) {
    script.blocks.push_back(std::move(block));
    return script;
  }
  script.tail = block.source;
  for (std::istringstream rest(script.tail); std::getline(rest, line);) {
    if (!IsBlank(line) && line[0] != '#') {
      return AsError(At(block.line, "commands at the end without a separator"));
    }
  }
  return script;
}

std::string WriteScript(const Script& script, const std::vector<std::string>& outputs) {
  std::string text;
  for (size_t i = 0; i < script.blocks.size(); ++i) {
    if (i > 0) text += "\n";
    text += script.blocks[i].source + kSeparator + "\n" + outputs[i];
  }
  if (!script.tail.empty()) text += "\n" + script.tail;
  return text;
}

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  bool open = false;  // A word has begun.
  char quote = 0;     // The one that is open.
  for (const char c : text) {
    if (c == ' ' && quote == 0) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace catalogd::scenario
