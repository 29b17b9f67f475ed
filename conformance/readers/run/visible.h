// MakeVisible: escapes characters that a terminal or a browser would act upon.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_VISIBLE_H_
#define GGUF_CONFORMANCE_READERS_RUN_VISIBLE_H_

#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

// Applies Visible() (parser/core/quote.h) to every text of the log.  Line
// breaks in the texts of cases and in standard error stay.
void MakeVisible(RunLog* log);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_VISIBLE_H_
