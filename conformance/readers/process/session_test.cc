// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/session.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

using testing::HasSubstr;

constexpr char kToy[] = "conformance/readers/testing/toy_adapter";
constexpr char kSanitized[] = "conformance/readers/testing/sanitized_adapter";

Reader Toy(std::vector<std::string> arguments) {
  Reader reader;
  reader.command = {kToy};
  for (std::string& argument : arguments) reader.command.push_back(argument);
  // The toy adapter may itself be built with sanitizers.
  reader.sanitizer = "asan";
  return reader;
}

WatchLimits Small() {
  WatchLimits limits;
  limits.time = absl::Milliseconds(500);
  limits.memory = 256 << 20;
  limits.output = 32 << 20;
  return limits;
}

Observation ReadWith(const Reader& reader, const std::string& path, WatchLimits limits = Small()) {
  const auto session = Session::Start(reader);
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? (*session)->Read(path, limits) : Observation();
}

TEST(SessionTest, EachMisbehaviourIsAnOutcome) {
  const struct {
    const char* behaviour;
    const char* outcome;
    const char* detail;
  } rows[] = {
      {"good", "accept", ""},
      {"chatty", "accept", ""},
      {"slow", "accept", ""},
      {"bleed", "reject", ""},
      {"crash", "crash", "SEGV"},
      {"abort", "abort", "killed by SIGABRT"},
      {"throw", "abort", "killed by SIGABRT"},
      {"fork", "abort", "killed by SIGABRT"},
      {"kill", "oom", "killed by SIGKILL"},
      {"exit-0", "exit:0", "ended with exit code 0 and no verdict"},
      {"exit-3", "exit:3", "ended with exit code 3 and no verdict"},
      {"half-line", "exit:0", "ended with exit code 0 and no verdict"},
      {"hang", "hang", "no verdict within 500ms"},
      {"grow", "oom", "used more than 256 MiB of memory"},
      {"grow-in-child", "oom", "used more than 256 MiB of memory"},
      {"grow-shared", "oom", "used more than 256 MiB of memory"},
      {"share-with-children", "accept", ""},
      {"flood", "flood", "wrote more than 32 MiB"},
      {"flood-errors", "flood", "wrote more than 32 MiB"},
      {"long-line", "flood", "wrote a line of more than 16 MiB"},
      {"unknown-line", "protocol", "lines begin with @kv"},
      {"two-verdicts", "protocol", "unexpected line after the verdict"},
  };
  for (const auto& [behaviour, outcome, detail] : rows) {
    WatchLimits limits = Small();
    if (std::string(outcome) != "hang") limits.time = absl::Seconds(60);
    const Observation seen = ReadWith(Toy({behaviour}), "/a-bad.gguf", limits);
    EXPECT_EQ(seen.outcome.Name(), outcome) << behaviour;
    EXPECT_THAT(seen.outcome.detail, HasSubstr(detail)) << behaviour;
  }
}

TEST(SessionTest, SanitizerReportsHaveTheirOwnOutcomes) {
  Reader reader;
  reader.command = {kSanitized};
  reader.sanitizer = "asan+ubsan";
  const struct {
    const char* mistake;
    const char* outcome;
  } rows[] = {
      {"none", "accept"},
      {"heap-overflow", "memory-error"},
      {"signed-overflow", "ub"},
      {"null-read", "crash"},
      {"huge-new", "oom"},
      {"huge-malloc", "reject"},  // As without a sanitizer: malloc gives null.
  };
  WatchLimits limits = Small();
  limits.time = absl::Seconds(60);
  for (const auto& [mistake, outcome] : rows) {
    const Observation seen = ReadWith(reader, mistake, limits);
    EXPECT_EQ(seen.outcome.Name(), outcome) << mistake << seen.stderr_tail;
  }
  EXPECT_THAT(ReadWith(reader, "heap-overflow", limits).outcome.detail,
              HasSubstr("AddressSanitizer: heap-buffer-overflow"));
}

TEST(SessionTest, AddressesAreLimitedWithoutASanitizer) {
  Reader reader;
  reader.command = {
      "sh", "-c",
      "echo '@gguf-testee 1 sh 1 -'; read path; echo \"@reject $(ulimit -v) $(ulimit -c)\""};
  reader.address_space = uint64_t{1} << 30;
  const Answer limited = ReadWith(reader, "/a").answer;
  EXPECT_EQ(limited.reject_class, "1048576");
  EXPECT_EQ(limited.text, "0");  // No core dumps.
  reader.sanitizer = "asan";
  EXPECT_EQ(ReadWith(reader, "/a").answer.reject_class, "unlimited");
}

