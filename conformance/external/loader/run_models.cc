// Runs models with a libllama: loads each, makes a context, computes a few tokens.
//
//   run_models LIBRARIES BACKENDS [--messages] [--own-length] <PATHS
//
// LIBRARIES is the folder of libllama, libggml and libggml-base, BACKENDS that of
// ggml's backends.  The libraries are opened at run time, without their headers,
// so that one program runs any build.  Reads a path per line and writes a line of
// JSON for each:
//
//   {"path": ..., "stage": "load|context|run", "did": "ok|refuses|dies|hangs", "messages": [...]}
//
// `stage` is the last one that began; "ok" means that all three ended well.  The
// messages are llama.cpp's errors, or all with --messages.  With --own-length, a
// context has the model's own length and llama.cpp's batches.  Files are run in
// child processes: one that dies, or takes more than kSeconds, costs the others
// nothing.  A child may map kMemory more bytes than its parent has.
//
// After loading, models with an encoder encode; models of embeddings encode; all
// others decode a few tokens, then one more.
//
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr int kSeconds = 10;
constexpr uint64_t kMemory = uint64_t{4} << 30;
constexpr size_t kFilesPerChild = 50;
constexpr uint32_t kContext = 64;
constexpr uint32_t kBatch = 8;
constexpr int kTokens = 4;

// Programs want embeddings of these, not logits.
const std::set<std::string>& EmbeddingArchitectures() {
  static const auto& names = *new std::set<std::string>{
      "bert",           "eurobert",    "gemma-embedding", "gemma-embedding2", "jina-bert-v2",
      "jina-bert-v3",   "llama-embed", "modern-bert",     "neo-bert",         "nomic-bert",
      "nomic-bert-moe", "t5encoder",   "wavtokenizer-dec"};
  return names;
}

// Any struct that llama.cpp takes or returns by value: it is passed in memory, and
// more bytes than llama.cpp knows do no harm.
struct Params {
  unsigned char bytes[1024];

  template <typename T>
  T Get(size_t at) const {
    T value;
    memcpy(&value, bytes + at, sizeof(T));
    return value;
  }
  template <typename T>
  void Put(size_t at, T value) {
    memcpy(bytes + at, &value, sizeof(T));
  }
};

struct Batch {  // llama_batch
  int32_t n_tokens;
  int32_t* token;
  float* embd;
  int32_t* pos;
  int32_t* n_seq_id;
  int32_t** seq_id;
  int8_t* logits;
};

// Places in llama_context_params.  The booleans' place differs between builds.
constexpr size_t kNCtx = 0, kNBatch = 4, kNUbatch = 8, kThreads = 28, kThreadsBatch = 32;
constexpr unsigned char kUsualBooleans[] = {0, 1, 1, 1, 1, 0};
constexpr size_t kEmbeddings = 0, kSwaFull = 4;  // Of the booleans; programs set swa_full to false.

struct Llama {
  Params (*context_default_params)();
  Params (*model_default_params)();
  void* (*model_load_from_file)(const char*, Params);
  void* (*init_from_model)(void*, Params);
  void* (*model_get_vocab)(void*);
  int32_t (*vocab_n_tokens)(void*);
  bool (*model_has_encoder)(void*);
  bool (*model_has_decoder)(void*);
  int32_t (*model_decoder_start_token)(void*);
  int32_t (*model_meta_val_str)(void*, const char*, char*, size_t);
  int32_t (*model_n_embd_inp)(void*);
  Batch (*batch_get_one)(int32_t*, int32_t);
  int32_t (*encode)(void*, Batch);
  int32_t (*decode)(void*, Batch);
  void (*free)(void*);
  void (*model_free)(void*);
  void (*log_set)(void (*)(int, const char*, void*), void*);
  void (*backend_init)();
  size_t booleans = 0;
};

[[noreturn]] void Fail(const std::string& text) {
  std::cerr << "run_models: " << text << "\n";
  exit(2);
}

void* Open(const std::string& folder, const std::string& name) {
  for (const char* pattern : {".so", ".so.*", ".v*.so"}) {
    glob_t found;
    if (glob((folder + "/" + name + pattern).c_str(), 0, nullptr, &found) == 0) {
      if (void* library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_GLOBAL)) return library;
      Fail(dlerror());
    }
  }
  Fail("no " + name + " in " + folder);
}

template <typename F>
void Find(void* library, const std::string& name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name.c_str()));
  if (function == nullptr) Fail("the library has no function " + name);
}

