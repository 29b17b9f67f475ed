// ggufcheck show: what a model is, for people.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/base/json.h"
#include "conformance/base/output_file.h"
#include "conformance/base/text.h"
#include "conformance/check/check_inputs.h"
#include "conformance/check/files.h"
#include "conformance/input/open.h"
#include "conformance/model/model.h"
#include "conformance/model/summary.h"
#include "parser/parse.h"

namespace gguf {
namespace {

using absl::string_view;

struct ShowFlags {
  std::string format = "text";
  bool tokens = false;
  CheckOptions options = ProgramOptions();
};

// The files of a model, which are open.
struct OpenModel {
  std::string path;  // Of its first file, escaped.
  std::deque<Input> inputs;
  ModelFiles files;
  const Model* whole = nullptr;
  int code = kOk;
};

// Opens and parses the files of a model, and prints why some cannot be read.
void Open(const FileGroup& group, const OpenOptions& options, OpenModel* model) {
  model->path = Visible(ShownPath(group.files[0].path));
  for (const FoundFile& file : group.files) {
    const auto fail = [&](string_view why, int code) {
      PrintError(absl::StrCat(Visible(ShownPath(file.path)), ": ", why));
      model->code = std::max(model->code, code);
    };
    auto input = file.status.ok() ? Input::Open(file.path, options) : file.status;
    if (!input.ok()) {
      fail(input.status().message(), kCouldNotRun);
      continue;
    }
    model->inputs.push_back(*std::move(input));
    const auto stop = model->files.Add(model->inputs.back().source(), options.limits);
    if (stop) fail(stop->Why(), stop->kind == Stop::kDamage ? kFindings : kCouldNotRun);
  }
  model->whole = model->files.Whole();
}

// Writes the vocabulary, which may be too long to keep.
void WriteTokens(const OpenModel& model, bool is_json, std::ostream& out) {
  if (is_json) out << "{\"path\": " << JsonString(model.path) << ", \"tokens\": [";
  uint64_t id = 0;
  VisitTokens(*model.whole, [&](string_view text, std::optional<int32_t> type) {
    if (is_json) {
      Json token = {{"id", id}, {"text", Told(text)}};
      if (!IsValidUtf8(text)) token["hex"] = absl::BytesToHexString(text);
      if (type) token["type"] = *type;
      out << (id == 0 ? "\n" : ",\n") << JsonText(token);
    } else {
      out << absl::StrFormat("%8d  %s  %s\n", id, type ? absl::StrCat(*type) : "-",
                             Quote(text, text.size()));
    }
    ++id;
  });
  if (is_json) out << "\n]}";
}

int RunShow(ShowFlags flags) {
  const auto inputs = CheckInputs::Open(&flags.options);
  if (!inputs.ok()) return FailWith(inputs.status());
  const OpenOptions options = {flags.options.limits, inputs->header(), {}};
  const bool is_json = flags.format == "json";
  int code = kOk;
  std::vector<NamedSummary> models;
  const auto out = OutputFile::StandardOutput();
  const char* separator = "";
  if (is_json && flags.tokens) out->out() << "{\"schema\": \"ggufcheck/show/1\", \"files\": [";
  for (const FileGroup& group : GroupShards(FindFiles(flags.options.paths, {}, options).files)) {
    OpenModel model;
    Open(group, options, &model);
    if (model.whole != nullptr && flags.tokens) {
      out->out() << separator;
      WriteTokens(model, is_json, out->out());
      separator = is_json ? ",\n" : "\n";
    } else if (model.whole != nullptr) {
      models.push_back({model.path, SummaryOf(*model.whole)});
    }
    for (const Input& input : model.inputs) {
      const std::string changed = input.WhyChanged();
      if (changed.empty()) continue;
      PrintError(absl::StrCat(model.path, ": ", changed));
      code = kCouldNotRun;
    }
    code = std::max(code, model.code);
  }
  if (flags.tokens) {
    if (is_json) out->out() << "]}\n";
  } else if (is_json) {
    Json files = Json::array();
    for (const NamedSummary& model : models) files.push_back(SummaryJson(model));
    out->out() << JsonText({{"schema", "ggufcheck/show/1"}, {"files", files}}, 2) << "\n";
  } else if (!models.empty()) {
    constexpr size_t kWidth = 80, kWidest = 160;
    const size_t terminal = TerminalWidth();
    out->out() << SummaryText(models, terminal == 0 ? kWidth : std::min(terminal, kWidest));
  }
  return Finish(out.get()) ? code : kCouldNotRun;
}

}  // namespace

void AddShowCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<ShowFlags>();
  CLI::App* command = program->add_subcommand(
      "show", "Show what a model is: size, context, types, tokenizer, template.");
  AddValue(
      command, "PATH", &flags->options.paths, "",
      "Files, directories to search for models, URLs, or - for standard input; the shards of a "
      "model are shown as one")
      ->required();
  AddChoice(command, "--format", &flags->format, {"text", "json"}, "The format of the output");
  command->add_flag("--tokens", flags->tokens,
                    "Print the vocabulary: each token with its id and the number of its type");
  AddFlags(command, {"config", "no-config", "header", "cacert", "allow-private-redirects"},
           &flags->options);
  AddLimitFlags(command, &flags->options);
  command->footer(
      "Several files stand side by side; an asterisk marks what differs.  Prints what could be\n"
      "read of a broken file, and exits with 1.\n"
      "\nExamples:\n"
      "  ggufcheck show model.gguf\n"
      "  ggufcheck show model-Q4_K_M.gguf model-Q8_0.gguf\n"
      "  ggufcheck show --tokens model.gguf | grep -n '<|im_end|>'");
  command->callback([flags, exit_code] { *exit_code = RunShow(*flags); });
}

}  // namespace gguf
