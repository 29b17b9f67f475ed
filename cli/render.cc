// ggufcheck render: what a chat template writes.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <ctime>
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
#include "conformance/model/vocabulary.h"
#include "parser/parse.h"

namespace gguf {
namespace {

using absl::string_view;
using jinja::Rendering;
using jinja::Variables;

struct RenderFlags {
  std::string path, messages, tools, date, template_name, other, format = "text";
  std::vector<std::string> variables;
  bool no_prompt = false, is_raw = false;
  CheckOptions options = ProgramOptions();
};

// A template, and the tokens that a model has for it.
struct TemplateSource {
  std::string path, text;
  Variables variables;
  NameSet<std::string> tokens;  // That are marked.
};

absl::Status Unreadable(const std::string& path, string_view why) {
  return absl::NotFoundError(absl::StrCat(Escape(path, path.size()), ": ", why));
}

absl::StatusOr<std::string> ReadAll(const std::string& path, const RenderFlags& flags) {
  const auto input = Input::Open(path, flags.options.limits.stream_bytes, Streams::kAny);
  if (!input.ok()) return Unreadable(path, input.status().message());
  return std::string(reinterpret_cast<const char*>(input->bytes().data()), input->bytes().size());
}

absl::StatusOr<Json> ParseJson(string_view text, string_view what) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_discarded()) return json;
  return absl::InvalidArgumentError(absl::StrCat(what, " is not JSON"));
}

// Takes one of several templates; returns an error that lists them if none has the name.
absl::Status Choose(const TextMap& templates, const RenderFlags& flags, TemplateSource* source) {
  std::vector<std::string> names;
  for (const auto& [name, text] : templates) {
    source->text = text;
    if (name == flags.template_name) return absl::OkStatus();
    names.push_back(name.empty() ? "the unnamed one" : name);
  }
  if (names.empty()) return Unreadable(source->path, "has no chat template");
  return Unreadable(source->path, absl::StrCat("has no such template; it has ",
                                               Visible(absl::StrJoin(names, ", "))));
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
  TextMap templates;
  const auto text = ReadAll(source->path + "/chat_template.jinja", flags);
  if (text.ok()) templates.emplace_back("", *text);
  const auto config_text = ReadAll(source->path + "/tokenizer_config.json", flags);
  if (!config_text.ok() && !text.ok()) return config_text.status();
  const auto config = ParseJson(config_text.value_or("{}"), "tokenizer_config.json");
  if (!config.ok()) return config.status();
  for (const auto& [key, value] : config->items()) {
    const Json& token = value.is_object() && value.contains("content") ? value["content"] : value;
    if (absl::EndsWith(key, "_token") && token.is_string()) {
      source->variables.emplace_back(key, token);
      source->tokens.emplace(token.get<std::string>());
    }
    if (key != "chat_template") continue;
    if (value.is_string()) templates.emplace_back("", value.get<std::string>());
    for (const Json& each : value.is_array() ? value : Json::array()) {
      const std::string name = each.value("name", "");
      templates.emplace_back(name == "default" ? "" : name, each.value("template", ""));
    }
  }
  return Choose(templates, flags, source);
}

absl::StatusOr<TemplateSource> ReadSource(const std::string& path, const RenderFlags& flags) {
  TemplateSource source;
  source.path = path;
  std::error_code error;
  if (path == "-" || absl::EndsWith(path, ".jinja")) {
    auto text = ReadAll(path, flags);
    if (!text.ok()) return text.status();
    source.text = *std::move(text);
    return source;
  }
  const bool is_folder = std::filesystem::is_directory(path, error);
  const absl::Status status = is_folder ? ReadFolder(flags, &source) : ReadModel(flags, &source);
  return status.ok() ? absl::StatusOr<TemplateSource>(std::move(source)) : status;
}

struct NamedMessages {
  std::string name;
  Json messages, tools;
};