Llama OpenLlama(const std::string& folder, const char* backends) {
  Open(folder, "libggml-base");
  void* ggml = Open(folder, "libggml");
  void* library = Open(folder, "libllama");
  Llama llama;
#define FIND(name) Find(library, "llama_" #name, llama.name)
  FIND(context_default_params);
  FIND(model_default_params);
  FIND(model_load_from_file);
  FIND(init_from_model);
  FIND(model_get_vocab);
  FIND(vocab_n_tokens);
  FIND(model_has_encoder);
  FIND(model_has_decoder);
  FIND(model_decoder_start_token);
  FIND(model_meta_val_str);
  FIND(model_n_embd_inp);
  FIND(batch_get_one);
  FIND(encode);
  FIND(decode);
  FIND(free);
  FIND(model_free);
  FIND(log_set);
  FIND(backend_init);
#undef FIND
  void (*load_backends)(const char*);
  Find(ggml, "ggml_backend_load_all_from_path", load_backends);
  load_backends(backends);
  llama.backend_init();

  const Params usual = llama.context_default_params();
  const auto* found = std::search(usual.bytes + 112, usual.bytes + 256, std::begin(kUsualBooleans),
                                  std::end(kUsualBooleans));
  llama.booleans = static_cast<size_t>(found - usual.bytes);
  if (llama.booleans == 256 || usual.Get<uint32_t>(kNCtx) != 512 ||
      usual.Get<uint32_t>(kNBatch) != 2048 || usual.Get<uint32_t>(kNUbatch) != 512) {
    Fail("llama_context_params has another layout in this library");
  }
  return llama;
}

bool all_messages = false;
bool own_length = false;

void Print(int level, const char* text, void*) {
  constexpr int kError = 4, kContinued = 5;
  static bool shown = false;
  if (level != kContinued) shown = all_messages || level == kError;
  if (shown) fputs(text, stderr);
}

// Returns whether everything worked.  Writes "context" and "run" when they begin.
bool Run(const Llama& llama, const char* path, int out) {
  void* model = llama.model_load_from_file(path, llama.model_default_params());
  if (model == nullptr) return false;
  char name[64] = "";
  llama.model_meta_val_str(model, "general.architecture", name, sizeof(name));
  const bool embeddings = EmbeddingArchitectures().count(name) > 0;
  Params params = llama.context_default_params();
  params.Put<uint32_t>(kNCtx, own_length ? 0 : kContext);
  if (!own_length) {
    params.Put<uint32_t>(kNBatch, kBatch);
    params.Put<uint32_t>(kNUbatch, kBatch);
  }
  params.Put<int32_t>(kThreads, 1);
  params.Put<int32_t>(kThreadsBatch, 1);
  params.Put<bool>(llama.booleans + kEmbeddings, embeddings);
  params.Put<bool>(llama.booleans + kSwaFull, false);
  dprintf(out, "context\n");
  void* context = llama.init_from_model(model, params);
  if (context == nullptr) {
    llama.model_free(model);
    return false;
  }
  dprintf(out, "run\n");

  const int32_t n_vocab = llama.vocab_n_tokens(llama.model_get_vocab(model));
  std::vector<int32_t> ids(kTokens);
  for (int i = 0; i < kTokens; ++i) ids[i] = n_vocab > 0 ? (1 + i % 2) % n_vocab : 0;
  Batch batch = llama.batch_get_one(ids.data(), kTokens);
  std::vector<float> rows;
  if (n_vocab <= 0) {  // No token is valid: rows of embeddings instead.
    rows.assign(static_cast<size_t>(kTokens) * std::max(llama.model_n_embd_inp(model), 1), 0.1F);
    batch.token = nullptr;
    batch.embd = rows.data();
  }
  int32_t result = 0;
  if (llama.model_has_encoder(model)) {
    result = llama.encode(context, batch);
    if (result == 0 && llama.model_has_decoder(model)) {
      const int32_t start = llama.model_decoder_start_token(model);
      ids[0] = start >= 0 && start < n_vocab ? start : 0;
      result = llama.decode(context, llama.batch_get_one(ids.data(), 1));
    }
  } else if (embeddings) {
    result = llama.encode(context, batch);
  } else {
    result = llama.decode(context, batch);
    if (result == 0 && n_vocab > 0) {
      result = llama.decode(context, llama.batch_get_one(ids.data(), 1));
    }
  }
  llama.free(context);
  llama.model_free(model);
  return result == 0;
}

