#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/daemon/operations.h"
#include "catalog/daemon/views.h"

namespace catalogd::daemon {

struct ThriftCall;

// The service of catalogd.thrift: decodes a call, lets views and operations answer it, encodes the
// answer. A door to generated code: its exceptions end here.
//
// Not the generated processor: that one answers on the calling thread, and a wait may take minutes.
// Thread safety: yes.
// Errors: arguments that cannot be decoded are a TApplicationException; everything else is a
// CatalogdError.
class ThriftService {
 public:
  ThriftService(const ViewSources* sources, Operations* operations);

  // "catalogd_status", ...
  [[nodiscard]] std::vector<std::string> methods() const;

  using Reply = std::function<void(std::string)>;
  // Answers one whole, checked message; `reply` is called once, perhaps at once, perhaps later on
  // another thread.
  void Handle(std::string_view message, Reply reply) const;

 private:
  void AddLooks();
  void AddActs();

  const ViewSources* const sources_;
  Operations* const operations_;
  std::map<std::string, std::function<void(ThriftCall)>, std::less<>> methods_;
};

}  // namespace catalogd::daemon
