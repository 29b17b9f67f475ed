// KnownKeys: a file's keys, each with its row of the standardized keys.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_KNOWN_KEYS_H_
#define GGUF_CONFORMANCE_MODEL_KNOWN_KEYS_H_

#include <string>
#include <vector>

#include "conformance/model/encoder.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/hparams.h"
#include "conformance/model/reason.h"
#include "conformance/model/tensor_table.h"
#include "conformance/tables/find_standard_key.h"
#include "parser/file.h"

namespace gguf {

struct KnownKey {
  const KeyValue& kv;
  const StandardKey* row;  // Null for a key that is not standardized.
};

class KnownKeys {
 public:
  // The arguments must outlive this object; `encoders` are those of a projector.
  // `why_not_read` is why no reader reads the keys as those of a model; empty if
  // one may.
  KnownKeys(const File& file, const KeyIndex& keys, const Hparams& hparams, GgufKind kind,
            const std::vector<Encoder>& encoders, const Reason& why_not_read);

  // By the key's index.  A key with a NUL has the row of the name before it if
  // it is the first of this name, which ggml finds.
  const std::vector<KnownKey>& rows() const { return rows_; }

  // Why no loader of llama.cpp reads the file; empty if one does: the loader of
  // models, or the one for its kind.
  const Reason& why_not_loaded() const { return why_not_loaded_; }
  // Returns whether llama.cpp's loader is certain to read this file's key.
  bool LoaderReads(const StandardKey& row) const;
  // Returns whether it takes the value for one of those types.
  bool LoaderTakes(const KeyValue& kv, const StandardKey& row) const;
  // Returns the types that it reads, of this architecture.
  TypeSet LoaderTypes(const StandardKey& row) const;

 private:
  bool ConditionHolds(const StandardKey& row) const;
  bool ProjectorReads(const StandardKey& row) const;

  const Hparams& hparams_;
  const GgufKind kind_;
  const std::vector<Encoder>& encoders_;
  std::vector<KnownKey> rows_;
  Reason why_not_loaded_;
};

// Formats the types of a set for a message: "u32, u64 or arr[i32]".
std::string TypeNames(TypeSet types);

// Returns the name of the type of a key's value: "arr[i32]".
std::string TypeName(const KeyValue& kv);

// Returns whether the key's value has one of the types.
bool HasType(const KeyValue& kv, TypeSet types);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_KNOWN_KEYS_H_
