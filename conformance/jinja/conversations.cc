// The conversations, and the variables of templates.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/conversations.h"

namespace gguf::jinja {
namespace {

constexpr Conversation kConversations[] = {
    {"one user turn", R"([{"role": "user", "content": "How many moons has Saturn?"}])", ""},
    {"four turns", R"([
      {"role": "system", "content": "You answer in short sentences."},
      {"role": "user", "content": "Which river crosses Vienna?"},
      {"role": "assistant", "content": "The Danube does."},
      {"role": "user", "content": "Where does it end?"}])",
     ""},
    {"tool call", R"([
      {"role": "system", "content": "You may use the tools."},
      {"role": "user", "content": "How warm is it in Oslo?"},
      {"role": "assistant", "content": "", "tool_calls": [{"id": "call00001", "type": "function",
        "function": {"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}}]},
      {"role": "tool", "tool_call_id": "call00001", "name": "get_weather",
       "content": "{\"degrees\": 17.5}"}])",
     R"([{"type": "function", "function": {"name": "get_weather",
          "description": "Returns the weather of a city.",
          "parameters": {"type": "object", "required": ["city"], "properties": {
            "city": {"type": "string", "description": "The city's name."},
            "days": {"type": "integer", "description": "How many days ahead."}}}}}])"},
    {"content in parts", R"([
      {"role": "user", "content": [{"type": "text", "text": "Translate this word:"},
                                   {"type": "text", "text": "Schmetterling"}]},
      {"role": "assistant", "content": [{"type": "text", "text": "It means butterfly."}]},
      {"role": "user", "content": [{"type": "text", "text": "And into Spanish?"}]}])",
     ""},
    {"reasoning", R"([
      {"role": "user", "content": "What is 17 times 3?"},
      {"role": "assistant", "reasoning_content": "Ten times 3 is 30, seven times 3 is 21.",
       "content": "It is 51."},
      {"role": "user", "content": "And times 4?"}])",
     ""},
    {"empty contents", R"([
      {"role": "system", "content": ""}, {"role": "user", "content": ""},
      {"role": "assistant", "content": ""}, {"role": "user", "content": ""}])",
     ""},
    {"no message", "[]", ""},
    {"two answers in a row", R"([
      {"role": "user", "content": "Name two colours."},
      {"role": "assistant", "content": "Blue is one."},
      {"role": "assistant", "content": "Green is another."},
      {"role": "user", "content": "And a third?"}])",
     ""},
    {"ends with an answer", R"([
      {"role": "user", "content": "Who wrote Faust?"},
      {"role": "assistant", "content": "Goethe wrote it."}])",
     ""},
};

}  // namespace

absl::Span<const Conversation> FixedConversations() { return kConversations; }

Variables ChatVariables(const Json& messages, const Json& tools, bool add_generation_prompt) {
  return {{"messages", messages},
          {"tools", tools},
          {"documents", nullptr},
          {"add_generation_prompt", add_generation_prompt}};
}

}  // namespace gguf::jinja
