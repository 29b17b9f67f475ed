// Checks an adapter with small files.
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/base/text.h"
#include "conformance/readers/process/session.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/run/cases.h"
#include "conformance/readers/run/judge.h"
#include "conformance/readers/run/runner.h"
#include "corpus/language/case.h"
#include "corpus/language/document.h"

namespace gguf::readers {
namespace {

// A file that every reader can read: values that fit anything.
constexpr char kPlain[] = R"(
gguf 3
kv "general.architecture" str "test"
kv "smoke.u32" u32 7
kv "smoke.f32" f32 0.5
kv "smoke.yes" bool 1
kv "smoke.numbers" arr i32 [7 8 9]
kv "smoke.texts" arr str ["a" "b"]
tensor "first" F32 [2 3] data { f32 [1 2 3 4 5 -0.5] align 32 }
tensor "second" F16 [4] data { f16 [1 -2 0.5 0] align 32 }
)";

// A file with one value of each type, strings and names that are not plain
// words, and two tensors.
constexpr char kSound[] = R"(
gguf 3
kv "general.architecture" str "test"
kv "smoke.u8" u8 255
kv "smoke.i8" i8 -128
kv "smoke.u16" u16 65535
kv "smoke.i16" i16 -32768
kv "smoke.u32" u32 4294967295
kv "smoke.i32" i32 -2147483648
kv "smoke.u64" u64 0xffffffffffffffff
kv "smoke.i64" i64 -9223372036854775808
kv "smoke.f32" f32 -0.1
kv "smoke.f64" f64 0.1
kv "smoke.yes" bool 1
kv "smoke.no" bool 0
kv "smoke.empty" str ""
kv "smoke.text" str "two words\n\u{20ac}"
kv "smoke.numbers" arr i32 [7 -8 9]
kv "smoke.texts" arr str ["a" "" "b c"]
kv "smoke.none" arr u8 []
tensor "first" F32 [2 3] data { f32 [1 2 3 4 5 -0.5] align 32 }
tensor "second" F16 [4] data { f16 [1 -2 0.5 0] }
)";

constexpr char kCut[] = R"(
gguf 3
kv "general.architecture" str "test"
cut -3
)";

constexpr char kNotGguf[] = "\"this is no model\"";
constexpr char kEmpty[] = "";

enum class Want { kAccept, kReject, kNoAccept };

enum class Blame { kAdapter, kReader };

// One file, the expected verdict, and whose fault anything else is.
struct Step {
  const char* name;  // File name.
  const char* text;  // In the case language; null: no file.
  Want want;
  Blame blame;
  const char* about;
};
constexpr Step kSteps[] = {
    {"plain.gguf", kPlain, Want::kAccept, Blame::kAdapter,
     "a valid file that every reader can read"},
    {"sound.gguf", kSound, Want::kAccept, Blame::kReader, "a valid file with extreme values"},
    {"cut.gguf", kCut, Want::kReject, Blame::kReader, "a file truncated by three bytes"},
    {"not-gguf.gguf", kNotGguf, Want::kReject, Blame::kReader, "a file without the magic"},
    {"empty.gguf", kEmpty, Want::kReject, Blame::kReader, "an empty file"},
    {"again.gguf", kPlain, Want::kAccept, Blame::kAdapter,
     "the plain file again: no state may be left"},
    {"a name, \xc3\xa4 'quoted' one.gguf", kPlain, Want::kAccept, Blame::kAdapter,
     "the plain file under another name"},
    {"missing.gguf", nullptr, Want::kNoAccept, Blame::kAdapter, "a missing file"},
};

// Returns advice for an outcome that small files should not cause.
const char* Advice(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kHang:
      return "flush standard output after each verdict, and read standard "
             "input line by line, not to its end";
    case OutcomeKind::kExit:
      return "write @reject instead of exiting: catch the exceptions by which "
             "the reader rejects files, and do not call exit()";
    case OutcomeKind::kAbort:
      return "catch the exceptions by which the reader rejects files, and "
             "write @reject";
    case OutcomeKind::kFlood:
      return "omit lines of more than 8 MiB";
    case OutcomeKind::kOutOfMemory:
      return "if the runtime needs more memory, set memory_mib in readers.toml";
    case OutcomeKind::kProtocol:
      return "docs/reader-protocol.md describes each line; log output must not "
             "begin with @";
    default:
      return "the reader fails on a tiny file; run it by hand";
  }
}

