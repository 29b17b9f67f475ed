// Eight threads check files at once, with shared options; each keeps its own
// last error.  `./dev tsan` runs this under ThreadSanitizer.
// threads_test GOOD.gguf BROKEN.gguf
//
// SPDX-License-Identifier: Apache-2.0

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "api/ggufcheck.h"

enum { kThreads = 8, kRounds = 20 };

static const char* files[2];
static ggufcheck_options* options;

static int check(const char* path, const char* expected) {
  ggufcheck_report* report = ggufcheck_check_file(path, options);
  const char* result = ggufcheck_report_result(report);
  const int holds = result != NULL && strcmp(result, expected) == 0 &&
                    strstr(ggufcheck_report_json(report), path) != NULL;
  ggufcheck_report_free(report);
  return holds;
}

static int fails_with(const char* path) {
  return ggufcheck_check_file(path, options) == NULL &&
         strstr(ggufcheck_last_error(), path) != NULL;
}

static void* run(void* number) {
  char missing[] = "/no/such/file0";
  missing[sizeof missing - 2] += (char)*(int*)number;
  for (int i = 0; i < kRounds; ++i) {
    if (!check(files[0], "pass") || !check(files[1], "fail") ||
        !fails_with(missing)) {
      return number;
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  files[0] = argv[1];
  files[1] = argv[2];
  options = ggufcheck_options_new();
  ggufcheck_options_set(options, "weights", "true");
  ggufcheck_options_set(options, "readers", "true");
  ggufcheck_options_set(options, "jobs", "2");
  pthread_t threads[kThreads];
  int numbers[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, run, &numbers[i]) != 0) return 2;
  }
  int failed = 0;
  for (int i = 0; i < kThreads; ++i) {
    void* wrong = NULL;
    pthread_join(threads[i], &wrong);
    failed += wrong != NULL;
  }
  ggufcheck_options_free(options);
  printf("%d threads failed\n", failed);
  return failed != 0;
}