void LimitMemory() {
  uint64_t pages = 0;
  if (FILE* file = fopen("/proc/self/statm", "r")) {
    if (fscanf(file, "%lu", &pages) != 1) pages = 0;
    fclose(file);
  }
  const rlim_t most = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + kMemory;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 32 || byte > 126 || c == '"' || c == '\\') {
      char escape[8];
      snprintf(escape, sizeof(escape), "\\u%04x", byte);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Returns the lines of the log as JSON.
std::string Messages(int log) {
  std::string text, out;
  char buffer[1 << 16];
  lseek(log, 0, SEEK_SET);
  for (ssize_t size; (size = read(log, buffer, sizeof(buffer))) > 0 && text.size() < (1 << 20);) {
    text.append(buffer, static_cast<size_t>(size));
  }
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out += (out.empty() ? "" : ", ") + Quoted(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

void Write(const std::string& path, const std::string& stage, const char* did,
           const std::string& messages) {
  std::cout << "{\"path\": " << Quoted(path) << ", \"stage\": \"" << stage << "\", \"did\": \""
            << did << "\", \"messages\": [" << messages << "]}" << std::endl;
}

// Reads lines of a pipe, for at most kSeconds each.
class LineReader {
 public:
  explicit LineReader(int file) : file_(file) {}

  // Returns false at the end; sets `late` if the time was over.
  bool Read(std::chrono::steady_clock::time_point until, std::string& line, bool& late) {
    size_t end;
    while ((end = pending_.find('\n')) == pending_.npos) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          until - std::chrono::steady_clock::now());
      pollfd one{file_, POLLIN, 0};
      late = poll(&one, 1, std::max(0, static_cast<int>(left.count()))) == 0;
      if (late) return false;
      char buffer[4096];
      const ssize_t size = read(file_, buffer, sizeof(buffer));
      if (size <= 0) return false;
      pending_.append(buffer, static_cast<size_t>(size));
    }
    line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    return true;
  }

 private:
  int file_;
  std::string pending_;
};

[[noreturn]] void Work(const Llama& llama, const std::vector<std::string>& paths, int log,
                       int out) {
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  LimitMemory();
  for (const std::string& path : paths) {
    if (ftruncate(log, 0) != 0) _exit(1);
    lseek(log, 0, SEEK_SET);
    const bool ok = Run(llama, path.c_str(), out);
    fflush(stderr);
    dprintf(out, "%s %s\n", ok ? "ok" : "refuses",
            ok && !all_messages ? "" : Messages(log).c_str());
  }
  _exit(0);
}

// Runs files in a child; returns how many it did, the one on which it ended included.
size_t RunInChild(const Llama& llama, const std::vector<std::string>& paths, int log) {
  int ends[2];
  if (pipe(ends) != 0) Fail("no pipe");
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    Work(llama, paths, log, ends[1]);
  }
  close(ends[1]);
  LineReader reader(ends[0]);
  size_t done = 0;
  std::string stage = "load";
  bool late = false;
  const auto limit = [] {
    return std::chrono::steady_clock::now() + std::chrono::seconds(kSeconds);
  };
  auto until = limit();
  for (std::string line; done < paths.size() && reader.Read(until, line, late);) {
    if (line == "context" || line == "run") {
      stage = line;
      continue;
    }
    const size_t space = line.find(' ');
    Write(paths[done], stage, line.substr(0, space).c_str(), line.substr(space + 1));
    ++done;
    stage = "load";
    until = limit();
  }
  close(ends[0]);
  if (late) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (done == paths.size()) return done;
  std::string messages = Messages(log);
  if (!late && WIFSIGNALED(status)) {
    messages +=
        (messages.empty() ? "" : ", ") + Quoted("signal " + std::to_string(WTERMSIG(status)));
  }
  Write(paths[done], stage, late ? "hangs" : "dies", messages);
  return done + 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) Fail("usage: run_models LIBRARIES BACKENDS [--messages] [--own-length] <PATHS");
  for (int i = 3; i < argc; ++i) {
    all_messages |= strcmp(argv[i], "--messages") == 0;
    own_length |= strcmp(argv[i], "--own-length") == 0;
  }
  setenv("GGML_NO_BACKTRACE", "1", 1);  // It would start gdb.
  std::ios::sync_with_stdio(false);     // Otherwise in_avail() is 0.
  const Llama llama = OpenLlama(argv[1], argv[2]);
  llama.log_set(Print, nullptr);
  const int log = memfd_create("log", 0);
  // Answers at once where paths come one by one: a child takes what is there.
  std::vector<std::string> paths;
  bool more = true;
  while (more || !paths.empty()) {
    std::string path;
    while (more && paths.size() < kFilesPerChild &&
           (paths.empty() || std::cin.rdbuf()->in_avail() > 0)) {
      more = static_cast<bool>(std::getline(std::cin, path));
      if (more && !path.empty()) paths.push_back(path);
    }
    if (paths.empty()) break;
    const size_t done = RunInChild(llama, paths, log);
    paths.erase(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(done));
  }
}