TEST(SessionTest, OneProcessReadsFileAfterFile) {
  const auto session = Session::Start(Toy({"bleed"})).value();
  EXPECT_EQ(session->greeting().name, "toy");
  EXPECT_EQ(session->greeting().version, "1.0");
  EXPECT_TRUE(session->Ready());
  EXPECT_EQ(session->Read("/a", Small()).outcome.Name(), "accept");
  EXPECT_EQ(session->Read("/a-bad", Small()).outcome.Name(), "reject");
  EXPECT_EQ(session->Read("/c", Small()).outcome.Name(), "reject");
  EXPECT_TRUE(session->Ready());
  const Outcome end = session->Close(Small());
  EXPECT_EQ(end.Name(), "skip");
  EXPECT_EQ(end.detail, "");
}

TEST(SessionTest, TroubleAfterTheVerdictIsSeenAtTheEnd) {
  auto session = Session::Start(Toy({"late-reject"})).value();
  EXPECT_EQ(session->Read("/a-bad", Small()).outcome.Name(), "accept");
  EXPECT_EQ(session->Close(Small()).Name(), "protocol");
  EXPECT_TRUE(session->out_of_step());

  session = Session::Start(Toy({"crash-late"})).value();
  EXPECT_EQ(session->Read("/a-bad", Small()).outcome.Name(), "accept");
  EXPECT_EQ(session->Close(Small()).Name(), "crash");
  EXPECT_FALSE(session->out_of_step());

  session = Session::Start(Toy({"bad-end"})).value();
  EXPECT_EQ(session->Read("/a-bad", Small()).outcome.Name(), "accept");
  EXPECT_EQ(session->Close(Small()).detail, "ended with exit code 5, not 0");
}

TEST(SessionTest, AMissingGreetingIsExplained) {
  const absl::Duration patience = absl::Milliseconds(300);
  const auto why = [&](const Reader& reader) {
    return std::string(Session::Start(reader, patience).status().message());
  };
  EXPECT_EQ(why(Toy({"mute"})),
            "the reader wrote no greeting within 300ms; it wrote nothing to standard error");
  EXPECT_EQ(why(Toy({"stillborn"})),
            "the reader wrote no greeting: ended with exit code 4 and no verdict; standard error "
            "ends with \"no such model runtime\\n\"");
  EXPECT_THAT(why(Toy({"rude"})), HasSubstr("should be @gguf-testee 1 NAME"));
  Reader none;
  none.command = {"no-such-program-anywhere"};
  EXPECT_THAT(why(none), HasSubstr("cannot run no-such-program-anywhere"));
  none = Toy({});
  none.folder = "/no/such/folder";
  EXPECT_THAT(why(none), HasSubstr("in /no/such/folder"));
}

TEST(SessionTest, TheEnvironmentIsLimitedToTheConfigured) {
  setenv("TOY_SECRET", "hush", 1);
  EXPECT_EQ(ReadWith(Toy({"variable", "TOY_SECRET"}), "/a-bad").answer.reject_class, "unset");
  EXPECT_NE(ReadWith(Toy({"variable", "PATH"}), "/a-bad").answer.reject_class, "unset");
  Reader reader = Toy({"variable", "TOY_OWN"});
  reader.environment["TOY_OWN"] = "here";
  EXPECT_EQ(ReadWith(reader, "/a-bad").answer.reject_class, "here");
}

TEST(SessionTest, NoDescriptorIsInherited) {
  const int left_open[] = {dup(0), dup(0)};
  EXPECT_EQ(ReadWith(Toy({"descriptors"}), "/a-bad").answer.reject_class, "3");
  for (const int fd : left_open) close(fd);
}

TEST(SessionTest, ThereIsNoNetwork) {
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  if (server < 0) FAIL() << "there is no socket";
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(server, any, size), 0);
  ASSERT_EQ(listen(server, 1), 0);
  ASSERT_EQ(getsockname(server, any, &size), 0);

  const auto session =
      Session::Start(Toy({"network", absl::StrCat(ntohs(address.sin_port))})).value();
  const Observation seen = session->Read("/a-bad", Small());
  EXPECT_EQ(seen.outcome.Name(), session->has_network() ? "accept" : "reject");
  close(server);
}

