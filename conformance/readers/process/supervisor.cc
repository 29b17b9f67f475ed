// Process::Start(), and the supervisor between the runner and a program, which
// ends every descendant of the program.
//
// If the system permits it, the supervisor is the first process of a PID
// namespace: when it ends in any way, the kernel kills all others there.
// Elsewhere it becomes the parent of descendants whose own parents end (as a
// subreaper), so new sessions and process groups do not hide them, and kills
// its children until none is left.
//
// SPDX-License-Identifier: Apache-2.0

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/readers/process/process.h"

namespace gguf::readers {
namespace {

// Namespaces for the supervisor and its descendants, the best first.  Without
// root, they require a user namespace.
constexpr int kIsolations[] = {
    CLONE_NEWPID | CLONE_NEWNET,
    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET,
    CLONE_NEWNET,
    CLONE_NEWUSER | CLONE_NEWNET,
    0,
};

// The time between looks for new children while some are being killed.
constexpr timespec kPause = {0, 5'000'000};

struct Pipe {
  FileDescriptor read, write;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a pipe");
  }
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Everything that the supervisor and the child need.  It is prepared before the
// fork, because malloc is not allowed between fork and exec: another thread may
// hold its lock.
struct Plan {
  std::vector<char*> command, environment;
  const char* folder = nullptr;
  rlim_t address_space = 0;
  FileDescriptor runner;  // A pidfd; closed on old kernels.
  std::string user_map, group_map;
  Pipe in, out, err;
  Pipe news;    // The child's id in /proc, then its errno if exec fails.
  Pipe ending;  // An Ending from the supervisor.
};

// Forks into new namespaces.  Unlike fork(), takes no locks: in a supervisor,
// which is a fork of a process with threads, no one would release them.
pid_t Fork(int namespaces) {
  const long flags = namespaces | SIGCHLD;
#ifdef __s390x__  // There, the stack comes first.
  return static_cast<pid_t>(syscall(SYS_clone, 0, flags, 0, 0, 0));
#else
  return static_cast<pid_t>(syscall(SYS_clone, flags, 0, 0, 0, 0));
#endif
}

// Returns a descriptor that is readable once the process has ended.
FileDescriptor PidFd(pid_t pid) {
  return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

// Returns the id of this process in /proc, which may show the ids of another
// namespace.
pid_t IdInProc() {
  char id[16] = {};
  return readlink("/proc/self", id, sizeof(id) - 1) > 0 ? atoi(id) : getpid();
}

// Sets up the standard descriptors and `news` as 3, and closes all others.
// First moves them to numbers that do not collide.
void ArrangeDescriptors(const Plan& plan) {
  int from[] = {plan.in.read.get(), plan.out.write.get(), plan.err.write.get(),
                plan.news.write.get()};
  for (int& fd : from) fd = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  for (int to = 0; to < 3; ++to) dup2(from[to], to);
  dup3(from[3], 3, O_CLOEXEC);
  close_range(4, ~0u, 0);
}

void WriteProc(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, text, strlen(text)) < 0) {
    // The child then runs as nobody, which is sufficient.
  }
  close(fd);
}

void SetDefaultActions() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
}

[[noreturn]] void RunChild(const Plan& plan, pid_t supervisor) {
  setpgid(0, 0);
  SetDefaultActions();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ArrangeDescriptors(plan);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(127);  // It died before prctl().
  const pid_t id = IdInProc();
  bool ok = write(3, &id, sizeof(id)) == sizeof(id);
  if (plan.address_space > 0) {
    const rlimit space = {plan.address_space, plan.address_space};
    ok = ok && setrlimit(RLIMIT_AS, &space) == 0;
  }
  ok = ok && (plan.folder == nullptr || chdir(plan.folder) == 0);
  if (ok) {
    execvpe(plan.command[0], plan.command.data(), plan.environment.data());
  }
  const int error = errno;
  if (write(3, &error, sizeof(error)) < 0) _exit(126);
  _exit(127);
}

sigset_t Awaited() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, kStopSignal);
  return signals;
}

// Kills the children of this process.  Returns false if the system does not
// list them.
bool KillChildren() {
  const int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[4096];
  pid_t id = 0;  // Each one ends with a space.
  for (ssize_t size; (size = read(fd, text, sizeof(text))) > 0;) {
    for (const char* c = text; c < text + size; ++c) {
      if (*c >= '0' && *c <= '9') {
        id = id * 10 + (*c - '0');
      } else if (id > 0) {
        kill(id, SIGKILL);
        id = 0;
      }
    }
  }
  close(fd);
  return true;
}

// Waits for children that have ended, except the program.  Returns whether the
// program has ended; its id is not reused before it was waited for.
bool HasEnded(pid_t program) {
  for (;;) {
    siginfo_t info = {};
    waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == 0 || info.si_pid == program) return info.si_pid != 0;
    waitpid(info.si_pid, nullptr, 0);
  }
}

time_t SecondsNow() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

