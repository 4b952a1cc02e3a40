#pragma once

#include <string>

namespace catalogd {

// Text that may hold foreign bytes, made fit for clients, logs and pages: of what is not UTF-8,
// each broken character becomes U+FFFD, as the metastore's Java does. Valid text stays as it is.
// Thread safety: pure function.
std::string ValidUtf8(std::string text);

}  // namespace catalogd
