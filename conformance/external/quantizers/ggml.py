"""ggml's quantizers, from the prebuilt library of the npm package node-llama-cpp.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import glob
import os

import numpy


class _TypeTraits(ctypes.Structure):
    """The beginning of ggml_type_traits of ggml.h."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("block_elements", ctypes.c_int64),
        ("interleaved", ctypes.c_int64),
        ("block_bytes", ctypes.c_size_t),
        ("is_quantized", ctypes.c_bool),
        ("to_float", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)),
    ]


class Ggml:
    """libggml-base.so in a folder of npm's modules."""

    def __init__(self, modules):
        pattern = "node_modules/@node-llama-cpp/linux-x64/bins/*/libggml-base.so"
        paths = sorted(glob.glob(os.path.join(modules, pattern)))
        if not paths:
            raise FileNotFoundError(f"{modules} has no libggml-base.so")
        self._lib = ctypes.CDLL(paths[0])
        self._lib.ggml_get_type_traits.restype = ctypes.POINTER(_TypeTraits)
        self._lib.ggml_quantize_requires_imatrix.restype = ctypes.c_bool
        self._lib.ggml_quantize_chunk.restype = ctypes.c_size_t
        self._lib.ggml_quantize_chunk.argtypes = [
            ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64,
            ctypes.c_int64, ctypes.c_void_p]

    def _traits(self, kind):
        return self._lib.ggml_get_type_traits(kind).contents

    def quantize(self, kind, weights, importances=None):
        """Returns the bytes of a matrix of float32, quantized row by row."""
        rows, columns = weights.shape
        if importances is None and self._lib.ggml_quantize_requires_imatrix(kind):
            importances = numpy.ones(columns)
        traits = self._traits(kind)
        out = numpy.zeros(weights.size // traits.block_elements * traits.block_bytes, numpy.uint8)
        weights = numpy.ascontiguousarray(weights, numpy.float32)
        pointer = None
        if importances is not None:
            importances = numpy.ascontiguousarray(importances, numpy.float32)
            pointer = importances.ctypes.data
        size = self._lib.ggml_quantize_chunk(
            kind, weights.ctypes.data, out.ctypes.data, 0, rows, columns, pointer)
        if size != out.size:
            raise ValueError(f"ggml wrote {size} bytes of type {kind}, expected {out.size}")
        return out.tobytes()

    def dequantize(self, kind, data, shape):
        """Returns a matrix of float32."""
        weights = numpy.empty(shape, numpy.float32)
        data = numpy.frombuffer(data, numpy.uint8)
        if kind == 0:
            return data.view(numpy.float32).reshape(shape).copy()
        self._traits(kind).to_float(data.ctypes.data, weights.ctypes.data, weights.size)
        return weights
