// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace gguf::readers {

const int kStopSignal = SIGTERM;

namespace {

// The time between looks for new children while some are being killed.
constexpr timespec kPause = {0, 5'000'000};

// A process that the system cannot kill now (it waits for a device, or runs as
// another user) must not hold up the run.
constexpr time_t kMostSecondsToKill = 5;

void SetDefaultActions() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
}

sigset_t Awaited() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, kStopSignal);
  return signals;
}

// Returns whether /proc shows the ids of this process's own namespace; others
// must not be killed.
bool ProcIsOurs() {
  char id[16] = {};
  return readlink("/proc/self", id, sizeof(id) - 1) > 0 && atoi(id) == getpid();
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

// Each killed process makes its children ours, which are killed in turn.
Ending KillAll(pid_t program) {
  Ending ending = {SIGKILL, 0};
  const bool is_ours = ProcIsOurs();
  const sigset_t awaited = Awaited();
  const time_t begin = SecondsNow();
  kill(program, SIGKILL);
  kill(-program, SIGKILL);
  for (bool has_ended = false;;) {
    const bool killed = is_ours && KillChildren();
    int status;
    rusage usage;
    pid_t id;
    while ((id = wait4(-1, &status, WNOHANG, &usage)) > 0) {
      if (id != program) continue;
      has_ended = true;
      ending = {status, static_cast<uint64_t>(usage.ru_maxrss)};
    }
    // Without a list of children, only the group could be killed.
    if (id < 0 || (has_ended && !killed)) return ending;
    if (SecondsNow() - begin > kMostSecondsToKill) return ending;
    sigtimedwait(&awaited, nullptr, &kPause);
  }
}

}  // namespace

void ResetSignals() {
  SetDefaultActions();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void BecomeSupervisor(pid_t runner) {
  setpgid(0, 0);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  SetDefaultActions();  // Children are lost if SIGCHLD is ignored.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, kStopSignal);
  if (getppid() != runner) _exit(127);  // The runner died before prctl().
}

void Supervise(pid_t program, int report) {
  const sigset_t awaited = Awaited();
  while (!HasEnded(program)) {
    if (sigwaitinfo(&awaited, nullptr) == kStopSignal) break;
  }
  const Ending ending = KillAll(program);
  if (write(report, &ending, sizeof(ending)) < 0) _exit(1);
  _exit(0);
}

}  // namespace gguf::readers
