// The files that RunSmoke() sends to an adapter.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_SMOKE_STEPS_H_
#define GGUF_CONFORMANCE_READERS_RUN_SMOKE_STEPS_H_

namespace gguf::readers {

// A file with one value of each type, strings and names that are not plain
// words, and two tensors.
inline constexpr char kSound[] = R"(
gguf 3
kv "general.architecture" str "test"
kv "smoke.u8" u8 255
kv "smoke.i8" i8 -128
kv "smoke.u16" u16 65535
kv "smoke.i16" i16 -32768
kv "smoke.u32" u32 4294967295
kv "smoke.i32" i32 -2147483648
kv "smoke.u64" u64 0xffffffffffffffff
kv "smoke.i64" i64 -9223372036854775808
kv "smoke.f32" f32 -0.1
kv "smoke.f64" f64 0.1
kv "smoke.yes" bool 1
kv "smoke.no" bool 0
kv "smoke.empty" str ""
kv "smoke.text" str "two words\n\u{20ac}"
kv "smoke.numbers" arr i32 [7 -8 9]
kv "smoke.texts" arr str ["a" "" "b c"]
kv "smoke.none" arr u8 []
tensor "first" F32 [2 3] data { f32 [1 2 3 4 5 -0.5] align 32 }
tensor "second" F16 [4] data { f16 [1 -2 0.5 0] }
)";

inline constexpr char kCut[] = R"(
gguf 3
kv "general.architecture" str "test"
cut -3
)";

inline constexpr char kNotGguf[] = "\"this is no model\"";
inline constexpr char kEmpty[] = "";

enum class Want { kAccept, kReject, kNoAccept };

// One file and the expected verdict.
struct Step {
  const char* name;  // File name.
  const char* text;  // In the case language; null: no file.
  Want want;
  const char* about;
};
inline constexpr Step kSteps[] = {
    {"sound.gguf", kSound, Want::kAccept, "a valid file"},
    {"cut.gguf", kCut, Want::kReject, "a file truncated by three bytes"},
    {"not-gguf.gguf", kNotGguf, Want::kReject, "a file without the magic"},
    {"empty.gguf", kEmpty, Want::kReject, "an empty file"},
    {"again.gguf", kSound, Want::kAccept,
     "the valid file again: no state may be left"},
    {"a name, \xc3\xa4 'quoted' one.gguf", kSound, Want::kAccept,
     "the valid file under another name"},
    {"missing.gguf", nullptr, Want::kNoAccept, "a missing file"},
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_SMOKE_STEPS_H_
