#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace catalogd::testing {

// A directory of one test alone, gone with it. Thread safety: none. Errors: a test without a
// directory cannot go on: std::system_error.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    // mkdtemp replaces the six letters.
    const std::string letters(6, 'X');
    std::string name =
        (std::filesystem::temp_directory_path() / ("catalogd-test-" + letters)).string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), name);
    }
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // A file with that text; its path is returned.
  [[nodiscard]] std::string Write(const std::string& name, const std::string& text) const {
    std::string file = *this / name;
    std::ofstream(file) << text;
    return file;
  }

 private:
  std::string path_;
};

}  // namespace catalogd::testing
