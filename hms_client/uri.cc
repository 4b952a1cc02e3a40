#include "hms_client/uri.h"

#include <algorithm>
#include <charconv>

#include "catalog/base/secrets.h"

namespace catalogd::hms {
namespace {

constexpr std::string_view kScheme = "thrift://";
constexpr std::string_view kExample = "; write it like thrift://host:9083";

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

tl::unexpected<Error> Wrong(std::string_view uri, std::string_view why) {
  return MakeError(ErrorCode::kInvalidArgument, "metastore address '" + WithoutUserInfo(uri) +
                                                    "': " + std::string(why) +
                                                    std::string(kExample));
}

Result<uint16_t> ParsePort(std::string_view uri, std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) {
    return Wrong(uri, "the port '" + std::string(text) + "' is not a number from 1 to 65535");
  }
  return port;
}

// What stands behind the host: nothing or ":port".
Result<Address> WithPort(std::string_view uri, std::string_view host, std::string_view rest) {
  Address address;
  address.host = std::string(host);
  if (host.empty()) return Wrong(uri, "there is no host");
  if (host.find('@') != std::string_view::npos) {
    return Wrong(uri, "a user in front of the host makes no sense here");
  }
  if (host.find_first_of(" \t?#") != std::string_view::npos) {
    return Wrong(uri, "the host '" + std::string(host) + "' has a character that no host has");
  }
  if (rest.empty()) return address;
  if (rest.front() != ':') return Wrong(uri, "there is text behind the host");
  ASSIGN_OR_RETURN(address.port, ParsePort(uri, rest.substr(1)));
  return address;
}

Result<Address> ParseOne(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return Wrong(uri, "it does not begin with thrift://");
  std::string_view rest = uri.substr(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find('/') != std::string_view::npos) return Wrong(uri, "a path makes no sense here");
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos) return Wrong(uri, "the bracket is not closed");
    return WithPort(uri, rest.substr(1, close - 1), rest.substr(close + 1));
  }
  // Told before a port is looked for, which would put a password into words.
  if (rest.find('@') != std::string_view::npos) return WithPort(uri, rest, {});
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return WithPort(uri, rest, {});
  if (rest.find(':', colon + 1) != std::string_view::npos) {
    return Wrong(uri, "an IPv6 address needs brackets, as in thrift://[::1]:9083");
  }
  return WithPort(uri, rest.substr(0, colon), rest.substr(colon));
}

}  // namespace

std::string Address::ToString() const {
  const bool v6 = host.find(':') != std::string::npos;
  return std::string(kScheme) + (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<std::vector<Address>> ParseMetastoreUris(std::string_view text) {
  std::vector<Address> addresses;
  size_t from = 0;
  while (from <= text.size()) {
    const size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view part = Trimmed(text.substr(from, comma - from));
    from = comma + 1;
    if (part.empty() && Trimmed(text).empty()) break;
    if (part.empty()) return Wrong(text, "there is nothing between two commas or behind the last");
    ASSIGN_OR_RETURN(Address address, ParseOne(part));
    if (std::find(addresses.begin(), addresses.end(), address) == addresses.end()) {
      addresses.push_back(std::move(address));
    }
  }
  if (addresses.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "no metastore address given" + std::string(kExample));
  }
  return addresses;
}

}  // namespace catalogd::hms