// Returns whose fault an unsafe outcome is.  A reader crashes, and hangs on a
// broken file; the other outcomes are violations of the protocol.
Blame BlameFor(OutcomeKind kind, Blame otherwise) {
  switch (kind) {
    case OutcomeKind::kProtocol:
    case OutcomeKind::kExit:
    case OutcomeKind::kAbort:
    case OutcomeKind::kFlood:
      return Blame::kAdapter;
    case OutcomeKind::kHang:
    case OutcomeKind::kOutOfMemory:
      return otherwise;
    default:
      return Blame::kReader;
  }
}

// Runs the steps with one adapter and writes the transcript.
class Smoke {
 public:
  Smoke(const Reader& reader, const WatchLimits& limits, const std::string& folder)
      : reader_(reader), limits_(limits), folder_(folder) {}

  absl::StatusOr<SmokeResult> Run();

 private:
  absl::Status Greet();
  absl::Status Start();
  absl::Status Do(const Step& step);
  // Writes the file of a step.
  absl::StatusOr<corpus::Document> Write(const Step& step, const std::string& path) const;
  absl::StatusOr<Observation> Ask(const std::string& path);
  absl::Status Judge(const Step& step, const corpus::Document& document, const Observation& seen);
  absl::Status CompareContents(const Step& step, const corpus::Document& document,
                               const Answer& observed);
  void End();

  void Show(absl::string_view mark, absl::string_view text);
  void Wrong(Blame blame, absl::string_view what, absl::string_view advice);

  const Reader& reader_;
  const WatchLimits limits_;
  const std::string folder_;
  std::unique_ptr<Session> session_;
  Caps caps_;
  SmokeResult result_;
};

absl::StatusOr<SmokeResult> Smoke::Run() {
  if (!reader_.bare()) {
    const absl::Status greeted = Greet();
    if (!greeted.ok()) return greeted;
  }
  for (const Step& step : kSteps) {
    const absl::Status done = Do(step);
    if (!done.ok()) return done;
  }
  if (session_ != nullptr) End();
  absl::StrAppend(&result_.transcript, "\n",
                  result_.adapter_faults == 0
                      ? "The adapter conforms to the protocol.\n"
                      : absl::StrCat("Faults of the adapter: ", result_.adapter_faults, "\n"));
  if (result_.reader_bugs > 0) {
    absl::StrAppend(&result_.transcript, "Bugs of the reader: ", result_.reader_bugs,
                    ".  Leave them: ggufcheck readers run reports them.\n");
  }
  return std::move(result_);
}

absl::Status Smoke::Greet() {
  const absl::Status started = Start();
  if (!started.ok()) return started;
  caps_ = session_->greeting().caps;
  Show("<", ToLine(session_->greeting()));
  return absl::OkStatus();
}

absl::Status Smoke::Start() {
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Start(reader_);
  if (!session.ok()) return session.status();
  session_ = *std::move(session);
  return absl::OkStatus();
}

absl::Status Smoke::Do(const Step& step) {
  const std::string path = absl::StrCat(folder_, "/", step.name);
  absl::StrAppend(&result_.transcript, "\n", step.about, "\n");
  const absl::StatusOr<corpus::Document> document = Write(step, path);
  if (!document.ok()) return document.status();
  Show(">", path);
  const absl::StatusOr<Observation> seen = Ask(path);
  if (!seen.ok()) return seen.status();
  return Judge(step, *document, *seen);
}

absl::StatusOr<corpus::Document> Smoke::Write(const Step& step, const std::string& path) const {
  if (step.text == nullptr) return corpus::Document();
  auto text = corpus::ReadText(step.text, nullptr);  // It has no base.
  if (!text.ok()) return text.status();
  const auto written = WriteDocument(text->document, path);
  if (!written.ok()) return written.status();
  return std::move(text->document);
}

