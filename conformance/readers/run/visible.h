// MakeVisible: what a terminal or a browser would act upon is escaped.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_VISIBLE_H_
#define GGUF_CONFORMANCE_READERS_RUN_VISIBLE_H_

#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

// Makes every text of the log Visible() (parser/core/quote.h); cases' texts and
// standard error have lines.
void MakeVisible(RunLog* log);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_VISIBLE_H_
