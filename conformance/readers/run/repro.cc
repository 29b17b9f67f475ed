// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/repro.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/readers/run/case_record.h"
#include "conformance/readers/run/run_log.h"
#include "corpus/export/collection.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"

namespace gguf::readers {

absl::StatusOr<std::string> Repro(const Reader& reader,
                                  const std::string& cases,
                                  const std::string& id) {
  const absl::StatusOr<corpus::Case> a_case = corpus::LoadCase(cases, id);
  if (!a_case.ok()) return a_case.status();
  const auto text = corpus::FolderLoader(cases)(id);
  if (!text.ok()) return text.status();
  const auto image = corpus::Assemble(a_case->document);
  if (!image.ok()) return image.status();
  CaseRecord record;
  AddEvidence(*a_case, *text, *image, ReproCommand(reader, cases, *a_case),
              &record);

  std::string out =
      absl::StrCat(id, ": ", a_case->title,
                   "\nverdict: ", corpus::VerdictName(a_case->verdict),
                   ", level: ", a_case->level, "\n\n", record.repro, "\n\n");
  for (const Mark& mark : record.marks) {
    absl::StrAppendFormat(&out, "0x%x+%d  %s\n", mark.offset, mark.length,
                          mark.rule);
  }
  absl::StrAppend(
      &out, record.size, " bytes:\n",
      HexDump(absl::HexStringToBytes(record.hex), record.hex_offset), "\n",
      record.text);
  return out;
}

std::string HexDump(absl::string_view bytes, uint64_t offset) {
  constexpr size_t kRow = 16;
  std::string dump;
  for (size_t begin = 0; begin < bytes.size(); begin += kRow) {
    const absl::string_view row = bytes.substr(begin, kRow);
    std::string hex, ascii;
    for (const char byte : row) {
      absl::StrAppendFormat(&hex, " %02x", static_cast<unsigned char>(byte));
      ascii += absl::ascii_isprint(byte) ? byte : '.';
    }
    absl::StrAppendFormat(&dump, "%08x %-48s  %s\n", offset + begin, hex,
                          ascii);
  }
  return dump;
}

}  // namespace gguf::readers
