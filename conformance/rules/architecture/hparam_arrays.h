// CheckArrayLengths, CheckArrayValues: the arrays of hyperparameters, of which two sections have
// rules.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_ARCHITECTURE_HPARAM_ARRAYS_H_
#define GGUF_CONFORMANCE_RULES_ARCHITECTURE_HPARAM_ARRAYS_H_

#include "conformance/model/hparams.h"
#include "conformance/model/model.h"
#include "conformance/rules/check.h"

namespace gguf {

// Compares the arrays with kArrayLengths.  An empty array is reported even if
// the length that it shall have is unknown.
void CheckArrayLengths(const Model& model, const Hparams& hparams, Finder& find);

// Reports the first element of an array that is no input or token of the model.
void CheckArrayValues(const Model& model, const Hparams& hparams, Finder& find);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_ARCHITECTURE_HPARAM_ARRAYS_H_
