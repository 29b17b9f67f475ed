// Finds the target that Highway's run-time dispatch picks.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/dispatch_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dispatch_target.cc"
#include "hwy/foreach_target.h"  // Must come before highway.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gguf {
namespace {

HWY_EXPORT(TargetName);

}  // namespace

const char* DispatchTargetName() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace gguf
#endif  // HWY_ONCE
