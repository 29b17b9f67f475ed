// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/proc_memory.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

namespace gguf::readers {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostProcesses = 1000;  // More are a breach of any limit.

// The memory of a process: fast to get, but a page counts for each process that
// shares it; and slow, where each process has its part of the page.
constexpr absl::string_view kResident[] = {"RssAnon:", "RssShmem:", "VmSwap:"};
constexpr absl::string_view kShares[] = {"Pss_Anon:", "Pss_Shmem:", "SwapPss:"};

// Returns an empty string if the process is gone.  It may end after the file
// was opened: getline() then fails quietly, where a stream buffer iterator
// would throw.
std::string ReadProc(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');
  return text;
}

// Returns the sum of the numbers after these names, in KiB, or 0 if there are
// none.
uint64_t SumKib(absl::string_view text,
                absl::Span<const absl::string_view> names) {
  uint64_t sum = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::c_none_of(names, [&](absl::string_view name) {
          return absl::ConsumePrefix(&line, name);
        })) {
      continue;
    }
    absl::ConsumeSuffix(&line, " kB");
    uint64_t kib = 0;
    if (absl::SimpleAtoi(absl::StripAsciiWhitespace(line), &kib)) sum += kib;
  }
  return sum;
}

// Returns the threads of a process as "/proc/PID/task/TID".
std::vector<std::string> ThreadsOf(pid_t pid) {
  std::vector<std::string> threads;
  std::error_code error;
  for (fs::directory_iterator it(absl::StrCat("/proc/", pid, "/task"), error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    threads.push_back(it->path().string());
  }
  return threads;
}

// A process whose first thread has ended reports no memory, but its other
// threads do.
uint64_t ResidentKib(const std::vector<std::string>& threads) {
  for (const std::string& thread : threads) {
    const uint64_t kib = SumKib(ReadProc(thread + "/status"), kResident);
    if (kib > 0) return kib;
  }
  return 0;
}

void AddChildren(const std::vector<std::string>& threads,
                 std::vector<pid_t>* ids) {
  for (const std::string& thread : threads) {
    const std::string children = ReadProc(thread + "/children");
    for (absl::string_view word :
         absl::StrSplit(children, ' ', absl::SkipEmpty())) {
      pid_t child;
      if (absl::SimpleAtoi(word, &child)) ids->push_back(child);
    }
  }
}

struct ProcessMemory {
  pid_t pid;
  uint64_t resident_kib;
};

std::vector<ProcessMemory> Descendants(pid_t pid) {
  std::vector<ProcessMemory> found;
  std::vector<pid_t> ids;
  AddChildren(ThreadsOf(pid), &ids);
  for (size_t i = 0; i < ids.size() && i <= kMostProcesses; ++i) {
    const std::vector<std::string> threads = ThreadsOf(ids[i]);
    found.push_back({ids[i], ResidentKib(threads)});
    AddChildren(threads, &ids);
  }
  return found;
}

// Falls back to the resident memory: old kernels do not report shares.
uint64_t SharesKib(const ProcessMemory& process) {
  const std::string text =
      ReadProc(absl::StrCat("/proc/", process.pid, "/smaps_rollup"));
  return absl::StrContains(text, kShares[0]) ? SumKib(text, kShares)
                                             : process.resident_kib;
}

// Returns whether one measurement is above the limit.
bool MeasureMoreThan(uint64_t bytes, pid_t pid) {
  const std::vector<ProcessMemory> descendants = Descendants(pid);
  if (descendants.size() > kMostProcesses) return true;
  uint64_t resident = 0, shares = 0;
  for (const ProcessMemory& process : descendants) {
    resident += process.resident_kib;
  }
  if (resident <= bytes >> 10) return false;
  for (const ProcessMemory& process : descendants) {
    shares += SharesKib(process);
  }
  return shares > bytes >> 10;
}

}  // namespace

bool DescendantsUseMoreThan(uint64_t bytes, pid_t pid) {
  // Processes are measured one after the other.  When one ends in between, the
  // others have its part of the shared pages, which then counts twice; but not
  // in several measurements.
  constexpr int kMeasurements = 3;
  for (int i = 0; i < kMeasurements; ++i) {
    if (!MeasureMoreThan(bytes, pid)) return false;
  }
  return true;
}

uint64_t PeakKibOf(pid_t pid) {
  constexpr absl::string_view kPeak[] = {"VmHWM:"};
  return SumKib(ReadProc(absl::StrCat("/proc/", pid, "/status")), kPeak);
}

}  // namespace gguf::readers
