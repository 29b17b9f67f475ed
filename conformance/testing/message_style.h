// Checks how the messages of findings are written.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_MESSAGE_STYLE_H_
#define GGUF_CONFORMANCE_TESTING_MESSAGE_STYLE_H_

#include <string>

#include "parser/diagnostic.h"

namespace gguf {

// Returns what is wrong with the message, which continues a sentence that begins with the subject;
// empty if nothing is: it has a verb, states more than a value, counts "1 block" and "2 blocks",
// and has no name of tables/symbols.tsv.
std::string StyleFault(const Diagnostic& diagnostic);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_MESSAGE_STYLE_H_
