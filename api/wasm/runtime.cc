// What the C++ library of WASI lacks and the module links.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdlib>

// There are no exceptions: a throw ends the module, which JavaScript sees as an
// error of the call.
extern "C" {
[[noreturn]] void* __cxa_allocate_exception(size_t) { std::abort(); }
[[noreturn]] void __cxa_throw(void*, void*, void (*)(void*)) { std::abort(); }
}
