// Runs a file with llama.cpp: loads it, makes a context, computes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_EXTERNAL_LOADER_RUNS_H_
#define GGUF_CONFORMANCE_EXTERNAL_LOADER_RUNS_H_

#include <map>
#include <string>

#include "conformance/external/loader/llama.h"

// A file, and what it is run with.
struct Job {
  std::string path;
  std::string kind;  // model, lora, control-vector, draft, mtp or projector.
  std::string base;  // The path of the model that goes with it; empty for a model.
};

// A line of the program's input: PATH, or PATH, KIND and BASE with tabs between.
Job ParseJob(const std::string& line);

class Runner {
 public:
  struct Options {
    bool own_length = false;  // A context has the model's own length and llama.cpp's batches.
    bool load_only = false;   // A projector is only loaded.
    bool trace = false;       // As in trace.h, of the file and not of its base.
  };
  Runner(const Llama& llama, const Mtmd& mtmd, Options options)
      : llama_(llama), mtmd_(mtmd), options_(options) {}

  // Returns whether everything worked.  Writes "context" and "run" to a file when
  // they begin.
  bool Run(const Job& job, int out);

 private:
  Params ContextParams(void* model) const;
  bool RunModel(void* model, int out) const;
  bool Decode(void* model, void* context) const;
  bool RunLora(const Job& job, void* base, int out) const;
  bool RunControlVector(const Job& job, void* base, int out) const;
  // Makes a context, calls `set` with it, and decodes.
  template <typename Set>
  bool RunAdapted(void* base, int out, Set set) const;
  bool RunDraft(const Job& job, void* base, int out) const;
  bool RunProjector(const Job& job, void* base, int out) const;

  const Llama& llama_;
  const Mtmd& mtmd_;
  const Options options_;
  std::map<std::string, void*> bases_;
};

#endif  // GGUF_CONFORMANCE_EXTERNAL_LOADER_RUNS_H_
