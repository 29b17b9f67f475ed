// Runs files with whisper.cpp on a second of silence: speech recognition with one token, detection
// of voice, or parakeet's encoder.
//
// SPDX-License-Identifier: Apache-2.0

#include "whisper.h"

#include <vector>

#include "child.h"
#include "parakeet.h"

namespace {

constexpr int kSecond = 16000;
const std::vector<float> kSilence(kSecond);

Outcome RunVad(const char* path) {
  whisper_vad_context_params params = whisper_vad_default_context_params();
  params.n_threads = 1;
  whisper_vad_context* context = whisper_vad_init_from_file_with_params(path, params);
  if (context == nullptr) return Outcome::kRefused;
  const bool ran = whisper_vad_detect_speech(context, kSilence.data(), kSecond);
  whisper_vad_free(context);
  return ran ? Outcome::kRan : Outcome::kRefused;
}

Outcome RunParakeet(const char* path) {
  parakeet_context_params params = parakeet_context_default_params();
  params.use_gpu = false;
  parakeet_context* context = parakeet_init_from_file_with_params(path, params);
  if (context == nullptr) return Outcome::kRefused;
  const bool ran = parakeet_pcm_to_mel(context, kSilence.data(), kSecond, 1) == 0 &&
                   parakeet_encode(context, 0, 1) == 0;
  parakeet_free(context);
  return ran ? Outcome::kRan : Outcome::kRefused;
}

Outcome RunWhisper(const char* path) {
  whisper_context_params params = whisper_context_default_params();
  params.use_gpu = false;
  params.flash_attn = false;
  whisper_context* context = whisper_init_from_file_with_params(path, params);
  if (context == nullptr) return Outcome::kRefused;
  whisper_full_params run = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
  run.n_threads = 1;
  run.max_tokens = 1;
  run.audio_ctx = 64;  // Of 1500; a second needs 50.
  run.temperature_inc = 0;
  run.single_segment = true;
  run.print_progress = false;
  const bool ran = whisper_full(context, run, kSilence.data(), kSecond) == 0;
  whisper_free(context);
  return ran ? Outcome::kRan : Outcome::kRefused;
}

}  // namespace

Outcome RunFile(const std::string& family, const char* path) {
  if (family == "silero-vad") return RunVad(path);
  if (family == "parakeet") return RunParakeet(path);
  return RunWhisper(path);
}
