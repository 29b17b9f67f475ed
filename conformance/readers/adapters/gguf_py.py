"""Adapter for gguf-py, the reader of llama.cpp's converters.

    python3 gguf_py.py [FOLDER]

FOLDER contains the package `gguf`, if it is not installed: the folder gguf-py
of llama.cpp.

SPDX-License-Identifier: Apache-2.0
"""

import importlib.metadata
import sys

import gguf_testee as protocol

sys.path[:0] = sys.argv[1:]
from gguf.constants import GGMLQuantizationType as Quant
from gguf.gguf_reader import GGUFReader
from gguf.quants import dequantize


def value(field):
    """Returns the words of a value."""
    is_array = field.types[0] == 9
    kind = protocol.TYPES[field.parts[3][0] if is_array else field.types[0]]
    parts = [field.parts[i] for i in field.data]
    if kind in ("f32", "f64"):  # Python floats would change NaNs.
        words = [part.astype(part.dtype.newbyteorder(">")).tobytes().hex() for part in parts]
    else:
        words = [protocol.scalar(kind, part if kind == "str" else part[0]) for part in parts]
    return ["arr", kind, len(words), *words] if is_array else [kind, *words]


def show(reader):
    for field in list(reader.fields.values())[3:]:  # After those of the header.
        # An array of arrays is flattened, so its shape is unknown.
        if field.types.count(9) < 2:
            protocol.kv(bytes(field.parts[1]), *value(field))
    for tensor in reader.tensors:
        name = tensor.name.encode()
        protocol.tensor(name, tensor.tensor_type, tensor.data_offset - reader.data_offset, tensor.shape)
        protocol.data(name, tensor.data)
        known = tensor.tensor_type in (Quant.F32, Quant.F16) or tensor.data.dtype == "uint8"
        if known and tensor.n_elements < protocol.MAX_LINE:
            protocol.weights(name, dequantize(tensor.data, tensor.tensor_type))


def read(path):
    try:
        reader = GGUFReader(path)
    except Exception as error:  # It rejects files by any exception.
        return protocol.reject(type(error).__name__, error)
    show(reader)
    protocol.accept()


try:
    version = importlib.metadata.version("gguf")
except importlib.metadata.PackageNotFoundError:  # From FOLDER.
    version = "unknown"
protocol.run("gguf-py", version, "kv,tensors,data,deq,nan-canon", read)
