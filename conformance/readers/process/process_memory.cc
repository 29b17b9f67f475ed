// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/process_memory.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gguf::readers {
namespace {

// Returns an empty string if the process is gone.  It may end after the file
// was opened: getline() then fails quietly, where a stream buffer iterator
// would throw.
std::string ReadProc(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');
  return text;
}

// Returns the number after "NAME:" in /proc/PID/status, in KiB, or 0 if there
// is none.
uint64_t StatusKib(absl::string_view status, absl::string_view name) {
  for (absl::string_view line : absl::StrSplit(status, '\n')) {
    if (!absl::ConsumePrefix(&line, name)) continue;
    absl::ConsumeSuffix(&line, " kB");
    uint64_t kib = 0;
    return absl::SimpleAtoi(absl::StripAsciiWhitespace(line), &kib) ? kib : 0;
  }
  return 0;
}

}  // namespace

uint64_t TreeMemory(pid_t pid) {
  constexpr size_t kMostProcesses = 1000;  // The others are not counted.
  uint64_t kib = 0;
  std::vector<pid_t> tree = {pid};
  for (size_t i = 0; i < tree.size() && i < kMostProcesses; ++i) {
    const std::string folder = absl::StrCat("/proc/", tree[i]);
    kib += StatusKib(ReadProc(folder + "/status"), "RssAnon:");
    const std::string children =
        ReadProc(absl::StrCat(folder, "/task/", tree[i], "/children"));
    for (absl::string_view word :
         absl::StrSplit(children, ' ', absl::SkipEmpty())) {
      pid_t child;
      if (absl::SimpleAtoi(word, &child)) tree.push_back(child);
    }
  }
  return kib << 10;
}

uint64_t PeakMemoryKib(pid_t pid) {
  return StatusKib(ReadProc(absl::StrCat("/proc/", pid, "/status")), "VmHWM:");
}

void ResetPeakMemory(pid_t pid) {
  std::ofstream(absl::StrCat("/proc/", pid, "/clear_refs")) << "5";
}

}  // namespace gguf::readers
