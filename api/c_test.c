// Uses each function of the C interface, in C99.
// c_test GOOD.gguf BROKEN.gguf
//
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/ggufcheck.h"

// The ABI: members are added at the end only.
typedef char finding_has_this_size
    [sizeof(ggufcheck_finding) == 2 * 8 + 10 * sizeof(void*) ? 1 : -1];
typedef char
    end_is_here[offsetof(ggufcheck_finding, end) == 2 * sizeof(void*) + 8 ? 1
                                                                          : -1];
typedef char about_is_here
    [offsetof(ggufcheck_finding, about) == 2 * 8 + 7 * sizeof(void*) ? 1 : -1];
typedef char cause_is_last
    [offsetof(ggufcheck_finding, cause) == 2 * 8 + 8 * sizeof(void*) ? 1 : -1];

static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  printf("FAILED: %s; the last error is \"%s\"\n", what,
         ggufcheck_last_error());
  ++failures;
}
#define EXPECT(condition) expect(condition, #condition)

static int error_has(const char* text) {
  return strstr(ggufcheck_last_error(), text) != NULL;
}

static int result_is(const ggufcheck_report* report, const char* expected) {
  const char* result = ggufcheck_report_result(report);
  return result != NULL && strcmp(result, expected) == 0;
}

static int json_has(const ggufcheck_report* report, const char* text) {
  const char* json = ggufcheck_report_json(report);
  return json != NULL && strstr(json, text) != NULL;
}

struct file {
  char* data;
  size_t size;
  uint64_t most_read;  // Calls beyond this offset fail.
  uint64_t end;        // After the last byte that was read.
};

static struct file read_file(const char* path) {
  struct file file = {NULL, 0, UINT64_MAX, 0};
  FILE* in = fopen(path, "rb");
  if (in == NULL) exit(2);
  file.data = malloc(1 << 24);
  file.size = fread(file.data, 1, 1 << 24, in);
  fclose(in);
  return file;
}

static int64_t read_some(void* user, uint64_t offset, void* to, size_t size) {
  struct file* file = user;
  if (offset >= file->most_read) return -1;
  if (offset >= file->size) return 0;
  if (size > file->size - offset) size = file->size - offset;
  if (size > 1000) size = 1000;  // Fewer than requested.
  memcpy(to, file->data + offset, size);
  if (offset + size > file->end) file->end = offset + size;
  return (int64_t)size;
}

static int64_t return_too_many(void* user, uint64_t offset, void* to,
                               size_t size) {
  (void)user, (void)offset, (void)to;
  return (int64_t)size + 1;
}

static int64_t return_nothing(void* user, uint64_t offset, void* to,
                              size_t size) {
  (void)user, (void)offset, (void)to, (void)size;
  return 0;
}

static void test_files(const char* good, const char* broken) {
  ggufcheck_report* report = ggufcheck_check_file(good, NULL);
  EXPECT(result_is(report, "pass"));
  EXPECT(ggufcheck_report_finding(report, ggufcheck_report_count(report)) ==
         NULL);
  EXPECT(error_has("no finding of this index"));
  ggufcheck_report_free(report);

  report = ggufcheck_check_file(broken, NULL);
  EXPECT(result_is(report, "fail"));
  EXPECT(ggufcheck_report_count(report) > 1);
  const ggufcheck_finding* finding = NULL;
  for (size_t i = 0; i < ggufcheck_report_count(report); ++i) {
    const ggufcheck_finding* one = ggufcheck_report_finding(report, i);
    EXPECT(one->offset <= one->end);
    if (strcmp(one->rule, "key-unique") == 0) finding = one;
  }
  EXPECT(finding != NULL);
  if (finding != NULL) {
    EXPECT(strcmp(finding->severity, "error") == 0);
    EXPECT(finding->offset > 0 && finding->end > finding->offset);
    EXPECT(strncmp(finding->subject, "kv[", 3) == 0);
    EXPECT(strlen(finding->message) > 5 && strlen(finding->repair) > 5);
    EXPECT(strncmp(finding->url, "https://", 8) == 0);
    EXPECT(strstr(finding->url, "/rules/key-unique.html") != NULL);
    EXPECT(strcmp(finding->path, broken) == 0);
    EXPECT(strcmp(finding->about, "container") == 0);
  }
  const char* json = ggufcheck_report_json(report);
  EXPECT(json_has(report, "\"schema\": \"ggufcheck/report/1\""));
  EXPECT(json_has(report, "\"rule\": \"key-unique\""));
  EXPECT(json == ggufcheck_report_json(report));
  ggufcheck_report_free(report);
}

