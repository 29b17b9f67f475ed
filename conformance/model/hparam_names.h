// Names what the value of an expression depends on, in the file's terms.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_HPARAM_NAMES_H_
#define GGUF_CONFORMANCE_MODEL_HPARAM_NAMES_H_

#include <string>

#include "conformance/model/hparams.h"
#include "conformance/tables/symbols.h"

namespace gguf {

// Returns the keys and tensors in an expression, as in "split.count and the
// tensor blk.N.ffn_up.weight".  A symbol without a key stands for the names in
// its own expression.
std::string NamesIn(const Hparams& hparams, const Expr& expr);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_HPARAM_NAMES_H_
