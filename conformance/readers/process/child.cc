// Process::Start(): forks a supervisor, which forks, sets up the child, and
// runs exec.
//
// SPDX-License-Identifier: Apache-2.0

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/readers/process/process.h"
#include "conformance/readers/process/supervisor.h"

namespace gguf::readers {
namespace {

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
  pid_t runner = 0;
  std::string user_map, group_map;
  Pipe in, out, err;
  Pipe news;    // A News from the child, then its errno if exec fails.
  Pipe ending;  // An Ending from the supervisor.
};

struct News {
  pid_t pid = 0;
  int has_network = 1;  // No bool: writes no padding.
};

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

// Moves the process to an empty network namespace.  Without root, this requires
// a user namespace.
bool LeaveNetwork(const Plan& plan) {
  if (unshare(CLONE_NEWNET) == 0) return true;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  WriteProc("/proc/self/setgroups", "deny");
  WriteProc("/proc/self/uid_map", plan.user_map.c_str());
  WriteProc("/proc/self/gid_map", plan.group_map.c_str());
  return true;
}

[[noreturn]] void RunChild(const Plan& plan, pid_t supervisor) {
  setpgid(0, 0);
  ResetSignals();
  ArrangeDescriptors(plan);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const News news = {getpid(), LeaveNetwork(plan) ? 0 : 1};
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // After unshare(), which would reset it.
  if (getppid() != supervisor) _exit(127);  // It died before prctl().
  bool ok = write(3, &news, sizeof(news)) == sizeof(news);
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

[[noreturn]] void RunSupervisor(const Plan& plan) {
  BecomeSupervisor(plan.runner);
  const pid_t self = getpid();
  const pid_t program = fork();
  if (program == 0) RunChild(plan, self);
  if (program < 0) {
    const News news;
    const int error = errno;
    if (write(plan.news.write.get(), &news, sizeof(news)) > 0 &&
        write(plan.news.write.get(), &error, sizeof(error)) < 0) {
      _exit(126);
    }
    _exit(127);
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
  plan.runner = getpid();
  plan.user_map = absl::StrCat(geteuid(), " ", geteuid(), " 1");
  plan.group_map = absl::StrCat(getegid(), " ", getegid(), " 1");
  for (Pipe* pipe :
       {&plan.in, &plan.out, &plan.err, &plan.news, &plan.ending}) {
    absl::StatusOr<Pipe> made = MakePipe();
    if (!made.ok()) return made.status();
    *pipe = *std::move(made);
  }
  for (const FileDescriptor* ours :
       {&plan.in.write, &plan.out.read, &plan.err.read}) {
    fcntl(ours->get(), F_SETFL, O_NONBLOCK);
  }
  return plan;
}

// Waits until exec in the child succeeded or failed.
absl::StatusOr<News> ReadNews(const Plan& plan) {
  News news;
  int error = 0;
  plan.news.read.Read(&news, sizeof(news));
  if (plan.news.read.Read(&error, sizeof(error)) == 0) return news;
  return absl::ErrnoToStatus(
      error, absl::StrCat("cannot run ", plan.command[0],
                          plan.folder == nullptr ? "" : " in ",
                          plan.folder == nullptr ? "" : plan.folder));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Process>> Process::Start(
    const ProcessOptions& options) {
  // A write to an ended process then fails with EPIPE.
  signal(SIGPIPE, SIG_IGN);
  absl::StatusOr<Plan> plan = MakePlan(options);
  if (!plan.ok()) return plan.status();
  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, "cannot fork");
  if (pid == 0) RunSupervisor(*plan);
  plan->news.write.Close();
  plan->ending.write.Close();
  const absl::StatusOr<News> news = ReadNews(*plan);
  if (!news.ok()) {
    waitpid(pid, nullptr, 0);
    return news.status();
  }
  std::unique_ptr<Process> process(new Process);
  process->supervisor_ = pid;
  process->pid_ = news->pid;
  process->has_network_ = news->has_network != 0;
  process->ending_ = std::move(plan->ending.read);
  process->stdin_ = std::move(plan->in.write);
  process->stdout_ = std::move(plan->out.read);
  process->stderr_ = std::move(plan->err.read);
  return process;
}

}  // namespace gguf::readers