// Kills the program and, outside of a PID namespace, all other descendants:
// each killed process makes its children ours, which are killed in turn.
Ending KillAll(pid_t program) {
  Ending ending = {SIGKILL, 0};
  // The ids of another namespace must not be killed.
  const bool must_search = getpid() != 1 && IdInProc() == getpid();
  const sigset_t awaited = Awaited();
  const time_t begin = SecondsNow();
  kill(program, SIGKILL);
  kill(-program, SIGKILL);
  for (bool has_ended = false;;) {
    const bool killed = must_search && KillChildren();
    int status;
    rusage usage;
    pid_t id;
    while ((id = wait4(-1, &status, WNOHANG, &usage)) > 0) {
      if (id != program) continue;
      has_ended = true;
      ending = {status, static_cast<uint64_t>(usage.ru_maxrss)};
    }
    // The kernel kills the others; or, without a list of children, only the
    // group could be killed.
    if (id < 0 || (has_ended && !killed)) return ending;
    if (SecondsNow() - begin > kMostSecondsToKill) return ending;
    sigtimedwait(&awaited, nullptr, &kPause);
  }
}

// Waits for the end of the program, a child in its own process group, or for
// kStopSignal.  Then kills all descendants, writes an Ending to `report`, and
// exits.
[[noreturn]] void Supervise(pid_t program, int report) {
  const sigset_t awaited = Awaited();
  while (!HasEnded(program)) {
    if (sigwaitinfo(&awaited, nullptr) == kStopSignal) break;
  }
  const Ending ending = KillAll(program);
  if (write(report, &ending, sizeof(ending)) < 0) _exit(1);
  _exit(0);
}

// Like the child, runs between fork and exec or exit.  If the runner, or its
// thread that forked the supervisor, ends, that counts as kStopSignal.
[[noreturn]] void RunSupervisor(const Plan& plan, int namespaces) {
  setpgid(0, 0);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  SetDefaultActions();  // Children are lost if SIGCHLD is ignored.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, kStopSignal);
  pollfd runner = {plan.runner.get(), POLLIN, 0};
  if (poll(&runner, 1, 0) > 0) _exit(127);  // It died before prctl().
  if (namespaces & CLONE_NEWUSER) {
    WriteProc("/proc/self/setgroups", "deny");
    WriteProc("/proc/self/uid_map", plan.user_map.c_str());
    WriteProc("/proc/self/gid_map", plan.group_map.c_str());
  }
  const pid_t self = getpid();
  const pid_t program = Fork(0);
  if (program == 0) RunChild(plan, self);
  if (program < 0) {
    const int news[] = {0, errno};
    _exit(write(plan.news.write.get(), news, sizeof(news)) < 0 ? 126 : 127);
  }
  setpgid(program, program);  // Both try; either may be first.
  dup2(plan.ending.write.get(), 0);
  close_range(1, ~0u, 0);  // So that the runner sees the ends of the pipes.
  Supervise(program, 0);
}

absl::StatusOr<Plan> MakePlan(const ProcessOptions& options) {
  Plan plan;
  plan.command = Pointers(options.command);
  plan.environment = Pointers(options.environment);
  if (!options.folder.empty()) plan.folder = options.folder.c_str();
  plan.address_space = options.address_space;
  plan.runner = PidFd(getpid());
  plan.user_map = absl::StrCat(geteuid(), " ", geteuid(), " 1");
  plan.group_map = absl::StrCat(getegid(), " ", getegid(), " 1");
  for (Pipe* pipe : {&plan.in, &plan.out, &plan.err, &plan.news, &plan.ending}) {
    absl::StatusOr<Pipe> made = MakePipe();
    if (!made.ok()) return made.status();
    *pipe = *std::move(made);
  }
  for (const FileDescriptor* ours : {&plan.in.write, &plan.out.read, &plan.err.read}) {
    fcntl(ours->get(), F_SETFL, O_NONBLOCK);
  }
  return plan;
}

// Waits until exec in the child succeeded or failed.  Returns the child's id.
absl::StatusOr<pid_t> ReadStartReport(const Plan& plan) {
  pid_t id = 0;
  int error = 0;
  plan.news.read.Read(&id, sizeof(id));
  if (plan.news.read.Read(&error, sizeof(error)) == 0) return id;
  return absl::ErrnoToStatus(
      error, absl::StrCat("cannot run ", plan.command[0], plan.folder == nullptr ? "" : " in ",
                          plan.folder == nullptr ? "" : plan.folder));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Process>> Process::Start(const ProcessOptions& options) {
  // A write to an ended process then fails with EPIPE.
  signal(SIGPIPE, SIG_IGN);
  absl::StatusOr<Plan> plan = MakePlan(options);
  if (!plan.ok()) return plan.status();
  std::unique_ptr<Process> process(new Process);
  for (const int namespaces : kIsolations) {
    process->supervisor_ = Fork(namespaces);
    if (process->supervisor_ == 0) RunSupervisor(*plan, namespaces);
    process->has_network_ = (namespaces & CLONE_NEWNET) == 0;
    if (process->supervisor_ > 0) break;
  }
  if (process->supervisor_ < 0) {
    return absl::ErrnoToStatus(errno, "cannot fork");
  }
  plan->news.write.Close();
  plan->ending.write.Close();
  process->ending_ = std::move(plan->ending.read);
  process->end_ = PidFd(process->supervisor_);
  const absl::StatusOr<pid_t> id = ReadStartReport(*plan);
  if (!id.ok()) return id.status();
  process->pid_ = *id;
  process->stdin_ = std::move(plan->in.write);
  process->stdout_ = std::move(plan->out.read);
  process->stderr_ = std::move(plan->err.read);
  return process;
}

}  // namespace gguf::readers
