// Runs files in children with limits: the main() of the drivers in this folder.
//
// Reads lines "FAMILY TAB PATH" and answers each with "OUTCOME TAB MIBIBYTES TAB PATH": ran,
// vocabulary (nothing but tokens is loaded), refused, died-SIGNAL, exited or hangs.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_EXTERNAL_LEGACY_CHILD_H_
#define GGUF_CONFORMANCE_EXTERNAL_LEGACY_CHILD_H_

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

enum class Outcome { kRan, kVocabulary, kRefused };

// Loads a file and computes a token; each driver has its own.
Outcome RunFile(const std::string& family, const char* path);

namespace {

constexpr const char* kOutcomes[] = {"ran", "vocabulary", "refused"};

// The status of a child that returned an outcome.
constexpr int kReturned = 64;

[[noreturn]] void RunChild(const std::string& family, const char* path, unsigned seconds) {
  const rlim_t kMemory = rlim_t{3} << 30;
  const rlimit memory = {kMemory, kMemory}, none = {0, 0}, cpu = {seconds, seconds + 1};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_CPU, &cpu);
  const int null = open("/dev/null", O_RDWR);
  // Readers print, and some ask for a prompt.
  for (int stream = 0; stream < 3; ++stream) {
    if (stream < 2 || getenv("SHOW_ERRORS") == nullptr) dup2(null, stream);
  }
  alarm(20 * seconds);
  _exit(kReturned + static_cast<int>(RunFile(family, path)));
}

std::string Describe(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return number == SIGALRM || number == SIGXCPU ? "hangs" : "died-" + std::to_string(number);
  }
  const int outcome = WEXITSTATUS(status) - kReturned;
  return outcome >= 0 && outcome < 3 ? kOutcomes[outcome] : "exited";
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned seconds = argc > 1 ? atoi(argv[1]) : 10;
  for (std::string line; std::getline(std::cin, line);) {
    const size_t tab = line.find('\t');
    const std::string path = line.substr(tab + 1);
    const pid_t child = fork();
    if (child == 0) RunChild(line.substr(0, tab), path.c_str(), seconds);
    int status = 0;
    rusage usage = {};
    if (child < 0 || wait4(child, &status, 0, &usage) != child) return 1;
    std::cout << Describe(status) << '\t' << usage.ru_maxrss / 1024 << '\t' << path << std::endl;
  }
  return 0;
}

#endif  // GGUF_CONFORMANCE_EXTERNAL_LEGACY_CHILD_H_
