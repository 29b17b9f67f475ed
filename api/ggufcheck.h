// ggufcheck: checks GGUF model files from a program.  docs/library.md has
// examples.
//
// What is wrong with a file is in its report.  A function fails only for a
// wrong argument or because of the environment, such as a missing file or too
// little memory; then ggufcheck_last_error() says why.
//
// No function throws, prints, exits, or changes global state: signal handlers,
// locale, environment, working directory.  Functions may be called from several
// threads at once; only setting or freeing an object must not overlap with
// another use of it.  Texts are UTF-8 and end with a NUL.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUFCHECK_H_
#define GGUFCHECK_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ggufcheck_options ggufcheck_options;
typedef struct ggufcheck_report ggufcheck_report;
typedef struct ggufcheck_contents ggufcheck_contents;

// A violation of a rule.  The texts belong to the report.  Later versions may
// add members at the end.
typedef struct ggufcheck_finding {
  const char* rule;      // "tensor-offset-aligned".
  const char* severity;  // "error", "warning" or "note".
  uint64_t offset, end;  // The bytes [offset, end) of the file.
  const char* subject;   // "tensor[blk.0.attn_q.weight].offset".
  const char* message;   // What was found, after the subject in a sentence.
  const char* repair;    // What to do.
  const char* url;       // Of the page that explains the rule, or empty.
  const char* path;      // The file: as given, or another shard of its model.
  const char* about;     // What the rule is about: "container" or "model".
  const char* cause;     // What explains it, in a sentence, or empty.
  const char* fix;       // How it can be fixed: "safe", "derived", "source", "rename" or "none".
} ggufcheck_finding;

// A tensor of a file.  The pointers belong to the contents.  Later versions may
// add members at the end.
typedef struct ggufcheck_tensor {
  const char* name;  // Any bytes, without a NUL at the end.
  size_t name_size;
  uint32_t type;  // Its number in the file.
  uint32_t n_dims;
  const uint64_t* dims;  // In file order.
  uint64_t offset;       // From the beginning of the data section.
  const void* data;      // As stored; empty unless all of it is in the file.
  size_t data_size;      // Bytes.
  size_t weights;        // How many weights the data are; 0 if they cannot be
                         // converted to floats.
} ggufcheck_tensor;

// Returns the version, such as "0.2.0".
const char* ggufcheck_version(void);

// Returns why the last call that failed in this thread failed; "" if none did.
// Valid until the next call that fails in this thread.
const char* ggufcheck_last_error(void);

// Returns options with their defaults, to be freed; NULL if it fails.
ggufcheck_options* ggufcheck_options_new(void);

// Sets an option: a flag of `ggufcheck check` without the dashes, such as
// "profile" or "limit-seconds".  Flags without a value take "true" or "false";
// "select" and "ignore" add to what was set before.  Flags that concern the
// output, many files or the network are not available.  Unlike the program,
// the library looks for no configuration ("config" names one) and uses one
// thread ("jobs").
//
// Returns 0, or -1 for an unknown option or a wrong value.  Profiles, rules and
// files that options name are looked up by the check.
int ggufcheck_options_set(ggufcheck_options* options, const char* name, const char* value);

// Frees options; NULL is allowed.
void ggufcheck_options_free(ggufcheck_options* options);

// The three ways to check a file.  Options may be NULL.  They return a report,
// to be freed, or NULL if they fail.

// Checks a file on disk.  If it is named as a shard of a model, the other
// shards in its folder are checked with it, and are in the report.
ggufcheck_report* ggufcheck_check_file(const char* path, const ggufcheck_options* options);

// Checks bytes in memory.  `name` is the file name that some rules judge, as if
// the file were alone in its folder; NULL for none.  With the options
// "header-only" and "size", the bytes may be only the beginning of a file of
// that size; the result is "incomplete" when the tensor table does not end in
// them.
ggufcheck_report* ggufcheck_check_buffer(const void* data, size_t size, const char* name,
                                         const ggufcheck_options* options);

// Copies up to `size` bytes of a file, from `offset` on, to `to`.  Returns how
// many, which are fewer than `size` only when no more are available at once,
// and 0 only at the end of the file; or a negative number if it fails.
typedef int64_t (*ggufcheck_read)(void* user, uint64_t offset, void* to, size_t size);

// Checks a file of `size` bytes that a function reads.  First reads from the
// beginning to the end of the tensor table, in order; with "header-only",
// nothing else.  Then reads what the rules need, wherever it is.  With "jobs",
// several threads may call the function.  Fails if the function does.
ggufcheck_report* ggufcheck_check_callback(ggufcheck_read read, void* user, uint64_t size,
                                           const char* name, const ggufcheck_options* options);

// Returns "pass", "fail" or "incomplete": whether there are findings at or
// above "fail-on", or a limit stopped the check.  NULL for NULL.
const char* ggufcheck_report_result(const ggufcheck_report* report);

// Returns the number of findings that were kept; 0 for NULL.
size_t ggufcheck_report_count(const ggufcheck_report* report);

// Returns a finding; they are in the order of the file.  NULL if there is no
// such finding.
const ggufcheck_finding* ggufcheck_report_finding(const ggufcheck_report* report, size_t index);

// Returns the report as `ggufcheck check --format json` writes it.  Valid until
// the report is freed.  NULL if it fails.
const char* ggufcheck_report_json(const ggufcheck_report* report);

// Frees a report; NULL is allowed.
void ggufcheck_report_free(ggufcheck_report* report);

// Reads the keys and the tensor table of a file in memory, and judges nothing:
// of a damaged file, the contents are what comes before the damage.  The bytes
// must outlive the contents.  Returns contents, to be freed, or NULL if it
// fails.
ggufcheck_contents* ggufcheck_read_buffer(const void* data, size_t size);

// Returns keys and tensors as `ggufcheck dump` writes them; "incomplete" is
// true for a damaged file.  Valid until the contents are freed.  NULL if it
// fails.
const char* ggufcheck_contents_json(const ggufcheck_contents* contents);

// Returns the number of tensors; 0 for NULL.
size_t ggufcheck_contents_count(const ggufcheck_contents* contents);

// Returns a tensor; they are in the order of the file.  NULL if there is no
// such tensor.
const ggufcheck_tensor* ggufcheck_contents_tensor(const ggufcheck_contents* contents, size_t index);

// Converts the data of a tensor to floats: writes as many as its `weights`.
// Returns 0, or -1 if it fails.
int ggufcheck_contents_dequantize(const ggufcheck_contents* contents, size_t index, float* weights);

// Frees contents; NULL is allowed.
void ggufcheck_contents_free(ggufcheck_contents* contents);

#ifdef __cplusplus
}
#endif

#endif  // GGUFCHECK_H_