static void test_options(const char* broken) {
  ggufcheck_options* options = ggufcheck_options_new();
  EXPECT(ggufcheck_options_set(options, "select", "key-unique") == 0);
  EXPECT(ggufcheck_options_set(options, "select",
                               "key-unique,tensor-name-unique") == 0);
  EXPECT(ggufcheck_options_set(options, "profile", "safety") == 0);
  EXPECT(ggufcheck_options_set(options, "limit-keys", "1K") == 0);
  ggufcheck_report* report = ggufcheck_check_file(broken, options);
  EXPECT(result_is(report, "fail"));
  EXPECT(ggufcheck_report_count(report) == 1);
  EXPECT(json_has(report, "\"profile\": \"safety\""));
  ggufcheck_report_free(report);

  EXPECT(ggufcheck_options_set(options, "weights", "yes") == -1);
  EXPECT(error_has("option \"weights\": invalid value \"yes\": expected true"));
  EXPECT(ggufcheck_options_set(options, "fail-on", "off") == -1);
  EXPECT(ggufcheck_options_set(options, "jobs", "0") == -1);
  EXPECT(ggufcheck_options_set(options, "limit-keys", "many") == -1);
  EXPECT(ggufcheck_options_set(options, "limit-seconds", "-1") == -1);
  EXPECT(ggufcheck_options_set(options, "colour", "blue") == -1);
  EXPECT(error_has("unknown option \"colour\""));
  EXPECT(ggufcheck_options_set(options, "format", "json") == -1);
  EXPECT(error_has("use the functions of a report"));
  EXPECT(ggufcheck_options_set(options, "profile", "strict") == 0);
  EXPECT(ggufcheck_check_file(broken, options) == NULL);
  EXPECT(error_has("\"strict\""));
  EXPECT(ggufcheck_options_set(options, "profile", "spec") == 0);
  EXPECT(ggufcheck_options_set(options, "select", "no-such-rule") == 0);
  EXPECT(ggufcheck_check_file(broken, options) == NULL);
  EXPECT(error_has("no-such-rule"));
  ggufcheck_options_free(options);

  options = ggufcheck_options_new();
  EXPECT(ggufcheck_options_set(options, "limit-keys", "1") == 0);
  report = ggufcheck_check_file(broken, options);
  EXPECT(result_is(report, "incomplete"));
  ggufcheck_report_free(report);
  EXPECT(ggufcheck_options_set(options, "config", "/no/such/file") == 0);
  EXPECT(ggufcheck_check_file(broken, options) == NULL);
  EXPECT(error_has("/no/such/file"));
  ggufcheck_options_free(options);
}

static void test_buffers(const char* good, const char* broken) {
  struct file file = read_file(broken);
  ggufcheck_report* report =
      ggufcheck_check_buffer(file.data, file.size, "a.gguf", NULL);
  EXPECT(result_is(report, "fail"));
  EXPECT(strcmp(ggufcheck_report_finding(report, 0)->path, "a.gguf") == 0);
  ggufcheck_report_free(report);
  report = ggufcheck_check_buffer(NULL, 0, NULL, NULL);
  EXPECT(result_is(report, "fail"));
  EXPECT(strcmp(ggufcheck_report_finding(report, 0)->path, "-") == 0);
  ggufcheck_report_free(report);
  free(file.data);

  file = read_file(good);
  ggufcheck_options* options = ggufcheck_options_new();
  ggufcheck_options_set(options, "header-only", "true");
  ggufcheck_options_set(options, "size", "1000000000");
  report = ggufcheck_check_buffer(file.data, 30, NULL, options);
  EXPECT(result_is(report, "incomplete"));
  ggufcheck_report_free(report);
  ggufcheck_options_set(options, "size", "1");
  EXPECT(ggufcheck_check_buffer(file.data, 30, NULL, options) == NULL);
  EXPECT(error_has("smaller than the buffer"));
  ggufcheck_options_free(options);
  free(file.data);
}

