// Runs a fuzz target over files, without libFuzzer: every test run replays
// known inputs.
//
//   REPLAY FILE_OR_FOLDER...
//   REPLAY FILE_OR_FOLDER... --copy-to FOLDER   only copies them, for a fuzzer
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

// Returns the named files, and those below named folders.
std::vector<std::string> FilesOf(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (!entry.is_directory()) files.push_back(entry.path());
    }
  }
  return files;
}

bool Replay(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  // An empty file has nothing to read; that is not an error.
  if (!file || (file.peek() != EOF && !(bytes << file.rdbuf()))) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return false;
  }
  const std::string input = bytes.str();
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  return true;
}

// Names the copy by a number: file names may repeat.
bool Copy(const std::vector<std::string>& files, const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  size_t number = 0;
  for (const std::string& file : files) {
    const std::string to = folder + "/seed-" + std::to_string(++number);
    fs::copy_file(file, to, fs::copy_options::overwrite_existing, error);
    if (!error) continue;
    std::fprintf(stderr, "cannot copy %s to %s\n", file.c_str(), to.c_str());
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> paths(argv + 1, argv + argc);
  std::string copy_to;
  if (paths.size() > 1 && paths[paths.size() - 2] == "--copy-to") {
    copy_to = paths.back();
    paths.resize(paths.size() - 2);
  }
  const std::vector<std::string> files = FilesOf(paths);
  if (files.empty()) {
    std::fprintf(stderr, "no files\n");
    return 1;
  }
  if (!copy_to.empty()) return Copy(files, copy_to) ? 0 : 1;
  for (const std::string& file : files) {
    if (!Replay(file)) return 1;
  }
  std::printf("%zu inputs\n", files.size());
  return 0;
}
