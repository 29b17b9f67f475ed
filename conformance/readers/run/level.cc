// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/level.h"

namespace gguf::readers {
namespace {

constexpr struct {
  const char* name;
  const char* title;
} kLevelRows[kLevels] = {{"L0", "safe"},     {"L1", "verdict"},
                         {"L2", "metadata"}, {"L3", "tensor table"},
                         {"L4", "bytes"},    {"L5", "weights"}};

constexpr const char* kStates[] = {"not-tested", "fail", "pass"};

}  // namespace

const char* LevelName(size_t level) { return kLevelRows[level].name; }
const char* LevelTitle(size_t level) { return kLevelRows[level].title; }
const char* LevelStateName(LevelState state) {
  return kStates[static_cast<size_t>(state)];
}

}  // namespace gguf::readers
