// ggufcheck render: what a chat template writes.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/civil_time.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/base/json.h"
#include "conformance/base/name_hash.h"
#include "conformance/base/text.h"
#include "conformance/input/open.h"
#include "conformance/jinja/conversations.h"
#include "conformance/jinja/interpreter.h"
#include "conformance/model/model.h"
#include "conformance/model/renderings.h"
#include "conformance/model/template_names.h"
#include "conformance/model/vocabulary.h"
#include "parser/parse.h"

namespace gguf {
namespace {

using absl::string_view;
using jinja::Rendering;
using jinja::Variables;

struct RenderFlags {
  std::string path, messages, tools, date, template_name, engine, other, format = "text";
  std::vector<std::string> variables;
  bool no_prompt = false, is_raw = false;
  CheckOptions options = ProgramOptions();
};

// A template, and what a model has for it.
struct TemplateSource {
  std::string path, text;
  std::shared_ptr<const jinja::Tree> tree;
  Variables variables;
  NameSet<std::string> tokens;  // That are marked.
};

struct NamedMessages {
  std::string name;
  Json messages, tools;
};

absl::Status Unreadable(const std::string& path, string_view why) {
  return absl::NotFoundError(absl::StrCat(Escape(path, path.size()), ": ", why));
}

absl::StatusOr<std::string> ReadAll(const std::string& path, const RenderFlags& flags) {
  const auto input = Input::Open(path, flags.options.limits.stream_bytes, Streams::kAny);
  if (!input.ok()) return Unreadable(path, input.status().message());
  return std::string(reinterpret_cast<const char*>(input->bytes().data()), input->bytes().size());
}

// Takes one of several templates; returns an error that lists them if none has the name.
absl::Status Choose(const TextMap& templates, const RenderFlags& flags, TemplateSource* source) {
  std::vector<std::string> names;
  for (const auto& [name, text] : templates) {
    source->text = text;
    if (name == flags.template_name) return absl::OkStatus();
    names.push_back(name.empty() ? "the unnamed one" : name);
  }
  const std::string all = Visible(absl::StrJoin(names, ", "));
  return Unreadable(source->path,
                    names.empty() ? "has no chat template" : "has no such template; it has " + all);
}

absl::Status ReadModel(const RenderFlags& flags, TemplateSource* source) {
  OpenOptions options;
  options.limits = flags.options.limits;
  const auto input = Input::Open(source->path, options);
  if (!input.ok()) return Unreadable(source->path, input.status().message());
  Diagnostics found(1);
  const Model model(Parse(input->source(), options.limits, &found), options.limits);
  TextMap templates;
  for (const Template& each : model.templates()) templates.emplace_back(each.name, each.text);
  source->variables = TokenVariables(model);
  const Vocabulary& vocabulary = model.vocabulary();
  for (uint64_t id = 0; id < std::min(vocabulary.size(), vocabulary.type_count()); ++id) {
    const bool is_control = vocabulary.type_number(id) == static_cast<int32_t>(TokenType::kControl);
    if (is_control) source->tokens.emplace(vocabulary.tokens()[id]);
  }
  return Choose(templates, flags, source);
}

// Reads the template and the tokens of a Hugging Face folder.
absl::Status ReadFolder(const RenderFlags& flags, TemplateSource* source) {
  const auto text_in = [](const Json& json, const char* key) -> std::string {
    const bool has_text = json.is_object() && json.contains(key) && json[key].is_string();
    return has_text ? json[key].get<std::string>() : "";
  };
  TextMap templates;
  const auto text = ReadAll(source->path + "/chat_template.jinja", flags);
  if (text.ok()) templates.emplace_back("", *text);
  const auto config_text = ReadAll(source->path + "/tokenizer_config.json", flags);
  if (!config_text.ok() && !text.ok()) return config_text.status();
  const Json config = Json::parse(config_text.value_or("{}"), nullptr, false);
  if (!config.is_object())
    return Unreadable(source->path, "its tokenizer_config.json is no object");
  for (const auto& [key, value] : config.items()) {
    const std::string token =
        value.is_object() ? text_in(value, "content") : text_in(config, key.c_str());
    if (absl::EndsWith(key, "_token") && !token.empty()) {
      source->variables.emplace_back(key, token);
      source->tokens.insert(token);
    }
    if (key != "chat_template") continue;
    if (value.is_string()) templates.emplace_back("", token);
    for (const Json& each : value.is_array() ? value : Json::array()) {
      const std::string name = text_in(each, "name");
      templates.emplace_back(name == "default" ? "" : name, text_in(each, "template"));
    }
  }
  return Choose(templates, flags, source);
}

absl::Status ReadSource(const std::string& path, const RenderFlags& flags, TemplateSource* source) {
  source->path = path;
  std::error_code error;
  absl::Status status;
  if (path == "-" || absl::EndsWith(path, ".jinja")) {
    const auto text = ReadAll(path, flags);
    source->text = text.value_or("");
    status = text.status();
  } else {
    const bool is_folder = std::filesystem::is_directory(path, error);
    status = is_folder ? ReadFolder(flags, source) : ReadModel(flags, source);
  }
  source->tree = jinja::Parse(source->text);
  return status;
}

// Reads a JSON list; nothing without a path.
absl::Status ReadList(const std::string& path, const RenderFlags& flags, Json* list) {
  if (path.empty()) return absl::OkStatus();
  const auto text = ReadAll(path, flags);
  if (!text.ok()) return text.status();
  *list = Json::parse(*text, nullptr, false);
  if (list->is_array()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(Escape(path, path.size()), " is not a JSON list"));
}

// Reads the conversation that the flags name, or takes the fixed ones.
absl::Status ReadConversations(const RenderFlags& flags, std::vector<NamedMessages>* chats) {
  Json messages, tools;
  absl::Status status = ReadList(flags.messages, flags, &messages);
  if (status.ok()) status = ReadList(flags.tools, flags, &tools);
  if (!flags.messages.empty()) chats->push_back({flags.messages, messages, tools});
  for (const jinja::Conversation& each : jinja::FixedConversations()) {
    if (!flags.messages.empty() || (flags.is_raw && !chats->empty())) break;
    const bool has_own = flags.tools.empty() && !each.tools.empty();
    chats->push_back({std::string(each.name), Json::parse(each.messages),
                      has_own ? Json::parse(each.tools) : tools});
  }
  return status;
}

absl::Status ReadVariables(const RenderFlags& flags, Variables* variables) {
  absl::CivilDay date;
  if (!flags.date.empty() && !absl::ParseCivilTime(flags.date, &date)) {
    return absl::InvalidArgumentError(absl::StrCat(Quote(flags.date), " is not a date"));
  }
  for (const std::string& each : flags.variables) {
    const size_t equals = each.find('=');
    Json value = Json::parse(equals == each.npos ? "" : each.substr(equals + 1), nullptr, false);
    if (value.is_discarded()) {
      return absl::InvalidArgumentError(absl::StrCat("--var ", Quote(each), " is not NAME=JSON"));
    }
    variables->emplace_back(each.substr(0, equals), std::move(value));
  }
  return absl::OkStatus();
}

Rendering RenderSource(const TemplateSource& source, const NamedMessages& chat,
                       const Variables& more, const RenderFlags& flags) {
  jinja::MachineOptions options;
  if (!absl::ParseCivilTime(flags.date, &options.date)) {
    options.date = absl::ToCivilDay(absl::Now(), absl::LocalTimeZone());
  }
  options.most_steps *= 50;
  options.most_bytes *= 16;
  options.largest_value *= 16;
  Variables variables = source.variables;
  const Variables all = jinja::ChatVariables(chat.messages, chat.tools, !flags.no_prompt);
  variables.insert(variables.end(), all.begin(), all.end());
  variables.insert(variables.end(), more.begin(), more.end());
  return jinja::Render(*source.tree, variables, options);
}

// Prints a failure with its place.  Returns the exit code.
int Report(const Rendering& rendering, const TemplateSource& source, string_view chat) {
  if (rendering.outcome == Rendering::kRendered) return kOk;
  const bool is_raised = rendering.outcome == Rendering::kRaised;
  const auto before = source.text.begin() + rendering.begin;
  const size_t line = std::count(source.text.begin(), before, '\n') + 1;
  PrintError(absl::StrCat(
      Escape(source.path, source.path.size()), ": \"", Visible(chat), "\": line ", line,
      is_raised ? " raised: " : " was not rendered: ", Visible(rendering.error)));
  return is_raised ? kFindings : kCouldNotRun;
}

// Prints what in the template the engine of --engine does not know, each with its line.  Returns
// the exit code.
int ReportUnknown(const TemplateSource& source, const RenderFlags& flags) {
  int code = kOk;
  const auto report = [&](uint32_t begin, string_view what) {
    const auto before = source.text.begin() + begin;
    PrintError(absl::StrCat(Escape(source.path, source.path.size()), ": line ",
                            std::count(source.text.begin(), before, '\n') + 1, ": ", flags.engine,
                            " does not know ", what));
    code = kFindings;
  };
  for (const TemplateEngine& engine : kTemplateEngines) {
    if (engine.name != flags.engine) continue;
    for (const UsedName& used : NamesIn(*source.tree)) {
      if (used.IsIn(engine)) continue;
      report(used.where->begin, absl::StrCat("the ", WordOf(used.kind), " ", Quote(used.name)));
    }
  }
  if (flags.engine != "llama.cpp") return code;
  for (const jinja::Dialect& each : source.tree->dialect) report(each.begin, each.what);
  return code;
}

// Returns the text for a terminal, with the tokens in colour.
std::string Marked(string_view text, const NameSet<std::string>& tokens) {
  constexpr size_t kLongestToken = 64, kLongestText = 1 << 20;
  if (!UseColor() || text.size() > kLongestText) return VisibleLines(text);
  std::string out;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    size_t size = std::min(kLongestToken, text.size() - at);
    while (size > 0 && !tokens.contains(text.substr(at, size))) --size;
    if (size > 0) {
      absl::StrAppend(&out, VisibleLines(text.substr(begin, at - begin)), "\x1b[1;36m",
                      Visible(text.substr(at, size)), "\x1b[0m");
      begin = at + size;
    }
    at += std::max<size_t>(size, 1);
  }
  return out + VisibleLines(text.substr(begin));
}

// Differences of lines.

// Returns all lines of both texts, each after a space, - or +.
std::string Difference(string_view before, string_view after) {
  const std::vector<string_view> a = absl::StrSplit(before, '\n'), b = absl::StrSplit(after, '\n');
  constexpr size_t kMostCells = size_t{1} << 24;
  const bool fits = (a.size() + 1) * (b.size() + 1) <= kMostCells;
  // The length of the longest common part of what is left of both.
  std::vector<uint32_t> common(fits ? (a.size() + 1) * (b.size() + 1) : 0);
  const auto at = [&](size_t i, size_t j) -> uint32_t& { return common[i * (b.size() + 1) + j]; };
  for (size_t i = a.size(); fits && i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::string text;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool has_both = i < a.size() && j < b.size(), is_same = fits && has_both && a[i] == b[j];
    const bool is_next = has_both ? !fits || at(i + 1, j) >= at(i, j + 1) : i < a.size();
    const char* const sign = is_same ? " " : is_next ? "-" : "+";
    absl::StrAppend(&text, sign, Visible(is_same || is_next ? a[i] : b[j]), "\n");
    i += is_same || is_next;
    j += is_same || !is_next;
  }
  return text;
}

int RunRender(const RenderFlags& flags) {
  Variables variables;
  std::vector<NamedMessages> chats;
  TemplateSource source, other;
  absl::Status status = ReadVariables(flags, &variables);
  if (status.ok()) status = ReadConversations(flags, &chats);
  if (status.ok()) status = ReadSource(flags.path, flags, &source);
  if (status.ok() && !flags.other.empty()) status = ReadSource(flags.other, flags, &other);
  if (!status.ok()) return FailWith(status);
  int code = ReportUnknown(source, flags);
  std::string out;
  Json renderings = Json::array();
  for (const NamedMessages& chat : chats) {
    const Rendering rendering = RenderSource(source, chat, variables, flags);
    code = std::max(code, Report(rendering, source, chat.name));
    const Json error = rendering.outcome == Rendering::kRendered ? Json() : Json(rendering.error);
    renderings.push_back({{"conversation", chat.name},
                          {"generation_prompt", !flags.no_prompt},
                          {"text", rendering.text},
                          {"error", error}});
    if (flags.is_raw) {
      out = rendering.text;
    } else if (flags.other.empty()) {
      absl::StrAppend(&out, "=== ", Visible(chat.name), "\n", Marked(rendering.text, source.tokens),
                      absl::EndsWith(rendering.text, "\n") ? "" : "\n");
    } else {
      const Rendering second = RenderSource(other, chat, variables, flags);
      code = std::max(code, Report(second, other, chat.name));
      if (rendering.text == second.text) continue;
      code = std::max<int>(code, kFindings);
      absl::StrAppend(&out, "=== ", Visible(chat.name), "\n",
                      Difference(rendering.text, second.text));
    }
  }
  if (flags.format == "json") {
    out = absl::StrCat(
        JsonText({{"schema", "ggufcheck/renderings/1"}, {"renderings", renderings}}, 2), "\n");
  }
  return Print(out) ? code : kCouldNotRun;
}

}  // namespace

void AddRenderCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<RenderFlags>();
  CLI::App* command =
      program->add_subcommand("render", "Print what a chat template writes for a conversation.");
  AddValue(
      command, "FILE", &flags->path, "",
      "A model, a template (*.jinja), a Hugging Face folder, or - for a template on standard input")
      ->required();
  AddValue(command, "--messages", &flags->messages, "FILE",
           "The conversation: a JSON list of messages with role and content (default: fixed "
           "conversations)");
  AddValue(command, "--tools", &flags->tools, "FILE", "The tools: a JSON list");
  AddValue(command, "--var", &flags->variables, "NAME=JSON",
           "Set a variable of the template, such as bos_token='\"<s>\"'")
      ->allow_extra_args(false);
  command->add_flag("--no-generation-prompt", flags->no_prompt, "Do not begin an answer");
  AddValue(command, "--date", &flags->date, "YYYY-MM-DD",
           "What the template takes for the current date");
  AddValue(command, "--template", &flags->template_name, "NAME",
           "Render tokenizer.chat_template.NAME");
  std::vector<std::string> engines;
  for (const TemplateEngine& engine : kTemplateEngines) engines.push_back(engine.name);
  AddChoice(command, "--engine", &flags->engine, engines,
            "Report the names and the syntax that this program lacks");
  CLI::Option* other =
      AddValue(command, "--compare", &flags->other, "FILE",
               "Print the lines that another model, template or folder writes differently");
  CLI::Option* raw = command->add_flag("--raw", flags->is_raw,
                                       "Write the bytes of one rendering and nothing else");
  AddChoice(command, "--format", &flags->format, {"text", "json"}, "Format of the output");
  CLI::Option* format = command->get_option("--format");
  raw->excludes(other)->excludes(format);
  other->excludes(format);
  AddLimitFlags(command, &flags->options);
  command->footer(
      "Renders as Jinja2 does in Hugging Face's transformers.  Exits with 1 if the template raises "
      "an error, if renderings differ, or if --engine lacks something.\n"
      "\nExamples:\n"
      "  ggufcheck render model.gguf\n"
      "  ggufcheck render --messages chat.json --raw model.gguf\n"
      "  ggufcheck render --compare original/ model.gguf");
  command->callback([flags, exit_code] { *exit_code = RunRender(*flags); });
}

}  // namespace gguf