// Makes a file with one tensor of 100000 weights, longer than what is read at
// first.
static struct file make_model(void) {
  enum { kWeights = 100000, kData = 64 };
  const uint32_t version = 3, rank = 1;
  const uint64_t tensors = 1, name_length = 1, weights = kWeights;
  struct file file = {calloc(1, kData + 4 * kWeights), kData + 4 * kWeights,
                      UINT64_MAX, 0};
  memcpy(file.data, "GGUF", 4);
  memcpy(file.data + 4, &version, 4);
  memcpy(file.data + 8, &tensors, 8);
  memcpy(file.data + 24, &name_length, 8);
  memcpy(file.data + 32, "w", 1);
  memcpy(file.data + 33, &rank, 4);
  memcpy(file.data + 37, &weights, 8);
  return file;
}

static void test_callbacks(const char* broken) {
  ggufcheck_options* options = ggufcheck_options_new();
  ggufcheck_options_set(options, "weights", "true");
  ggufcheck_options_set(options, "select", "weights-finite");
  struct file file = make_model();
  ggufcheck_report* report =
      ggufcheck_check_callback(read_some, &file, file.size, NULL, options);
  EXPECT(result_is(report, "pass"));
  EXPECT(file.end == file.size);
  ggufcheck_report_free(report);

  memcpy(file.data + file.size - 4, "\0\0\xc0\x7f", 4);  // NaN.
  report = ggufcheck_check_callback(read_some, &file, file.size, NULL, options);
  EXPECT(result_is(report, "fail"));
  EXPECT(ggufcheck_report_count(report) == 1);
  const ggufcheck_finding* finding = ggufcheck_report_finding(report, 0);
  EXPECT(finding != NULL && finding->end == file.size);
  ggufcheck_report_free(report);

  file.most_read = file.size - 1000;  // Fails in the weights.
  EXPECT(ggufcheck_check_callback(read_some, &file, file.size, NULL, options) ==
         NULL);
  EXPECT(error_has("failed during the check"));
  file.most_read = 10;  // Fails in the header.
  EXPECT(ggufcheck_check_callback(read_some, &file, file.size, NULL, options) ==
         NULL);
  EXPECT(error_has("the function failed at offset"));
  file.most_read = UINT64_MAX;
  file.size /= 2;
  EXPECT(ggufcheck_check_callback(read_some, &file, 2 * file.size, NULL,
                                  options) == NULL);
  EXPECT(error_has("ends after 200032 of 400064 bytes"));
  free(file.data);

  file = read_file(broken);
  ggufcheck_options_free(options);
  options = ggufcheck_options_new();
  ggufcheck_options_set(options, "header-only", "true");
  report =
      ggufcheck_check_callback(read_some, &file, file.size, "x.gguf", NULL);
  EXPECT(result_is(report, "fail"));
  ggufcheck_report_free(report);
  free(file.data);

  EXPECT(ggufcheck_check_callback(return_too_many, NULL, 9, NULL, NULL) ==
         NULL);
  EXPECT(error_has("a wrong count"));
  EXPECT(ggufcheck_check_callback(return_nothing, NULL, 9, NULL, NULL) == NULL);
  EXPECT(error_has("ends after 0 of 9 bytes"));
  ggufcheck_options_free(options);
}

static void test_contents(const char* broken) {
  struct file file = make_model();
  const float weight = 0.5f;
  memcpy(file.data + 64 + 4, &weight, 4);
  ggufcheck_contents* contents = ggufcheck_read_buffer(file.data, file.size);
  const char* json = ggufcheck_contents_json(contents);
  EXPECT(json != NULL && strstr(json, "\"tensors\":[") != NULL);
  EXPECT(json != NULL && strstr(json, "\"incomplete\"") == NULL);
  EXPECT(ggufcheck_contents_count(contents) == 1);
  const ggufcheck_tensor* w = ggufcheck_contents_tensor(contents, 0);
  EXPECT(w->name_size == 1 && w->name[0] == 'w' && w->type == 0);
  EXPECT(w->n_dims == 1 && w->dims[0] == 100000 && w->offset == 0);
  EXPECT(w->data == file.data + 64 && w->data_size == 400000);
  EXPECT(w->weights == 100000);
  float* weights = malloc(w->data_size);
  EXPECT(ggufcheck_contents_dequantize(contents, 0, weights) == 0);
  EXPECT(weights[0] == 0 && weights[1] == weight && weights[2] == 0);
  EXPECT(ggufcheck_contents_dequantize(contents, 0, NULL) == -1);
  EXPECT(error_has("the weights are NULL"));
  EXPECT(ggufcheck_contents_dequantize(contents, 1, weights) == -1);
  EXPECT(ggufcheck_contents_tensor(contents, 1) == NULL);
  EXPECT(error_has("no tensor of this index"));
  free(weights);
  ggufcheck_contents_free(contents);

  contents = ggufcheck_read_buffer(file.data, file.size - 1);
  w = ggufcheck_contents_tensor(contents, 0);
  EXPECT(w->data_size == 0 && w->weights == 0);
  ggufcheck_contents_free(contents);
  contents = ggufcheck_read_buffer(file.data, 50);
  json = ggufcheck_contents_json(contents);
  EXPECT(json != NULL && strstr(json, "\"incomplete\"") != NULL);
  EXPECT(ggufcheck_contents_count(contents) == 0);
  ggufcheck_contents_free(contents);
  free(file.data);

  file = read_file(broken);
  contents = ggufcheck_read_buffer(file.data, file.size);
  json = ggufcheck_contents_json(contents);
  EXPECT(json != NULL && strstr(json, "\"kv\":[") != NULL);
  ggufcheck_contents_free(contents);
  free(file.data);
}

