// The instruction set that the fast kernels use on this processor.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_DISPATCH_TARGET_H_
#define GGUF_KERNELS_DISPATCH_TARGET_H_

namespace gguf {

// Returns Highway's name for it, for example "AVX3" or "SSE4".
const char* DispatchTargetName();

}  // namespace gguf

#endif  // GGUF_KERNELS_DISPATCH_TARGET_H_
