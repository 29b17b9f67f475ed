// ggufcheck.h for C++11 and later: objects that free themselves, and
// exceptions.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUFCHECK_HPP_
#define GGUFCHECK_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ggufcheck.h"

namespace ggufcheck {

// A wrong option, or an environment in which a check is not possible.
struct Error : std::runtime_error {
  Error() : std::runtime_error(ggufcheck_last_error()) {}
};

class Options {
 public:
  Options() : options_(ggufcheck_options_new(), ggufcheck_options_free) {
    if (!options_) throw Error();
  }
  // As ggufcheck_options_set().
  Options& Set(const std::string& name, const std::string& value) {
    if (ggufcheck_options_set(options_.get(), name.c_str(), value.c_str())) {
      throw Error();
    }
    return *this;
  }
  const ggufcheck_options* get() const { return options_.get(); }

 private:
  std::unique_ptr<ggufcheck_options, void (*)(ggufcheck_options*)> options_;
};

class Report {
 public:
  // Takes over the result of a function.
  explicit Report(ggufcheck_report* report)
      : report_(report, ggufcheck_report_free) {
    if (!report_) throw Error();
  }

  const char* result() const { return ggufcheck_report_result(report_.get()); }
  bool ok() const { return std::string(result()) == "pass"; }
  const char* json() const { return ggufcheck_report_json(report_.get()); }

  // Refer to this object.
  std::vector<ggufcheck_finding> findings() const {
    std::vector<ggufcheck_finding> all;
    const std::size_t count = ggufcheck_report_count(report_.get());
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back(*ggufcheck_report_finding(report_.get(), i));
    }
    return all;
  }

 private:
  std::unique_ptr<ggufcheck_report, void (*)(ggufcheck_report*)> report_;
};

// As the functions of ggufcheck.h.
inline Report CheckFile(const std::string& path,
                        const Options& options = Options()) {
  return Report(ggufcheck_check_file(path.c_str(), options.get()));
}

inline Report CheckBuffer(const void* data, std::size_t size,
                          const std::string& name = "",
                          const Options& options = Options()) {
  return Report(
      ggufcheck_check_buffer(data, size, name.c_str(), options.get()));
}

}  // namespace ggufcheck

#endif  // GGUFCHECK_HPP_