// Returns the conversation that the flags name, or the fixed ones.
absl::StatusOr<std::vector<NamedMessages>> ReadConversations(const RenderFlags& flags) {
  const auto read = [&](const std::string& path) -> absl::StatusOr<Json> {
    if (path.empty()) return Json();
    const auto text = ReadAll(path, flags);
    if (!text.ok()) return text.status();
    auto json = ParseJson(*text, Escape(path));
    if (json.ok() && !json->is_array())
      return absl::InvalidArgumentError(absl::StrCat(Escape(path), " is not a list"));
    return json;
  };
  const auto messages = read(flags.messages), tools = read(flags.tools);
  if (!messages.ok()) return messages.status();
  if (!tools.ok()) return tools.status();
  if (!flags.messages.empty())
    return std::vector<NamedMessages>{{flags.messages, *messages, *tools}};
  std::vector<NamedMessages> all;
  for (const jinja::Conversation& each : jinja::FixedConversations()) {
    const Json own = each.tools.empty() ? Json() : Json::parse(each.tools);
    all.push_back(
        {std::string(each.name), Json::parse(each.messages), flags.tools.empty() ? own : *tools});
    if (flags.is_raw) break;
  }
  return all;
}

absl::StatusOr<Variables> ReadVariables(const RenderFlags& flags) {
  Variables variables;
  for (const std::string& each : flags.variables) {
    const std::vector<std::string> parts = absl::StrSplit(each, absl::MaxSplits('=', 1));
    const auto json = ParseJson(parts.size() < 2 ? "" : parts[1],
                                absl::StrCat("the value of --var ", Quote(each)));
    if (!json.ok()) return json.status();
    variables.emplace_back(parts[0], *json);
  }
  return variables;
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::localtime(&now));
  return text;
}

Rendering RenderSource(const TemplateSource& source, const NamedMessages& chat,
                       const Variables& more, const RenderFlags& flags) {
  jinja::MachineOptions options;
  options.date = flags.date.empty() ? Today() : flags.date;
  options.most_steps *= 50;
  options.most_bytes *= 16;
  options.largest_value *= 16;
  Variables variables = source.variables;
  for (auto& each : jinja::ChatVariables(chat.messages, chat.tools, !flags.no_prompt))
    variables.push_back(std::move(each));
  variables.insert(variables.end(), more.begin(), more.end());
  return jinja::Render(*jinja::Parse(source.text), variables, options);
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
    const bool is_same = fits && i < a.size() && j < b.size() && a[i] == b[j];
    const bool is_removed =
        !is_same && i < a.size() && (!fits || j == b.size() || at(i + 1, j) >= at(i, j + 1));
    absl::StrAppend(&text,
                    is_same      ? " "
                    : is_removed ? "-"
                                 : "+",
                    Visible(is_same || is_removed ? a[i] : b[j]), "\n");
    i += is_same || is_removed;
    j += is_same || !is_removed;
  }
  return text;
}

int RunRender(const RenderFlags& flags) {
  const auto variables = ReadVariables(flags);
  if (!variables.ok()) return FailWith(variables.status());
  const auto chats = ReadConversations(flags);
  if (!chats.ok()) return FailWith(chats.status());
  const auto source = ReadSource(flags.path, flags);
  if (!source.ok()) return FailWith(source.status());
  const auto other = flags.other.empty() ? source : ReadSource(flags.other, flags);
  if (!other.ok()) return FailWith(other.status());
  int code = kOk;
  std::string out;
  Json renderings = Json::array();
  for (const NamedMessages& chat : *chats) {
    const Rendering rendering = RenderSource(*source, chat, *variables, flags);
    code = std::max(code, Report(rendering, *source, chat.name));
    const Json error = rendering.outcome == Rendering::kRendered ? Json() : Json(rendering.error);
    renderings.push_back({{"conversation", chat.name},
                          {"generation_prompt", !flags.no_prompt},
                          {"text", rendering.text},
                          {"error", error}});
    if (flags.is_raw) {
      out = rendering.text;
    } else if (flags.other.empty()) {
      absl::StrAppend(&out, "=== ", Visible(chat.name), "\n",
                      Marked(rendering.text, source->tokens),
                      absl::EndsWith(rendering.text, "\n") ? "" : "\n");
    } else {
      const Rendering second = RenderSource(*other, chat, *variables, flags);
      code = std::max(code, Report(second, *other, chat.name));
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
      "an error, or if renderings differ.\n"
      "\nExamples:\n"
      "  ggufcheck render model.gguf\n"
      "  ggufcheck render --messages chat.json --raw model.gguf\n"
      "  ggufcheck render --compare original/ model.gguf");
  command->callback([flags, exit_code] { *exit_code = RunRender(*flags); });
}

}  // namespace gguf
