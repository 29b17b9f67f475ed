// Runs the workers of a fuzzing run, and keeps what they find.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/fuzz/fuzzer.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "conformance/base/output_file.h"
#include "conformance/base/project.h"
#include "conformance/base/threads.h"
#include "conformance/readers/fuzz/judge.h"
#include "conformance/readers/fuzz/mutants.h"
#include "conformance/readers/fuzz/reduce.h"
#include "conformance/readers/process/session.h"
#include "conformance/readers/run/cases.h"
#include "corpus/export/collection.h"
#include "corpus/language/disassemble.h"
#include "corpus/language/image.h"

namespace gguf::readers {
namespace {

// More groups say that the grouping does not fit the reader.
constexpr size_t kMostGroups = 1000;
constexpr size_t kMostSignatures = 100'000;

constexpr size_t kMostTries = 600;  // Of one reduction.
constexpr absl::Duration kMostReducing = absl::Seconds(5);

// A hang must last this many times longer when it is confirmed.
constexpr int kPatience = 10;
constexpr absl::Duration kMostNaming = absl::Seconds(10);
constexpr absl::Duration kMostStack = absl::Seconds(2);

// The signature of a hang is the innermost function that was running in both
// readings.  A loop may call others.
std::string KeyOfHang(absl::string_view function) { return absl::StrCat("hang|in ", function); }

constexpr absl::Duration kBetweenSaves = absl::Seconds(30);

// Returns the reader with sanitizers that do not look up the names of
// functions, which takes longer than anything else.
Reader WithoutNames(Reader reader) {
  for (const char* name : {"ASAN_OPTIONS", "MSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    std::string& value = reader.environment[name];
    absl::StrAppend(&value, value.empty() ? "" : ":", "symbolize=0");
  }
  return reader;
}

// A reader and, if there is one, the reader that judges it.
struct Pair {
  Pair(const Reader& reader, const FuzzOptions& options) : tested(reader) {
    if (options.other) other.emplace(*options.other);
  }
  Implementation tested;
  std::optional<Implementation> other;
};

struct Failing {
  Signature signature;
  Observation seen;
};

class Fuzzer {
 public:
  Fuzzer(const FuzzOptions& options, FuzzReport report, const std::string& folder)
      : options_(options),
        fast_(WithoutNames(options.reader)),
        folder_(folder),
        report_(std::move(report)),
        pool_(options.seeds),
        begin_(absl::Now()) {
    for (FuzzGroup& group : report_.groups) {
      groups_.push_back({std::move(group)});
      by_signature_.emplace(groups_.back().shown.signature, groups_.size() - 1);
    }
    report_.groups.clear();
  }

  absl::StatusOr<FuzzReport> Run();
  absl::StatusOr<FuzzReport> Replay();

 private:
  struct Group {
    FuzzGroup shown;
    bool fails = false;     // In a replay.
    bool in_queue = false;  // To be reduced.
  };
  // A signature as it is seen while fuzzing, without names.
  struct Sighting {
    uint64_t count = 0;
    bool in_work = false;
    std::optional<size_t> group;  // Once confirmed.
  };

  void InThreads(const std::function<absl::Status(size_t number)>& work);
  absl::Status Work(size_t number);
  absl::Status ReplayGroups(size_t number);
  // Files that break the same rules often fail alike, and to start a reader
  // again takes longer than to judge a file: most of those that are known to
  // fail are skipped.
  struct Tally {
    uint64_t safe = 0, unsafe = 0;
  };
  bool IsKnownToFail(const std::string& alike, Random* random);
  void Count(const std::string& alike, bool is_unsafe);
  // Takes the next seed that was not read yet, otherwise a mutant.
  std::string NextFile(Random* random);

  // A group whose file can be reduced, if it is time to do so.
  struct Unreduced {
    size_t group;
    std::string bytes;
  };
  std::optional<Unreduced> NextToReduce();
  absl::Status ReduceNext(const std::string& path);

  // Reads a file and judges it.
  struct Judged {
    Observation seen;
    Opinion opinion;
    std::optional<Signature> wrong;
  };
  absl::StatusOr<Judged> Read(const std::string& bytes, const std::string& path,
                              const WatchLimits& limits, Pair* readers);
  // Reads it in new processes, and returns how it fails each time.
  absl::StatusOr<std::optional<Failing>> Confirm(const std::string& bytes, const std::string& kind,
                                                 int times, const std::string& path);
  // Counts a failure; confirms the first of its group.
  absl::Status Found(const std::string& bytes, const Signature& raw, const std::string& path);
  absl::Status AddGroup(const std::string& bytes, const std::string& raw_key,
                        const Failing& failing);
  absl::StatusOr<std::string> Reduced(const std::string& bytes, size_t group,
                                      const std::string& path);
  // Sets all members of a group that depend on its file, and writes that.
  absl::Status Describe(const std::string& bytes, const Failing& failing, size_t group);
  std::string Reproduce(const std::string& file) const;

  FuzzReport Report();
  absl::Status Save();
  void ShowProgress();
  void Stop(const absl::Status& why);
  absl::Duration elapsed() const { return absl::Now() - begin_; }
  bool stopped() const { return stopped_ || options_.limits.interrupted(); }
  bool IsOver() const { return stopped() || elapsed() >= options_.time; }
  bool IsTooLate() const { return stopped() || elapsed() >= options_.time + kMostAfterwards; }

  const FuzzOptions& options_;
  const Reader fast_;
  const std::string folder_;
  FuzzReport report_;  // Of earlier runs.
  MutantPool pool_;
  const absl::Time begin_;

  std::atomic<uint64_t> executions_{0};
  std::atomic<size_t> next_seed_{0};
  std::atomic<bool> stopped_{false};

  std::mutex mutex_;  // Guards the members below.
  std::deque<Group> groups_;
  std::map<std::string, size_t> by_signature_;
  std::map<std::string, Sighting> sightings_;
  std::map<std::string, Tally> tally_;  // By the rules that files break.
  std::deque<Unreduced> to_reduce_;
  absl::Duration reducing_;  // The time that it took so far.
  absl::Status why_stopped_;
  absl::Time shown_ = absl::InfinitePast(), saved_ = absl::Now();
};

absl::StatusOr<FuzzReport> Fuzzer::Run() {
  InThreads([&](size_t number) { return Work(number); });
  const absl::Status saved = Save();
  if (!saved.ok()) return saved;
  return Report();
}

absl::StatusOr<FuzzReport> Fuzzer::Replay() {
  next_seed_ = 0;
  InThreads([&](size_t number) { return ReplayGroups(number); });
  if (!why_stopped_.ok()) return why_stopped_;
  groups_.erase(std::remove_if(groups_.begin(), groups_.end(),
                               [](const Group& group) { return !group.fails; }),
                groups_.end());
  return Report();
}

void Fuzzer::InThreads(const std::function<absl::Status(size_t)>& work) {
  std::atomic<size_t> next{0};
  RunThreads(options_.jobs, [&] {
    try {
      const absl::Status done = work(next++);
      if (!done.ok()) Stop(done);
    } catch (const std::exception& error) {  // Such as out of memory.
      Stop(absl::InternalError(absl::StrCat("internal error: ", error.what())));
    }
  });
}

std::string Fuzzer::NextFile(Random* random) {
  const size_t seed = next_seed_++;
  return seed < options_.seeds.size() ? options_.seeds[seed] : pool_.Next(random);
}

absl::Status Fuzzer::Work(size_t number) {
  const std::string path = absl::StrCat(folder_, "/", number, ".gguf");
  Pair readers(fast_, options_);
  Random random(options_.seed + report_.executions + (uint64_t{number} << 32));
  while (!IsOver()) {
    const std::string file = NextFile(&random);
    const std::string alike = absl::StrJoin(OpinionOf(file).found, " ");
    if (IsKnownToFail(alike, &random)) continue;
    const auto judged = Read(file, path, options_.limits, &readers);
    if (!judged.ok()) return judged.status();
    if (options_.limits.interrupted()) break;  // Which may have ended the reader.
    // What ends a reader is found again; what it reads on is new.
    if (judged->seen.outcome.safe() &&
        pool_.Consider(file, FeaturesOf(judged->seen, judged->opinion)) &&
        !options_.output.empty()) {
      const std::string name =
          absl::StrCat("mutants/", corpus::Sha256(file).substr(0, 16), ".gguf");
      const absl::Status kept =
          ReplaceFile(absl::StrCat(options_.output, "/", name), file, InputFiles());
      if (!kept.ok()) return kept;
    }
    Count(alike, !judged->seen.outcome.safe());
    if (judged->wrong) {
      const absl::Status found = Found(file, *judged->wrong, path);
      if (!found.ok()) return found;
    }
    const absl::Status reduced = ReduceNext(path);
    if (!reduced.ok()) return reduced;
    ShowProgress();
  }
  readers.tested.End(options_.limits);
  for (size_t left = kMostGroups; left > 0 && !IsTooLate(); --left) {
    const absl::Status reduced = ReduceNext(path);
    if (!reduced.ok()) return reduced;
  }
  return absl::OkStatus();
}

bool Fuzzer::IsKnownToFail(const std::string& alike, Random* random) {
  constexpr uint64_t kEnough = 4, kAgain = 16;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = tally_.find(alike);
  return it != tally_.end() && it->second.safe == 0 && it->second.unsafe >= kEnough &&
         (*random)() % kAgain != 0;
}

void Fuzzer::Count(const std::string& alike, bool is_unsafe) {
  constexpr size_t kMostKinds = 100'000;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (tally_.size() >= kMostKinds && tally_.count(alike) == 0) return;
  Tally& tally = tally_[alike];
  ++(is_unsafe ? tally.unsafe : tally.safe);
}

absl::StatusOr<Fuzzer::Judged> Fuzzer::Read(const std::string& bytes, const std::string& path,
                                            const WatchLimits& limits, Pair* readers) {
  corpus::Image image;
  image.Append(bytes);
  const absl::Status written = corpus::WriteImage(image, path);
  if (!written.ok()) return written;
  ++executions_;
  absl::StatusOr<Observation> seen = readers->tested.Read(0, path, limits);
  if (!seen.ok()) return seen.status();
  // The reader's messages may name the file.
  absl::StrReplaceAll({{folder_, ""}}, &seen->answer.text);
  Judged judged{*std::move(seen), OpinionOf(bytes), {}};
  Reading reading{&judged.seen, options_.caps, nullptr, options_.other_caps};
  absl::StatusOr<Observation> others;
  if (readers->other && judged.seen.outcome.safe()) {
    others = readers->other->Read(0, path, limits);
    if (!others.ok()) return others.status();
    reading.other = &*others;
  }
  judged.wrong = SignatureOf(reading, bytes, judged.opinion);
  return judged;
}

absl::StatusOr<std::optional<Failing>> Fuzzer::Confirm(const std::string& bytes,
                                                       const std::string& kind, int times,
                                                       const std::string& path) {
  WatchLimits limits = options_.limits;
  limits.time *= kPatience;
  limits.stack_time = kMostStack;
  // Looking up the names of functions takes time.
  if (kind != "hang") limits.time += kMostNaming;
  std::optional<Failing> last;
  for (int i = 0; i < times; ++i) {
    if (IsTooLate()) return std::nullopt;
    // The last one is shown; the functions of hangs are compared.
    Pair alone(i + 1 < times && kind != "hang" ? fast_ : options_.reader, options_);
    auto judged = Read(bytes, path, limits, &alone);
    if (!judged.ok()) return judged.status();
    const Outcome end = alone.tested.End(limits);
    if (end.kind != OutcomeKind::kSkip) {
      judged->seen.outcome = end;
      judged->wrong = SignatureOf({&judged->seen, options_.caps}, bytes, judged->opinion);
    }
    // What looked like a hang may be anything that takes long.
    const std::string& expected = last ? last->signature.kind : kind;
    if (!judged->wrong || (judged->wrong->kind != expected && (last || kind != "hang"))) {
      return std::nullopt;
    }
    if (last && judged->wrong->kind == "hang") {
      for (const std::string& frame : judged->wrong->frames) {
        if (!absl::c_linear_search(last->signature.frames, frame)) continue;
        judged->wrong->key = KeyOfHang(frame);
        break;
      }
    }
    last = Failing{*std::move(judged->wrong), std::move(judged->seen)};
  }
  return last;
}

absl::Status Fuzzer::Found(const std::string& bytes, const Signature& raw,
                           const std::string& path) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sightings_.size() >= kMostSignatures && sightings_.count(raw.key) == 0) {
      return absl::OkStatus();
    }
    Sighting& sighting = sightings_[raw.key];
    ++sighting.count;
    if (sighting.group) {
      Group& group = groups_[*sighting.group];
      ++group.shown.count;
      // What is smaller than a reduced file may become still smaller.
      if (group.shown.reduced && bytes.size() < group.shown.size && !group.in_queue) {
        group.in_queue = true;
        to_reduce_.push_back({*sighting.group, bytes});
      }
    }
    // A failure that did not recur is tried again, ever more rarely.
    const bool is_turn = (sighting.count & (sighting.count - 1)) == 0;
    if (sighting.group || sighting.in_work || !is_turn) return absl::OkStatus();
    sighting.in_work = true;
  }
  auto failing = Confirm(bytes, raw.kind, 2, path);
  if (failing.ok() && *failing) return AddGroup(bytes, raw.key, **failing);
  const std::lock_guard<std::mutex> lock(mutex_);
  sightings_[raw.key].in_work = false;
  return failing.status();
}

