// Reports of sanitizers and of the runtimes of languages.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/failure.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

// Returns "what|message|frame,frame", and "!" for an uncaught exception.
std::string Read(const std::string& text) {
  const Failure failure = FailureOf(text);
  return absl::StrCat(failure.uncaught ? "!" : "", failure.what, "|", failure.message, "|",
                      absl::StrJoin(failure.frames, ","));
}

TEST(FailureTest, ReportsOfSanitizers) {
  EXPECT_EQ(Read("==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1 at pc 0x2\n"
                 "READ of size 8 at 0x1 thread T0\n"
                 "    #0 0x7f01 in memcpy (/usr/lib/libasan.so.8+0x1)\n"
                 "    #1 0x5501 in read_text(Reader*, unsigned long) /src/toy.cc:12:3\n"
                 "    #2 0x5502 in gguf::(anonymous namespace)::Read(char const*) toy.cc:50\n"
                 "    #3 0x5503 in main toy.cc:80\n"
                 "    #4 0x5504 in more toy.cc:90\n\n"
                 "allocated by thread T0 here:\n"
                 "    #0 0x7f02 in malloc (/usr/lib/libasan.so.8+0x2)\n"
                 "    #1 0x5505 in other toy.cc:5\n"
                 "SUMMARY: AddressSanitizer: heap-buffer-overflow toy.cc:12:3 in read_text\n"),
            "heap-buffer-overflow||read_text,gguf::Read,main");
  EXPECT_EQ(Read("==7==ERROR: AddressSanitizer: SEGV on unknown address 0x1\n"
                 "    #0 0x5501  (/tmp/toy+0x1234) (BuildId: 01ab)\n"
                 "    #1 0x5502  (/tmp/toy+0x5678) (BuildId: 01ab)\n"),
            "SEGV||toy+0x1234,toy+0x5678");
  EXPECT_EQ(Read("toy.c:3:5: runtime error: left shift of 7 by 99 places\n"
                 "    #0 0x5501 in shift toy.c:3\n"),
            "runtime error: left shift of # by # places||shift");
}

TEST(FailureTest, UncaughtExceptionsOfLanguages) {
  EXPECT_EQ(Read("Traceback (most recent call last):\n"
                 "  File \"toy.py\", line 9, in main\n    read(path)\n    ^^^^^^^^^^\n"
                 "  File \"toy.py\", line 5, in read\n    raise KeyError(1)\n"
                 "KeyError: 'general.alignment'\n"),
            "!KeyError|'general.alignment'|read,main");
  EXPECT_EQ(
      Read("file:///tmp/toy.mjs:5\n    view.getUint32(at)\n         ^\n\n"
           "RangeError: Offset is outside the bounds of the DataView\n"
           "    at DataView.getUint32 (<anonymous>)\n"
           "    at readText (file:///tmp/toy.mjs:5:20)\n"
           "    at file:///tmp/toy.mjs:9:1\n"
           "    at ModuleJob.run (node:internal/modules/esm/module_job:1:1)\n\nNode.js v20\n"),
      "!RangeError|Offset is outside the bounds of the DataView|readText,toy.mjs:9:1");
  EXPECT_EQ(
      Read("panic: runtime error: index out of range [5] with length 3\n\n"
           "goroutine 1 [running]:\nmain.(*file).text(0xc000, 0x5)\n"
           "\t/tmp/toy.go:5 +0x1d\nmain.main()\n\t/tmp/toy.go:9 +0x1\nexit status 2\n"),
      "!panic|runtime error: index out of range [5] with length 3|main.(*file).text,main.main");
  EXPECT_EQ(Read("thread 'main' panicked at src/main.rs:10:5:\ncapacity overflow\nnote: run\n"),
            "!panic|capacity overflow|src/main.rs:10");
  EXPECT_EQ(Read("Exception in thread \"main\" java.lang.Error: no\n\tat a.B.read(B.java:5)\n"),
            "!java.lang.Error|no|a.B.read");
}

TEST(FailureTest, AbortsOfC) {
  EXPECT_EQ(Read("terminate called after throwing an instance of 'std::length_error'\n"
                 "  what():  basic_string::resize\n"),
            "std::length_error|basic_string::resize|");
  EXPECT_EQ(Read("toy: toy.c:12: read_key: Assertion `n > 0' failed.\n"),
            "assertion|n > 0' failed.|read_key");
}

TEST(FailureTest, AnAbortUnderASanitizerHasAStack) {
  const std::string stack =
      "==7==ERROR: AddressSanitizer: ABRT on unknown address 0x1\n"
      "    #0 0x7f01 in __pthread_kill (/lib/libc.so.6+0x1)\n    #1 0x7f02 in raise "
      "(/lib/libc.so.6)\n"
      "    #2 0x5501 in read_key toy.c:12\n";
  EXPECT_EQ(Read("toy: toy.c:12: read_key: Assertion `n > 0' failed.\n" + stack),
            "assertion|n > 0' failed.|read_key");
  EXPECT_EQ(Read(stack), "ABRT||read_key");
}

TEST(FailureTest, ARecursionIsTheSameWhereverItEnds) {
  const std::string a = "  File \"t\", line 1, in array\n", b = "  File \"t\", line 2, in value\n";
  const std::string begin = "Traceback (most recent call last):\n";
  const std::string end = "RecursionError: maximum recursion depth exceeded\n";
  EXPECT_EQ(Read(begin + a + b + a + b + end), Read(begin + b + a + b + a + end));
}

TEST(FailureTest, OtherTextSaysNothing) {
  EXPECT_EQ(Read(""), "||");
  EXPECT_EQ(Read("error: no such file\nat all\n#hash\n"), "||");
  EXPECT_EQ(Read(std::string("\0\xff\n  File \"\0", 12)), "||");
  EXPECT_EQ(Read(std::string(1 << 20, '#')), "||");
}

TEST(NormalizedTest, WhatDiffersFromFileToFileGoes) {
  EXPECT_EQ(Normalized("needs 12 bytes at 0x1F, 3 remain"), "needs # bytes at #, # remain");
  EXPECT_EQ(Normalized("no key 'a.b' or \"c d\""), "no key # or #");
  EXPECT_EQ(Normalized("isn't it"), "isn't it");
  EXPECT_EQ(Normalized(std::string("a\0\xff\x1b[1m", 7)), "a#[#");
  EXPECT_LE(Normalized(std::string(1 << 20, 'x')).size(), 160u);
}

}  // namespace
}  // namespace gguf::readers
