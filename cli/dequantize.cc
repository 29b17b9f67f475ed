// ggufcheck dequantize: the weights of one tensor as an array.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/dequantize.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/base/bytes.h"
#include "conformance/base/output_file.h"
#include "conformance/base/text.h"
#include "conformance/input/open.h"
#include "conformance/model/tensor_data.h"
#include "parser/parse.h"

namespace gguf {
namespace {

struct DequantizeFlags {
  std::string path;
  std::string tensor;
  std::string output;
  std::string rows;
  CheckOptions options = ProgramOptions();
};

// Rows [begin, end): the outer dimensions counted as one.
struct Rows {
  uint64_t begin = 0;
  uint64_t end = 0;
};

absl::StatusOr<Rows> ParseRows(const std::string& text, uint64_t all) {
  if (text.empty()) return Rows{0, all};
  const size_t colon = text.find(':');
  Rows rows;
  if (colon == std::string::npos || !absl::SimpleAtoi(text.substr(0, colon), &rows.begin) ||
      !absl::SimpleAtoi(text.substr(colon + 1), &rows.end) || rows.begin > rows.end ||
      rows.end > all) {
    return absl::InvalidArgumentError(absl::StrCat("invalid value ", Quote(text),
                                                   " for --rows: expected A:B with A <= B <= ", all,
                                                   ", the number of rows"));
  }
  return rows;
}

// The output type of a tensor type: the same as in the file, or floats.
struct OutputType {
  const char* dtype;
  bool as_stored;
};

OutputType OutputTypeOf(TensorType type) {
  switch (type) {
    case TensorType::kF64:
      return {"<f8", true};
    case TensorType::kI8:
      return {"|i1", true};
    case TensorType::kI16:
      return {"<i2", true};
    case TensorType::kI32:
      return {"<i4", true};
    case TensorType::kI64:
      return {"<i8", true};
    default:
      return {"<f4", false};
  }
}

// Returns NumPy's shape: the file's, reversed; for selected rows, rows by
// columns.
std::vector<uint64_t> NumpyShape(const TensorInfo& tensor, const Rows& rows, bool all) {
  if (!all) return {rows.end - rows.begin, tensor.rank() ? tensor.dims[0] : 1};
  std::vector<uint64_t> shape(tensor.dims.begin(), tensor.dims.begin() + tensor.rank());
  std::reverse(shape.begin(), shape.end());
  return shape;
}

// Returns the bytes before the data of an array in C order in a .npy file,
// NumPy's format for one array: a Python dictionary, padded to align the data.
// `dtype` is a type string such as "<f4"; `shape` is in NumPy's order, the
// fastest dimension last.
//
// Source: the NumPy enhancement proposal 1, version 1.0 of the format.
std::string NpyHeader(absl::string_view dtype, const std::vector<uint64_t>& shape) {
  constexpr size_t kAlignment = 64;
  constexpr size_t kPreamble = 10;  // Magic, version, length of the rest.
  std::string dims;
  for (const uint64_t dim : shape) absl::StrAppend(&dims, dim, ", ");
  std::string text =
      absl::StrCat("{'descr': '", dtype, "', 'fortran_order': False, 'shape': (", dims, "), }");
  const size_t size = kPreamble + text.size() + 1;
  text.append((kAlignment - size % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header = "\x93NUMPY\x01";
  header += '\0';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

void WriteBlocks(const TensorInfo& tensor, Bytes data, Endian endian, std::ostream& out) {
  constexpr size_t kBlocksAtATime = 4096;
  const TensorTypeInfo& info = *tensor.type_info();
  const auto type = static_cast<TensorType>(info.id);
  std::vector<float> weights;
  std::vector<uint8_t> stored;
  const uint64_t step = kBlocksAtATime * info.block_bytes;
  for (uint64_t at = 0; at < data.size(); at += step) {
    const Bytes some = data.subspan(at, step);
    const size_t blocks = some.size() / info.block_bytes;
    const void* bytes = some.data();
    size_t size = some.size();
    if (!OutputTypeOf(type).as_stored) {
      weights.resize(blocks * info.block_elements);
      const auto error = Dequantize(type, some, absl::MakeSpan(weights), endian);
      Assert(!error, "whole blocks cannot be dequantized");
      bytes = weights.data();
      size = weights.size() * sizeof(float);
    } else if (endian == Endian::kBig) {
      stored.resize(size);
      SwapBlocks(type, some.data(), blocks, stored.data());
      bytes = stored.data();
    }
    if (!out.write(static_cast<const char*>(bytes), size)) return;
  }
}

// Returns the tensor with this name, or with this number, such as "#7".
const TensorInfo* FindTensor(const File& file, const std::string& name) {
  uint64_t index;
  const bool by_number =
      name.size() > 1 && name[0] == '#' && absl::SimpleAtoi(name.substr(1), &index);
  for (const TensorInfo& tensor : file.tensors) {
    if (by_number ? tensor.index == index : tensor.name.value == name) {
      return &tensor;
    }
  }
  return nullptr;
}

// Returns why the tensor cannot be read; empty when it can.
std::string WhyUnreadable(const File& file, const TensorInfo& tensor) {
  if (file.progress != Progress::kTensors) return file.stop->Why();
  if (!file.alignment_known) return "general.alignment is invalid";
  if (!tensor.bytes || !tensor.has_known_weights()) {
    return "its type or shape is invalid";
  }
  switch (PlaceTensors(file).places[tensor.index]) {
    case Place::kMisaligned:
      return "its offset is not aligned";
    case Place::kOutside:
      return "its data is not inside the file";
    default:
      return "";
  }
}

void WriteTensor(const DequantizeFlags& flags, const File& file, const TensorInfo& tensor,
                 const Rows& rows, std::ostream& out) {
  const uint64_t columns = tensor.rank() == 0 ? 1 : tensor.dims[0];
  const TensorTypeInfo& info = *tensor.type_info();
  const uint64_t row_bytes = columns / info.block_elements * info.block_bytes;
  const Range whole = DataRange(file, tensor);
  const Bytes data =
      file.bytes.subspan(whole.begin + rows.begin * row_bytes, (rows.end - rows.begin) * row_bytes);
  if (!absl::EndsWith(flags.output, ".bin")) {
    out << NpyHeader(OutputTypeOf(static_cast<TensorType>(info.id)).dtype,
                     NumpyShape(tensor, rows, flags.rows.empty()));
  }
  WriteBlocks(tensor, data, file.encoding.endian, out);
}

absl::StatusOr<std::unique_ptr<OutputFile>> OpenOutput(const DequantizeFlags& flags) {
  if (flags.output == "-") return OutputFile::StandardOutput();
  InputFiles inputs;
  inputs.Add(flags.path, "the model");
  return OutputFile::Create(flags.output, Quote(flags.output), inputs);
}

int RunDequantize(const DequantizeFlags& flags) {
  if (flags.output != "-" && !absl::EndsWith(flags.output, ".npy") &&
      !absl::EndsWith(flags.output, ".bin")) {
    PrintError("--output must be - or a path that ends in .npy or .bin");
    return kUsage;
  }
  const auto fail = [&](absl::string_view why, int code) {
    PrintError(absl::StrCat(Escape(flags.path, flags.path.size()), ": ", why));
    return code;
  };
  const auto input = Input::Open(flags.path, flags.options.limits.stream_bytes);
  if (!input.ok()) return fail(input.status().message(), kCouldNotRun);
  Diagnostics found(1);
  const File file = Parse(input->source(), flags.options.limits, &found);
  const TensorInfo* tensor = FindTensor(file, flags.tensor);
  if (tensor == nullptr) {
    if (file.stop) return fail(file.stop->Why(), kFindings);
    return fail(
        absl::StrCat("no tensor ", Quote(flags.tensor), "; ggufcheck dump lists all tensors"),
        kUsage);
  }
  const std::string why = WhyUnreadable(file, *tensor);
  if (!why.empty()) {
    return fail(absl::StrCat(Quote(flags.tensor), " cannot be read: ", why), kFindings);
  }
  const auto rows = ParseRows(
      flags.rows, std::accumulate(tensor->dims.begin() + 1,
                                  tensor->dims.begin() + std::max<uint32_t>(1, tensor->rank()),
                                  uint64_t{1}, std::multiplies<>()));
  if (!rows.ok()) return fail(rows.status().message(), kUsage);
  const auto out = OpenOutput(flags);
  if (!out.ok()) return FailWith(out.status());
  WriteTensor(flags, file, *tensor, *rows, (*out)->out());
  const std::string changed = input->WhyChanged();
  if (!changed.empty()) return fail(changed, kCouldNotRun);
  return Finish(out->get()) ? kOk : kCouldNotRun;
}

}  // namespace

void AddDequantizeCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<DequantizeFlags>();
  CLI::App* command =
      program->add_subcommand("dequantize", "Write the weights of one tensor as an array.");
  AddValue(command, "PATH", &flags->path, "", "A file, or - for standard input")->required();
  AddValue(command, "TENSOR", &flags->tensor, "", "The tensor's name, or its index, such as #7")
      ->required();
  AddValue(command, "--output", &flags->output, "PATH",
           "x.npy for NumPy, x.bin for raw numbers, - for .npy on standard output")
      ->required();
  AddValue(command, "--rows", &flags->rows, "A:B",
           "Write only rows A to B, B excluded; the outer dimensions are flattened into one");
  AddLimitFlags(command, &flags->options);
  command->footer(
      "Weights are 32-bit floats, little endian; F64 and integers keep their type.\n"
      "The shape is in NumPy's order, the reverse of the file's.\n"
      "\nExamples:\n"
      "  ggufcheck dequantize model.gguf output.weight --output output.npy\n"
      "  ggufcheck dequantize model.gguf '#0' --rows 0:4 --output - | python3 -c 'import sys, io, "
      "numpy; print(numpy.load(io.BytesIO(sys.stdin.buffer.read())))'");
  command->callback([flags, exit_code] { *exit_code = RunDequantize(*flags); });
}

}  // namespace gguf