absl::Status Fuzzer::AddGroup(const std::string& bytes, const std::string& raw_key,
                              const Failing& failing) {
  size_t index;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Sighting& sighting = sightings_[raw_key];
    sighting.in_work = false;
    const auto [it, is_new] = by_signature_.emplace(failing.signature.key, groups_.size());
    index = it->second;
    if (is_new && groups_.size() >= kMostGroups) return absl::OkStatus();
    if (is_new) {
      FuzzGroup shown;
      shown.kind = failing.signature.kind;
      shown.signature = failing.signature.key;
      shown.seconds = report_.seconds + absl::ToDoubleSeconds(elapsed());
      groups_.push_back({std::move(shown)});
    }
    sighting.group = index;
    Group& group = groups_[index];
    group.shown.count += sighting.count;
    if (group.shown.reduced || group.in_queue) return absl::OkStatus();
    group.in_queue = true;  // Also that of an earlier run, which had no time.
  }
  const absl::Status described = Describe(bytes, failing, index);
  const std::lock_guard<std::mutex> lock(mutex_);
  to_reduce_.push_back({index, bytes});
  return described;
}

std::optional<Fuzzer::Unreduced> Fuzzer::NextToReduce() {
  const std::lock_guard<std::mutex> lock(mutex_);
  // A quarter of the time, and the last quarter of the run.
  const bool is_time =
      reducing_ <= elapsed() * options_.jobs / 4 || elapsed() >= options_.time * 0.75;
  if (to_reduce_.empty() || !is_time) return std::nullopt;
  Unreduced next = std::move(to_reduce_.front());
  to_reduce_.pop_front();
  return next;
}

