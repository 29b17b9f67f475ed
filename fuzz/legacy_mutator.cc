// Takes a file apart at the places where the parser found its fields, changes
// the parts, and puts them together.
//
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/legacy_mutator.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/parse.h"

namespace gguf {
namespace {

// A tensor's record: four numbers or more, the name, and, after padding, data.
struct TensorRecord {
  std::string fields;  // n_dims, the name's length, type, dimensions.
  std::string name;
  std::string data;
};

uint32_t NumberAt(const std::string& bytes, size_t at) {
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

void SetNumber(uint32_t number, size_t at, std::string* bytes) {
  std::memcpy(&(*bytes)[at], &number, sizeof number);
}

class Mutator {
 public:
  Mutator(absl::string_view bytes, const File& file, uint32_t seed)
      : random_(seed), alignment_(file.alignment), file_size_(bytes.size()) {
    const LegacyHeader& header = *file.legacy;
    const auto cut = [&](Range where) {
      return std::string(bytes.substr(where.begin, where.size()));
    };
    const uint64_t head_end =
        file.tensors.empty() ? file.infos_end : file.tensors[0].n_dims.where.begin;
    head_ = cut({0, head_end});
    for (const auto& field : header.hparams) AddNumber(field.where);
    AddNumber(header.tokens.where);
    if (header.n_mel) AddNumber(header.n_mel->where);
    if (header.n_fft) AddNumber(header.n_fft->where);
    vocabulary_ = header.vocabulary;
    uint64_t end = head_end;
    for (const TensorInfo& tensor : file.tensors) {
      end = tensor.offset.value + tensor.bytes.value_or(0);
      tensors_.push_back({cut({tensor.n_dims.where.begin, tensor.name.where.begin}),
                          cut(tensor.name.where), cut({tensor.offset.value, end})});
    }
    rest_ = std::string(bytes.substr(std::min<uint64_t>(end, bytes.size())));
  }

  std::string Run() {
    static constexpr void (Mutator::*kOperators[])() = {
        &Mutator::ChangeHeaderNumber, &Mutator::ChangeToken,  &Mutator::DropToken,
        &Mutator::ChangeTensorNumber, &Mutator::RenameTensor, &Mutator::ResizeTensor,
        &Mutator::CopyTensor,         &Mutator::DropTensor,   &Mutator::ChangeMagic,
        &Mutator::Truncate,
    };
    for (uint32_t n = 1 + Below(3); n > 0; --n) {
      (this->*kOperators[Below(std::size(kOperators))])();
    }
    return Written();
  }

 private:
  uint32_t Below(size_t n) { return static_cast<uint32_t>(random_() % n); }

  void AddNumber(Range where) {
    if (where.size() == 4 && where.end <= head_.size()) {
      numbers_.push_back(where.begin);
    }
  }

  uint32_t Changed(uint32_t number) {
    const auto left = static_cast<uint32_t>(file_size_);
    const uint32_t interesting[] = {
        0,          1,           2,        number - 1, number + 1,
        2 * number, number ^ 1,  left,     left / 4,   0x7FFFFFFF,
        0x80000000, 0xFFFFFFFF,  1u << 30, 1000,       2000 + number % 1000,
        5,          Below(1000),
    };
    return interesting[Below(std::size(interesting))];
  }

  std::string AnyText() {
    static constexpr const char* kTexts[] = {
        "",
        "tok_embeddings.weight",
        "layers.0.attention.wq.weight",
        "model/h0/attn/c_attn/w",
        "a\x1b[31m\n::error::\xE2\x80\xAE",
        "\xFF\xC3",
        "<b>&]]>",
    };
    if (Below(4) == 0) return std::string(Below(300), 'x');
    return kTexts[Below(std::size(kTexts))];
  }

  void ChangeHeaderNumber() {
    if (numbers_.empty()) return;
    const size_t at = numbers_[Below(numbers_.size())];
    SetNumber(Changed(NumberAt(head_, at)), at, &head_);
  }

  // Calls change(begin of a token, end of its text) for one of the tokens.
  template <class Function>
  void WithToken(Function change) {
    const size_t end = std::min<size_t>(vocabulary_.end, head_.size());
    size_t at = vocabulary_.begin;
    for (uint32_t skip = Below(50); at + 4 <= end; --skip) {
      const uint32_t length = NumberAt(head_, at);
      if (length > end - at - 4) return;
      if (skip == 0) return change(at, at + 4 + length);
      at += 4 + length;
    }
  }

  void ChangeToken() {
    WithToken([&](size_t begin, size_t end) {
      const std::string text = AnyText();
      head_.replace(begin + 4, end - begin - 4, text);
      const auto length = static_cast<uint32_t>(text.size());
      SetNumber(Below(8) == 0 ? Changed(length) : length, begin, &head_);
    });
  }

  void DropToken() {
    WithToken([&](size_t begin, size_t end) { head_.erase(begin, end - begin); });
  }

  TensorRecord* AnyTensor() {
    return tensors_.empty() ? nullptr : &tensors_[Below(tensors_.size())];
  }

  void ChangeTensorNumber() {
    if (TensorRecord* tensor = AnyTensor()) {
      const size_t at = 4 * Below(tensor->fields.size() / 4);
      SetNumber(Changed(NumberAt(tensor->fields, at)), at, &tensor->fields);
    }
  }

  void RenameTensor() {
    if (TensorRecord* tensor = AnyTensor()) {
      tensor->name = AnyText();
      SetNumber(static_cast<uint32_t>(tensor->name.size()), 4, &tensor->fields);
    }
  }

  void ResizeTensor() {
    if (TensorRecord* tensor = AnyTensor()) {
      tensor->data.resize(Below(2 * tensor->data.size() + 64), static_cast<char>(Below(256)));
    }
  }

  void CopyTensor() {
    if (TensorRecord* tensor = AnyTensor()) {
      const TensorRecord copy = *tensor;
      tensors_.insert(tensors_.begin() + Below(tensors_.size() + 1), copy);
    }
  }

  void DropTensor() {
    if (!tensors_.empty()) {
      tensors_.erase(tensors_.begin() + Below(tensors_.size()));
    }
  }

  void ChangeMagic() {
    static constexpr const char* kMagics[] = {"lmgg", "fmgg", "tjgg", "algg"};
    if (head_.size() < 8) return;
    if (Below(2) == 0) {
      head_.replace(0, 4, kMagics[Below(std::size(kMagics))]);
    } else {
      SetNumber(Below(2) == 0 ? Below(5) : 100 + Below(2), 4, &head_);
    }
  }

  void Truncate() { size_ = 1 + Below(file_size_ + 16); }

  std::string Written() const {
    std::string bytes = head_;
    for (const TensorRecord& tensor : tensors_) {
      bytes += tensor.fields + tensor.name;
      bytes.resize((bytes.size() + alignment_ - 1) / alignment_ * alignment_);
      bytes += tensor.data;
    }
    bytes += rest_;
    if (size_ < bytes.size()) bytes.resize(size_);
    return bytes;
  }

  std::minstd_rand random_;
  const uint64_t alignment_;
  const size_t file_size_;
  std::string head_;             // Up to the first tensor.
  std::vector<size_t> numbers_;  // Offsets of numbers in it.
  Range vocabulary_;             // In it.
  std::vector<TensorRecord> tensors_;
  std::string rest_;
  size_t size_ = static_cast<size_t>(-1);
};

}  // namespace

std::string MutateLegacy(absl::string_view bytes, uint32_t seed) {
  Diagnostics unused(0);
  const File file = Parse(AsBytes(bytes), Limits(), &unused);
  if (!file.legacy || file.progress < Progress::kHeader) {
    return std::string(bytes);
  }
  return Mutator(bytes, file, seed).Run();
}

}  // namespace gguf
