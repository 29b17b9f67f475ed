// An adapter that accepts every file and can misbehave in every way.
//
//   toy_adapter BEHAVIOUR [ARGUMENT]
//
// misbehaves at files with "-bad" in their path; some behaviours, at the start.
//
// SPDX-License-Identifier: Apache-2.0

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr size_t kMebibyte = 1 << 20;

const char* argument = "";
bool saw_bad = false;  // An earlier file was bad.
int files = 0;         // Number of paths read.

void Say(const char* line) { std::cout << line << std::endl; }

void Crash() { raise(SIGSEGV); }
void Kill() { raise(SIGKILL); }
void Throw() { throw std::runtime_error("nobody catches this"); }
void Exit0() { std::exit(0); }
void Exit3() { std::exit(3); }

void Hang() {
  for (;;) pause();
}

void HangLater() {
  if (files > 1) Hang();
  Say("@accept");
}

void Grow() {
  for (;;) {
    // Volatile, so that the compiler keeps it.
    volatile char* kept =
        static_cast<char*>(std::memset(std::malloc(16 * kMebibyte), 1, 16 * kMebibyte));
    if (kept[0] == 0) return;  // NOLINT(clang-analyzer-unix.Malloc)
  }
}

// Returns memory that is shared with children.
char* Share(size_t size) {
  void* const shared =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) std::abort();
  return static_cast<char*>(std::memset(shared, 1, size));
}

// Needs 512 MiB for a while, for a runner that does not notice.
void GrowShared() {
  for (int i = 0; i < 32; ++i) Share(16 * kMebibyte);
  usleep(500'000);
  Say("@accept");
}
// The child belongs to a thread that is not the main one.
void GrowInChild() {
  std::thread([] {
    const pid_t child = fork();
    if (child == 0) {
      std::vector<std::string> kept;
      for (int i = 0; i < 32; ++i) kept.emplace_back(16 * kMebibyte, 'x');
      usleep(500'000);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }).join();
  Say("@accept");
}

// Needs 100 MiB, which each of five processes sees.
void ShareWithChildren() {
  char* const shared = Share(100 * kMebibyte);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() == 0) {
      std::memset(shared, 2, 100 * kMebibyte);
      usleep(200'000);
      _exit(0);
    }
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  Say("@accept");
}

void Flood() {
  for (;;) std::cout << "log log log log log log log log log log log log\n";
}
void FloodErrors() {
  const std::string lines(1 << 16, '\n');
  for (;;) std::cerr << lines;
}
void LongLine() {
  for (;;) std::cout << "@kv 00 str 00000000000000000000000000000000000000";
}
void HalfLine() {
  std::cout << "@acc" << std::flush;
  std::exit(0);
}
void UnknownLine() { Say("@maybe"); }
void TwoVerdicts() { Say("@accept\n@reject other on second thoughts"); }
void LateReject() {
  Say("@accept");
  usleep(50'000);
  Say("@reject other on second thoughts");
}
void CrashLate() {
  Say("@accept");
  raise(SIGSEGV);
}

void Bleed() { Say("@reject other"); }

void Chatty() {
  for (int i = 0; i < 1000; ++i) Say("reading, reading; an @ is no verdict");
  for (int i = 0; i < 1000; ++i) std::cerr << "warning: " << i << "\n";
  Say("@accept");
}

// Leaves a child process that holds the pipes and a lock.
void Fork() {
  flock(open(argument, O_RDWR), LOCK_EX);
  if (fork() == 0) Hang();
  std::abort();
}

// Leaves a process that holds the lock in a session of its own, and whose
// parent has ended.
void StartDaemon() {
  const int fd = open(argument, O_RDWR);
  flock(fd, LOCK_EX);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) Hang();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  close(fd);
}
void Daemon() {
  StartDaemon();
  Say("@accept");
}
void DaemonHang() {
  StartDaemon();
  Hang();
}

void Network() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(std::atoi(argument));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const bool connected =
      fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  Say(connected ? "@accept" : "@reject network none");
}

void Variable() {
  const char* const value = std::getenv(argument);
  std::cout << "@reject " << (value == nullptr ? "unset" : value) << std::endl;
}

void ProcessIds() { std::cout << "@reject " << getpid() << " " << getppid() << std::endl; }

void Descriptors() {
  int open = 0;
  for (int fd = 0; fd < 1024; ++fd) open += lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF;
  std::cout << "@reject " << open << std::endl;
}

struct Behaviour {
  const char* name;
  void (*at_bad_file)();
};
constexpr Behaviour kBehaviours[] = {
    {"abort", std::abort},
    {"bleed", Bleed},
    {"chatty", Chatty},
    {"crash", Crash},
    {"crash-late", CrashLate},
    {"daemon", Daemon},
    {"daemon-hang", DaemonHang},
    {"descriptors", Descriptors},
    {"exit-0", Exit0},
    {"exit-3", Exit3},
    {"flood", Flood},
    {"flood-errors", FloodErrors},
    {"fork", Fork},
    {"good", nullptr},
    {"grow", Grow},
    {"grow-in-child", GrowInChild},
    {"grow-shared", GrowShared},
    {"half-line", HalfLine},
    {"hang", Hang},
    {"hang-later", HangLater},
    {"kill", Kill},
    {"late-reject", LateReject},
    {"long-line", LongLine},
    {"network", Network},
    {"process-ids", ProcessIds},
    {"share-with-children", ShareWithChildren},
    {"throw", Throw},
    {"two-verdicts", TwoVerdicts},
    {"unknown-line", UnknownLine},
    {"variable", Variable},
};

void Greet(const std::string& behaviour) {
  if (behaviour == "mute") Hang();
  if (behaviour == "stillborn") {
    std::cerr << "no such model runtime\n";
    std::exit(4);
  }
  if (behaviour == "slow") usleep(300'000);
  std::cout << "starting up\n";
  Say(behaviour == "rude" ? "@hello" : "@gguf-testee 1 toy 1.0 -");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string behaviour = argc > 1 ? argv[1] : "good";
  if (argc > 2) argument = argv[2];
  void (*at_bad_file)() = nullptr;
  for (const Behaviour& known : kBehaviours) {
    if (behaviour == known.name) at_bad_file = known.at_bad_file;
  }
  Greet(behaviour);
  for (std::string path; std::getline(std::cin, path);) {
    ++files;
    const bool bad = path.find("-bad") != std::string::npos;
    if (bad && at_bad_file != nullptr) {
      at_bad_file();
    } else {
      const bool bleeds = saw_bad && behaviour == "bleed";
      Say(bleeds ? "@reject other not after that" : "@accept");
    }
    saw_bad = saw_bad || bad;
  }
  if (saw_bad && behaviour == "late-at-end") Say("@reject other");
  return behaviour == "bad-end" ? 5 : 0;
}
