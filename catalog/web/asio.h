#pragma once

// The only door to Boost.Asio and Boost.Beast for this folder. asio/awaitable.hpp of Boost 1.74
// uses std::exchange without including <utility>, so that header comes first.
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
