#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/base/random.h"

// Deterministic damage for the corpus runs.
namespace catalogd::fuzz {

// `input` with one to four changes: bits, bytes, runs cut, doubled, swapped for a piece of another
// seed, or numbers that tend to break length checks.
inline std::string Mutate(std::string input, const std::vector<std::string>& seeds,
                          Random* random) {
  static const std::vector<std::string> kNasty = {std::string(4, '\xff'),
                                                  std::string("\x7f\xff\xff\xff", 4),
                                                  std::string("\x80\0\0\0", 4),
                                                  std::string(4, '\0'),
                                                  "\\",
                                                  "\"",
                                                  "\\\"",
                                                  "\\\\\\\"",
                                                  "\\u",
                                                  "\\ud83d",
                                                  "{",
                                                  "[",
                                                  "9223372036854775808",
                                                  "-1"};
  const uint64_t changes = 1 + random->Below(4);
  for (uint64_t i = 0; i < changes; ++i) {
    if (input.empty()) input = seeds[random->Below(seeds.size())];
    if (input.empty()) return input;
    const size_t at = random->Below(input.size());
    const size_t length = 1 + random->Below(8);
    switch (random->Below(7)) {
      case 0:
        input[at] =
            static_cast<char>(static_cast<unsigned char>(input[at]) ^ (1U << random->Below(8)));
        break;
      case 1:
        input[at] = static_cast<char>(random->Next());
        break;
      case 2:
        input.erase(at, length);
        break;
      case 3:
        input.insert(at, input.substr(at, length));
        break;
      case 4:
        input.replace(at, length, kNasty[random->Below(kNasty.size())]);
        break;
      case 5: {
        const std::string& other = seeds[random->Below(seeds.size())];
        if (!other.empty()) input.insert(at, other, random->Below(other.size()), 4 * length);
        break;
      }
      default:
        input.resize(at);
        break;
    }
  }
  return input;
}

}  // namespace catalogd::fuzz
