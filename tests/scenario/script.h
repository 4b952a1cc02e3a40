#pragma once

#include <string>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd::scenario {

// One line of a script, with the indented lines below it when it ends in a colon.
struct Command {
  int line = 0;  // In the file, from 1.
  std::string text;
  std::vector<Command> nested;
};

// Commands that share one golden output.
struct Block {
  int line = 0;
  std::string source;  // Everything up to the separator, comments too: written back as it is.
  std::vector<Command> commands;
  std::string golden;  // Lines that end in '\n'.
};

// A script file: comments, then blocks of
//
//   command
//   another command
//   ----
//   what both print
//
// that end with an empty line. Lines that begin with '#' are comments.
struct Script {
  std::vector<Block> blocks;
  std::string tail;  // Comments behind the last block.
};

// kInvalidArgument with the line.
Result<Script> ParseScript(const std::string& text);
// The same file with these outputs, one for each block.
std::string WriteScript(const Script& script, const std::vector<std::string>& outputs);

// Blanks part words; double or single quotes keep them together: k="a b". No escapes.
std::vector<std::string> Words(const std::string& text);

}  // namespace catalogd::scenario