absl::Status Fuzzer::ReduceNext(const std::string& path) {
  const std::optional<Unreduced> next = NextToReduce();
  if (!next) return absl::OkStatus();
  const absl::Time begin = absl::Now();
  const auto reduced = Reduced(next->bytes, next->group, path);
  if (!reduced.ok()) return reduced.status();
  std::string kind, key;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    reducing_ += absl::Now() - begin;
    groups_[next->group].in_queue = false;
    const FuzzGroup& shown = groups_[next->group].shown;
    if (shown.reduced && reduced->size() >= shown.size) return absl::OkStatus();
    kind = groups_[next->group].shown.kind;
    key = groups_[next->group].shown.signature;
  }
  const auto again = Confirm(*reduced, kind, 1, path);
  if (!again.ok()) return again.status();
  if (!*again) return absl::OkStatus();
  const Signature& signature = (**again).signature;
  const bool same =
      signature.key == key || absl::c_any_of(signature.frames, [&](const std::string& frame) {
        return key == KeyOfHang(frame);
      });
  if (!same) return absl::OkStatus();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    groups_[next->group].shown.reduced = !IsTooLate();
  }
  return Describe(*reduced, **again, next->group);
}

absl::StatusOr<std::string> Fuzzer::Reduced(const std::string& bytes, size_t group,
                                            const std::string& path) {
  const absl::Time begin = absl::Now();
  Pair readers(fast_, options_);
  absl::Status status;
  const auto same = [&](const std::string& candidate) {
    const auto judged = Read(candidate, path, options_.limits, &readers);
    if (!judged.ok()) status = judged.status();
    if (!judged.ok() || !judged->wrong) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = sightings_.find(judged->wrong->key);
    return it != sightings_.end() && it->second.group == group;
  };
  const auto stop = [&] {
    return !status.ok() || IsTooLate() || absl::Now() - begin > kMostReducing;
  };
  const auto faults = [](const std::string& file) { return OpinionOf(file).found.size(); };
  std::string reduced = Reduce(bytes, kMostTries, faults, same, stop);
  if (!status.ok()) return status;
  return reduced;
}

