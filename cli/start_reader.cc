// SPDX-License-Identifier: Apache-2.0

#include "cli/start_reader.h"

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/terminal.h"
#include "conformance/readers/process/session.h"
#include "conformance/readers/protocol/caps.h"

namespace gguf {

using readers::Reader;

absl::Status SetUp(const Reader& reader) {
  if (reader.setup.empty()) return absl::OkStatus();
  const std::string folder = reader.folder.empty() ? "." : reader.folder;
  const std::string line =
      absl::StrCat(readers::ShellLine({"cd", folder}), " && exec ",
                   readers::ShellLine(reader.setup), " >&2");
  const int status = std::system(line.c_str());
  if (status == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("the reader's setup failed: ",
                                             readers::ShellLine(reader.setup)));
}

absl::StatusOr<readers::Greeting> GreetingOf(const Reader& reader) {
  if (reader.bare()) return readers::Greeting{reader.name, "unknown", {}};
  auto session = readers::Session::Start(reader);
  if (!session.ok()) return session.status();
  if (session.value()->has_network()) {
    PrintError(
        "the reader is not isolated from the network: the system does not "
        "permit this user to do that");
  }
  readers::Greeting greeting = session.value()->greeting();
  if (!reader.capabilities) return greeting;
  const std::string announced = CapsWord(greeting.caps);
  const std::string listed =
      CapsWord(readers::ParseCaps(*reader.capabilities).value());
  if (announced == listed) return greeting;
  return absl::UnavailableError(
      absl::StrCat("the reader announces ", announced,
                   ", but readers.toml has capabilities = \"", listed,
                   "\"; fix the wrong one"));
}

}  // namespace gguf
