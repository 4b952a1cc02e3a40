#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "catalog/base/result.h"
#include "catalog/base/scheduler_hook.h"
#include "catalog/web/web_request.h"

namespace catalogd::web {

struct HttpOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one.
  size_t max_connections = 256;
  uint32_t max_header = 16U << 10U;  // Bytes of request line and header fields.
  // A request must be there, and its answer taken, within this time; an idle connection closes.
  Duration timeout = std::chrono::seconds(30);
};

struct HttpStats {
  uint64_t accepted = 0;
  uint64_t open = 0;
  uint64_t requests = 0;
  uint64_t bad_requests = 0;
  uint64_t refused = 0;  // Over max_connections.
};

// Serves GET and HEAD over HTTP/1.1 on one thread of its own; knows nothing of pages.
//
// Not for: long answers, uploads, TLS. The handler runs on the server's thread and must not block.
// Thread safety: yes. Lifetime: the destructor stops.
// Errors: a request that cannot be understood gets a status and a line of text, and costs its own
// connection; a handler that throws costs its request.
class HttpServer {
 public:
  using Handler = std::function<WebResponse(const WebRequest&)>;

  virtual ~HttpServer() = default;
  // The port that is really listened on.
  [[nodiscard]] virtual uint16_t port() const = 0;
  [[nodiscard]] virtual HttpStats stats() const = 0;
  // Closes everything. Idempotent.
  virtual void Stop() = 0;
};

// kUnavailable when the address cannot be bound (text: address, reason, what to do).
Result<std::unique_ptr<HttpServer>> StartHttpServer(const HttpOptions& options,
                                                    HttpServer::Handler handler);

}  // namespace catalogd::web
