// Runs models, and companions beside their models, with the libraries of a llama.cpp.
//
//   run_models LIBRARIES BACKENDS [--messages] [--own-length] [--load-only] [--trace] <LINES
//
// LIBRARIES is the folder of libllama and libggml, and of libmtmd for projectors;
// BACKENDS that of ggml's backends.  Reads lines of
//
//   PATH, or with tabs between: PATH  KIND  BASE
//
// where KIND is lora, control-vector, draft, mtp or projector, and BASE the model
// that goes with the file.  Writes a line of JSON for each:
//
//   {"path": ..., "stage": "load|context|run", "did": "ok|refuses|dies|hangs", "messages": [...]}
//
// `stage` is the last one that began; "ok" means that all ended well.  Loading a
// projector includes its warm-up, and to run it is to encode the first image or
// sound; a projector has no context.  The messages are llama.cpp's errors, or all
// with --messages, and lines of trace.h with --trace.  With --own-length, a context
// has the model's own length and llama.cpp's batches; with --load-only, a projector
// is only loaded.  Files are run in child processes: one that dies, or takes more
// than kSeconds, costs the others nothing.  A child may map kMemory more bytes than
// its parent has.
//
// SPDX-License-Identifier: Apache-2.0

#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "conformance/external/loader/llama.h"
#include "conformance/external/loader/runs.h"

namespace {

constexpr int kSeconds = 10;
constexpr uint64_t kMemory = uint64_t{4} << 30;
constexpr size_t kFilesPerChild = 50;

bool all_messages = false;

void Print(int level, const char* text, void*) {
  constexpr int kError = 4, kContinued = 5;
  static bool shown = false;
  if (level != kContinued) shown = all_messages || level == kError;
  if (shown) fputs(text, stderr);
}

void LimitMemory() {
  uint64_t pages = 0;
  if (FILE* file = fopen("/proc/self/statm", "r")) {
    if (fscanf(file, "%lu", &pages) != 1) pages = 0;
    fclose(file);
  }
  const rlim_t most = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + kMemory;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 32 || byte > 126 || c == '"' || c == '\\') {
      char escape[8];
      snprintf(escape, sizeof(escape), "\\u%04x", byte);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Returns the lines of the log as JSON.
std::string Messages(int log) {
  std::string text, out;
  char buffer[1 << 16];
  lseek(log, 0, SEEK_SET);
  for (ssize_t size; (size = read(log, buffer, sizeof(buffer))) > 0 && text.size() < (1 << 20);) {
    text.append(buffer, static_cast<size_t>(size));
  }
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out += (out.empty() ? "" : ", ") + Quoted(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

void Write(const std::string& path, const std::string& stage, const char* did,
           const std::string& messages) {
  std::cout << "{\"path\": " << Quoted(path) << ", \"stage\": \"" << stage << "\", \"did\": \""
            << did << "\", \"messages\": [" << messages << "]}" << std::endl;
}

// Reads lines of a pipe, for at most kSeconds each.
class LineReader {
 public:
  explicit LineReader(int file) : file_(file) {}

  // Returns false at the end; sets `late` if the time was over.
  bool Read(std::chrono::steady_clock::time_point until, std::string& line, bool& late) {
    size_t end;
    while ((end = pending_.find('\n')) == pending_.npos) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          until - std::chrono::steady_clock::now());
      pollfd one{file_, POLLIN, 0};
      late = poll(&one, 1, std::max(0, static_cast<int>(left.count()))) == 0;
      if (late) return false;
      char buffer[4096];
      const ssize_t size = read(file_, buffer, sizeof(buffer));
      if (size <= 0) return false;
      pending_.append(buffer, static_cast<size_t>(size));
    }
    line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    return true;
  }

 private:
  int file_;
  std::string pending_;
};

[[noreturn]] void Work(Runner& runner, const std::vector<std::string>& lines, int log, int out) {
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  LimitMemory();
  for (const std::string& line : lines) {
    if (ftruncate(log, 0) != 0) _exit(1);
    lseek(log, 0, SEEK_SET);
    const bool ok = runner.Run(ParseJob(line), out);
    fflush(stderr);
    dprintf(out, "%s %s\n", ok ? "ok" : "refuses", Messages(log).c_str());
  }
  _exit(0);
}

// Runs files in a child; returns how many it did, the one on which it ended included.
size_t RunInChild(Runner& runner, const std::vector<std::string>& lines, int log) {
  int ends[2];
  if (pipe(ends) != 0) Fail("no pipe");
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    Work(runner, lines, log, ends[1]);
  }
  close(ends[1]);
  LineReader reader(ends[0]);
  size_t done = 0;
  std::string stage = "load";
  bool late = false;
  const auto limit = [] {
    return std::chrono::steady_clock::now() + std::chrono::seconds(kSeconds);
  };
  auto until = limit();
  for (std::string line; done < lines.size() && reader.Read(until, line, late);) {
    if (line == "context" || line == "run") {
      stage = line;
      continue;
    }
    const size_t space = line.find(' ');
    Write(ParseJob(lines[done]).path, stage, line.substr(0, space).c_str(), line.substr(space + 1));
    ++done;
    stage = "load";
    until = limit();
  }
  close(ends[0]);
  if (late) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (done == lines.size()) return done;
  std::string messages = Messages(log);
  if (!late && WIFSIGNALED(status)) {
    messages +=
        (messages.empty() ? "" : ", ") + Quoted("signal " + std::to_string(WTERMSIG(status)));
  }
  Write(ParseJob(lines[done]).path, stage, late ? "hangs" : "dies", messages);
  return done + 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    Fail(
        "usage: run_models LIBRARIES BACKENDS [--messages] [--own-length] [--load-only] [--trace] "
        "<LINES");
  }
  Runner::Options options;
  for (int i = 3; i < argc; ++i) {
    all_messages |= strcmp(argv[i], "--messages") == 0;
    options.own_length |= strcmp(argv[i], "--own-length") == 0;
    options.load_only |= strcmp(argv[i], "--load-only") == 0;
    options.trace |= strcmp(argv[i], "--trace") == 0;
  }
  setenv("GGML_NO_BACKTRACE", "1", 1);  // It would start gdb.
  std::ios::sync_with_stdio(false);     // Otherwise in_avail() is 0.
  const Llama llama = OpenLlama(argv[1], argv[2]);
  const Mtmd mtmd = OpenMtmd(argv[1]);
  llama.log_set(Print, nullptr);
  if (mtmd.helper_log_set != nullptr) mtmd.helper_log_set(Print, nullptr);
  Runner runner(llama, mtmd, options);
  const int log = memfd_create("log", 0);
  // Answers at once where lines come one by one: a child takes what is there.
  std::vector<std::string> lines;
  bool more = true;
  while (more || !lines.empty()) {
    std::string line;
    while (more && lines.size() < kFilesPerChild &&
           (lines.empty() || std::cin.rdbuf()->in_avail() > 0)) {
      more = static_cast<bool>(std::getline(std::cin, line));
      if (more && !line.empty()) lines.push_back(line);
    }
    if (lines.empty()) break;
    const size_t done = RunInChild(runner, lines, log);
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(done));
  }
}
