#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace catalogd::hms {

struct EmbeddedOptions {
  std::string path;       // Of the SQLite file; ":memory:" for tests.
  std::string warehouse;  // Path or URI under which databases lie by default.
  // Make, move and remove directories of file: locations, as a metastore does.
  bool manage_directories = true;
  // False: a power cut may lose the last commits (never tear them).
  bool full_sync = true;
  // Look through the whole file at start.
  bool check_integrity = true;
  // How long a call waits for another process that is writing to the file.
  std::chrono::milliseconds busy_timeout{2000};
  // Locks and transactions without a heartbeat for so long are over.
  std::chrono::milliseconds lock_timeout = std::chrono::minutes(5);
  // Reading connections kept open.
  size_t idle_readers = 4;
};

}  // namespace catalogd::hms
