#include "catalog/base/secrets.h"

#include <algorithm>

#include "catalog/base/names.h"

namespace catalogd {

bool LooksSecret(std::string_view name) {
  // Written with dots, dashes, underscores or without: all are taken out before the comparison.
  static constexpr std::string_view kWords[] = {
      "secret",    "password", "passwd",     "passphrase", "token",     "credential",
      "accesskey", "apikey",   "privatekey", "accountkey", "sharedkey", "authkey"};
  std::string plain = NormalizeName(name);
  std::erase_if(plain, [](char c) { return c == '.' || c == '-' || c == '_' || c == ' '; });
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return plain.find(word) != std::string::npos; });
}

std::string WithoutUserInfo(std::string_view text) {
  constexpr std::string_view kBegin = "://";
  std::string out;
  for (;;) {
    const size_t begin = text.find(kBegin);
    if (begin == std::string_view::npos) return out.append(text);
    out.append(text.substr(0, begin + kBegin.size()));
    text.remove_prefix(begin + kBegin.size());
    const std::string_view authority = text.substr(0, text.find_first_of("/?# \t\r\n\"',;<>"));
    const size_t at = authority.rfind('@');
    if (at == std::string_view::npos ||
        authority.substr(0, at).find(':') == std::string_view::npos) {
      continue;
    }
    out.append(kHidden);
    text.remove_prefix(at);
  }
}

}  // namespace catalogd