absl::Status Fuzzer::Describe(const std::string& bytes, const Failing& failing, size_t group) {
  FuzzGroup described;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    described = groups_[group].shown;
  }
  const std::string old_file = described.file;
  FuzzGroup* const shown = &described;
  const Opinion opinion = OpinionOf(bytes);
  constexpr uint64_t kMostNumbers = 10'000;
  constexpr size_t kMostText = 64 << 10;
  shown->kind = failing.signature.kind;
  shown->message = failing.signature.message;
  shown->frames = failing.signature.frames;
  shown->size = bytes.size();
  shown->text = corpus::Print(corpus::Disassemble(bytes, kMostNumbers));
  if (shown->text.size() > kMostText) shown->text = "# too long; see the file\n";
  shown->hex = absl::BytesToHexString(bytes.substr(0, kMostFuzzHex));
  shown->verdict = opinion.errors.empty() ? "valid" : "invalid";
  shown->rejected_by = opinion.rejected_by;
  shown->rules = opinion.errors;
  shown->output = failing.seen.stderr_tail;
  absl::StrReplaceAll({{folder_, ""}}, &shown->output);
  const std::string name =
      absl::StrCat(shown->kind, "-", corpus::Sha256(bytes).substr(0, 12), ".gguf");
  shown->reproduce = Reproduce(
      options_.output.empty() ? name
                              : absl::StrCat(PortablePath(options_.output), "/findings/", name));
  if (!options_.output.empty()) {
    shown->file = absl::StrCat("findings/", name);
    const std::string path = absl::StrCat(options_.output, "/", shown->file);
    absl::Status written = ReplaceFile(path, bytes, InputFiles());
    if (written.ok()) written = ReplaceFile(path + "t", shown->text, InputFiles());
    if (!written.ok()) return written;
    std::error_code error;
    for (const char* suffix : {"", "t"}) {
      if (old_file.empty() || old_file == shown->file) continue;
      std::filesystem::remove(absl::StrCat(options_.output, "/", old_file, suffix), error);
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  described.count = groups_[group].shown.count;
  groups_[group].shown = std::move(described);
  return absl::OkStatus();
}

std::string Fuzzer::Reproduce(const std::string& file) const {
  std::vector<std::string> command = PortableCommand(options_.reader);
  for (std::string& word : command) absl::StrReplaceAll({{kPathMark, file}}, &word);
  std::string line =
      options_.reader.bare() ? "" : absl::StrCat("realpath ", ShellLine({file}), " | ");
  return absl::StrCat(line, ShellLine(command));
}

absl::Status Fuzzer::ReplayGroups(size_t number) {
  const std::string path = absl::StrCat(folder_, "/", number, ".gguf");
  for (size_t i = next_seed_++; i < groups_.size() && !stopped(); i = next_seed_++) {
    FuzzGroup& shown = groups_[i].shown;
    const auto bytes = corpus::ReadRegularFile(absl::StrCat(options_.output, "/", shown.file));
    if (!bytes.ok()) return bytes.status();
    const auto failing = Confirm(*bytes, shown.kind, 2, path);
    if (!failing.ok()) return failing.status();
    if (!*failing) continue;
    groups_[i].fails = true;
    shown.kind = (**failing).signature.kind;
    shown.message = (**failing).signature.message;
    shown.frames = (**failing).signature.frames;
    shown.output = (**failing).seen.stderr_tail;
  }
  return absl::OkStatus();
}

FuzzReport Fuzzer::Report() {
  const std::lock_guard<std::mutex> lock(mutex_);
  FuzzReport report = report_;
  report.tool = {"ggufcheck", kToolVersion};
  report.executions += executions_;
  report.seconds += absl::ToDoubleSeconds(elapsed());
  report.features = pool_.features();
  report.incomplete = std::string(why_stopped_.message());
  if (options_.limits.interrupted()) report.incomplete = "interrupted";
  for (const Group& group : groups_) {
    // A group that is being reduced is not shown yet.
    if (!group.shown.reproduce.empty()) report.groups.push_back(group.shown);
  }
  SortGroups(&report.groups);
  return report;
}

absl::Status Fuzzer::Save() {
  if (options_.output.empty()) return absl::OkStatus();
  return ReplaceFile(FuzzReportPath(options_.output), FuzzJson(Report()), InputFiles());
}

void Fuzzer::ShowProgress() {
  FuzzProgress progress;
  bool save;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const absl::Time now = absl::Now();
    if (now - shown_ < absl::Seconds(1)) return;
    shown_ = now;
    save = now - saved_ > kBetweenSaves;
    if (save) saved_ = now;
    progress = {now - begin_, executions_, groups_.size(), pool_.features()};
    options_.progress(progress);
  }
  const absl::Status saved = save ? Save() : absl::OkStatus();
  if (!saved.ok()) Stop(saved);
}

