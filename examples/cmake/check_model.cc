// check_model FILE: prints what is wrong with a model; exits with 1 if it is.
//
// SPDX-License-Identifier: Apache-2.0

#include <exception>
#include <ggufcheck.hpp>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    ggufcheck::Options options;
    options.Set("weights", "true").Set("limit-seconds", "60");
    const ggufcheck::Report report = ggufcheck::CheckFile(argv[1], options);
    for (const ggufcheck_finding& finding : report.findings()) {
      std::cout << finding.severity << " at " << finding.offset << ": " << finding.subject << " "
                << finding.message << " (" << finding.rule << ")\n";
    }
    std::cout << argv[1] << ": " << report.result() << "\n";
    return report.ok() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 3;
  }
}