static void test_wrong_arguments(void) {
  ggufcheck_options* options = ggufcheck_options_new();
  EXPECT(ggufcheck_options_set(NULL, "profile", "spec") == -1);
  EXPECT(ggufcheck_options_set(options, NULL, "spec") == -1);
  EXPECT(ggufcheck_options_set(options, "profile", NULL) == -1);
  ggufcheck_options_free(options);
  EXPECT(ggufcheck_check_file(NULL, NULL) == NULL);
  EXPECT(ggufcheck_check_buffer(NULL, 1, NULL, NULL) == NULL);
  EXPECT(ggufcheck_check_buffer("x", SIZE_MAX, NULL, NULL) == NULL);
  EXPECT(error_has("larger than any buffer"));
  EXPECT(ggufcheck_check_callback(NULL, NULL, 1, NULL, NULL) == NULL);
  EXPECT(ggufcheck_report_result(NULL) == NULL);
  EXPECT(ggufcheck_report_count(NULL) == 0);
  EXPECT(ggufcheck_report_finding(NULL, 0) == NULL);
  EXPECT(ggufcheck_report_json(NULL) == NULL);
  EXPECT(error_has("the report is NULL"));
  EXPECT(ggufcheck_read_buffer(NULL, 1) == NULL);
  EXPECT(ggufcheck_read_buffer("x", SIZE_MAX) == NULL);
  EXPECT(ggufcheck_contents_json(NULL) == NULL);
  EXPECT(ggufcheck_contents_count(NULL) == 0);
  EXPECT(ggufcheck_contents_tensor(NULL, 0) == NULL);
  EXPECT(ggufcheck_contents_dequantize(NULL, 0, NULL) == -1);
  EXPECT(error_has("the contents are NULL"));
  ggufcheck_contents_free(NULL);
  ggufcheck_options_free(NULL);
  ggufcheck_report_free(NULL);

  EXPECT(ggufcheck_check_file("/no/such/file", NULL) == NULL);
  EXPECT(error_has("No such file or directory"));
  EXPECT(ggufcheck_check_file("/", NULL) == NULL);
  EXPECT(error_has("is a directory"));
  EXPECT(ggufcheck_check_file("-", NULL) == NULL);
  EXPECT(ggufcheck_check_file("https://example.com/a.gguf", NULL) == NULL);
  EXPECT(error_has("is a URL"));
}

int main(int argc, char** argv) {
  struct sigaction before, after;
  if (argc != 3) return 2;
  EXPECT(sigaction(SIGBUS, NULL, &before) == 0);
  EXPECT(strcmp(ggufcheck_last_error(), "") == 0);
  EXPECT(strlen(ggufcheck_version()) >= 5);
  test_files(argv[1], argv[2]);
  test_options(argv[2]);
  test_buffers(argv[1], argv[2]);
  test_callbacks(argv[2]);
  test_contents(argv[2]);
  test_wrong_arguments();
  /* The library installs no handlers; a sanitizer may have. */
  EXPECT(sigaction(SIGBUS, NULL, &after) == 0);
  EXPECT(after.sa_handler == before.sa_handler);
  if (failures == 0) printf("PASSED\n");
  return failures != 0;
}