void Fuzzer::Stop(const absl::Status& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (why_stopped_.ok()) why_stopped_ = why;
  stopped_ = true;
}

absl::Status MakeFolders(const std::string& output) {
  for (const char* name : {"findings", "mutants"}) {
    std::error_code error;
    std::filesystem::create_directories(absl::StrCat(output, "/", name), error);
    if (error) {
      return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot make ", output, "/", name));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FuzzReport> Fuzz(const FuzzOptions& options, FuzzReport report) {
  FuzzOptions with_kept = options;
  if (!options.output.empty()) {
    const absl::Status made = MakeFolders(options.output);
    if (!made.ok()) return made;
    const auto kept = SeedsIn(options.output + "/mutants", kMostMutant);
    if (!kept.ok()) return kept.status();
    with_kept.seeds.insert(with_kept.seeds.end(), kept->begin(), kept->end());
  }
  const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder.ok()) return folder.status();
  return Fuzzer(with_kept, std::move(report), folder->path()).Run();
}

absl::StatusOr<FuzzReport> Replay(const FuzzOptions& options, FuzzReport report) {
  FuzzOptions unlimited = options;
  unlimited.time = absl::InfiniteDuration();
  const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder.ok()) return folder.status();
  return Fuzzer(unlimited, std::move(report), folder->path()).Replay();
}

std::string FuzzReportPath(const std::string& folder) { return folder + "/findings.json"; }

}  // namespace gguf::readers