absl::StatusOr<Observation> Smoke::Ask(const std::string& path) {
  if (reader_.bare()) return ReadBare(reader_, path, limits_);
  if (session_ == nullptr || !session_->Ready()) {
    if (session_ != nullptr) {
      Wrong(Blame::kAdapter,
            session_->out_of_step() ? "it wrote a line after its last verdict"
                                    : "it exited after its last verdict",
            "give one verdict, and wait for the next path");
    }
    const absl::Status started = Start();
    if (!started.ok()) return started;
  }
  Observation seen = session_->Read(path, limits_);
  if (!seen.outcome.safe()) session_.reset();
  return seen;
}

absl::Status Smoke::Judge(const Step& step, const corpus::Document& document,
                          const Observation& seen) {
  const std::string lines = ToLines(seen.answer);
  for (absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    Show("<", line);
  }
  if (reader_.bare()) Show("=", seen.outcome.Name());
  if (!seen.outcome.safe()) {
    Wrong(BlameFor(seen.outcome.kind, step.blame),
          absl::StrCat(seen.outcome.Name(), ": ", seen.outcome.detail), Advice(seen.outcome.kind));
    return absl::OkStatus();
  }
  const bool accepted = seen.outcome.kind == OutcomeKind::kAccept;
  if (accepted != (step.want == Want::kAccept)) {
    Wrong(step.blame, accepted ? "it accepts the file" : "it does not accept the file",
          accepted ? "make sure that the adapter reports the reader's error as "
                     "@reject CLASS TEXT"
                   : "see the reader's error in the line above");
    return absl::OkStatus();
  }
  if (step.want == Want::kReject && seen.outcome.kind == OutcomeKind::kSkip) {
    Wrong(Blame::kAdapter, "it skips the file", "only @reject rejects a file");
  }
  if (!accepted || reader_.bare()) return absl::OkStatus();
  return CompareContents(step, document, seen.answer);
}

absl::Status Smoke::CompareContents(const Step& step, const corpus::Document& document,
                                    const Answer& observed) {
  const absl::StatusOr<Answer> expected = ExpectedAnswer(document, caps_);
  if (!expected.ok()) return expected.status();
  if (caps_.deq && observed.weights.empty()) {
    Wrong(Blame::kAdapter, "it announces \"deq\" and writes no @q line",
          "write the weights as floats, or do not announce the capability");
  }
  const bool is_plain = step.blame == Blame::kAdapter;
  for (const LevelResult& level : Compare(*expected, observed, caps_)) {
    if (level.state != LevelState::kFail) continue;
    const Difference& difference = level.difference;
    Wrong(step.blame,
          absl::StrCat(difference.path, " should be ", difference.expected, ", not ",
                       difference.observed),
          is_plain ? "if the reader cannot report it, announce a quirk, or do "
                     "not announce the capability"
                   : "the adapter reported a plain file correctly; if the "
                     "reader has the right value here, the adapter loses it");
  }
  return absl::OkStatus();
}

void Smoke::End() {
  absl::StrAppend(&result_.transcript, "\nend of input\n");
  const Outcome end = session_->Close(limits_);
  if (end.detail.empty()) return;
  Wrong(Blame::kAdapter, end.detail, "exit with code 0 at the end of standard input");
}

void Smoke::Show(absl::string_view mark, absl::string_view text) {
  constexpr size_t kShown = 120;
  absl::StrAppend(&result_.transcript, "  ", mark, " ", Escape(text, kShown), "\n");
}

void Smoke::Wrong(Blame blame, absl::string_view what, absl::string_view advice) {
  const bool is_adapter = blame == Blame::kAdapter;
  ++(is_adapter ? result_.adapter_faults : result_.reader_bugs);
  absl::StrAppend(&result_.transcript, "  ! ", is_adapter ? "adapter: " : "reader: ", what,
                  "\n    ", advice, "\n");
}

}  // namespace

absl::StatusOr<SmokeResult> RunSmoke(const Reader& reader, const WatchLimits& limits) {
  const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder.ok()) return folder.status();
  return Smoke(reader, limits, folder->path()).Run();
}

}  // namespace gguf::readers