// Whether the system permits a program to have its own process ids.
bool PermitsProcessIds() {
  const pid_t child = fork();
  if (child == 0) {
    constexpr int kBoth = CLONE_NEWPID | CLONE_NEWNET;
    _exit(unshare(kBoth) == 0 || unshare(kBoth | CLONE_NEWUSER) == 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

// Makes the system permit no new namespaces to this thread and its children.
void ForbidNamespaces() {
  constexpr uint32_t kNew = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUSER;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kNew, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {std::size(program), program};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
  ASSERT_NE(unshare(CLONE_NEWNET), 0);
}

// An open file that descendants of an implementation lock as long as they live.
class Lock {
 public:
  Lock() : fd_(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  ~Lock() { close(fd_); }
  const std::string& path() const { return path_; }
  bool IsFree() const { return flock(fd_, LOCK_EX | LOCK_NB) == 0 && flock(fd_, LOCK_UN) == 0; }

 private:
  const std::string path_ = testing::TempDir() + "/lock";
  const int fd_;
};

void ExpectDescendantsAreKilled() {
  const struct {
    const char* behaviour;
    const char* outcome;
  } rows[] = {{"fork", "abort"}, {"daemon", "accept"}, {"daemon-hang", "hang"}};
  const Lock lock;
  for (const auto& [behaviour, outcome] : rows) {
    EXPECT_EQ(ReadWith(Toy({behaviour, lock.path()}), "/a-bad").outcome.Name(), outcome);
    EXPECT_TRUE(lock.IsFree()) << behaviour;
  }
}

TEST(SessionTest, DescendantsOfAnImplementationAreKilled) {
  ExpectDescendantsAreKilled();
  const Answer ids = ReadWith(Toy({"process-ids"}), "/a-bad").answer;
  EXPECT_EQ(ids.reject_class == "2" && ids.text == "1", PermitsProcessIds());
}

TEST(SessionTest, DescendantsAreKilledWithoutNamespaces) {
  std::thread([] {
    ForbidNamespaces();
    EXPECT_TRUE(Session::Start(Toy({})).value()->has_network());
    const Answer ids = ReadWith(Toy({"process-ids"}), "/a-bad").answer;
    EXPECT_NE(ids.reject_class, "2");
    ExpectDescendantsAreKilled();
  }).join();
}

TEST(SessionTest, DescendantsDoNotOutliveTheSupervisor) {
  if (!PermitsProcessIds()) GTEST_SKIP() << "no namespaces";
  const Lock lock;
  auto session = Session::Start(Toy({"daemon", lock.path()})).value();
  EXPECT_EQ(session->Read("/a-bad", Small()).outcome.Name(), "accept");
  EXPECT_FALSE(lock.IsFree());
  pid_t supervisor = 0;
  std::ifstream("/proc/thread-self/children") >> supervisor;
  ASSERT_EQ(kill(supervisor, SIGKILL), 0);
  session.reset();
  EXPECT_TRUE(lock.IsFree());
}

TEST(SessionTest, AnInterruptionEndsTheReading) {
  WatchLimits limits = Small();
  limits.time = absl::Hours(1);
  limits.interrupted = [] { return true; };
  EXPECT_EQ(ReadWith(Toy({"hang"}), "/a-bad", limits).outcome.detail, "interrupted");
  const auto mute = Session::Start(Toy({"mute"}), absl::Hours(1), [] { return true; });
  EXPECT_EQ(mute.status().code(), absl::StatusCode::kUnavailable);
}

TEST(SessionTest, StderrIsKeptForOneFile) {
  const auto session = Session::Start(Toy({"chatty"})).value();
  const Observation bad = session->Read("/a-bad", Small());
  EXPECT_EQ(bad.stderr_tail.size(), 4096u);
  EXPECT_THAT(bad.stderr_tail, HasSubstr("warning: 999\n"));
  EXPECT_EQ(session->Read("/good", Small()).stderr_tail, "");
  EXPECT_GT(bad.peak_kib, 100u);
}

TEST(ReadBareTest, ExitCodesAreVerdicts) {
  Reader reader;
  reader.command = {"sh", "-c", "echo log; exit $(cat \"$1\")", "sh", kPathMark};
  reader.accept_exit = {0, 4};
  reader.reject_exit = {1, 2};
  EXPECT_TRUE(reader.bare());
  const struct {
    const char* exit;
    const char* outcome;
  } rows[] = {{"0", "accept"}, {"4", "accept"}, {"1", "reject"}, {"2", "reject"}, {"3", "exit:3"}};
  const std::string path = testing::TempDir() + "/exit code";
  for (const auto& [exit, outcome] : rows) {
    std::ofstream(path) << exit;
    EXPECT_EQ(ReadBare(reader, path, Small()).value().outcome.Name(), outcome);
  }
  reader.command = {"sh", "-c", "echo oops >&2", kPathMark};
  EXPECT_EQ(ReadBare(reader, path, Small()).value().stderr_tail, "oops\n");
  reader.command = {"sh", "-c", "kill -SEGV $$", kPathMark};
  EXPECT_EQ(ReadBare(reader, path, Small()).value().outcome.Name(), "crash");
  reader.command = {"sh", "-c", "sleep 1000", kPathMark};
  EXPECT_EQ(ReadBare(reader, path, Small()).value().outcome.Name(), "hang");
}

}  // namespace
}  // namespace gguf::readers
