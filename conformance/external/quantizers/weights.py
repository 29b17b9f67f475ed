"""Kinds of weights that loss_bounds.tsv covers.

SPDX-License-Identifier: Apache-2.0
"""

import numpy

ROWS, COLUMNS = 64, 512
SCALE = 0.02


def _kinds(random):
    shape = (ROWS, COLUMNS)
    yield "gaussian", random.normal(size=shape)
    yield "laplace", random.laplace(size=shape)
    yield "uniform", random.uniform(-1.7, 1.7, size=shape)
    yield "student3", random.standard_t(3, size=shape)
    yield "student5", random.standard_t(5, size=shape)
    yield "ternary", random.integers(-1, 2, size=shape)
    yield "binary", random.integers(0, 2, size=shape) * 2 - 1
    yield "unequal-rows", random.normal(size=shape) * numpy.exp(random.normal(size=(ROWS, 1)))
    columns = random.normal(size=shape)
    columns[:, random.choice(COLUMNS, COLUMNS // 100, replace=False)] *= 20
    yield "outlier-columns", columns


def matrices(seed):
    """Returns matrices of float32 by name.  The sizes of those of one kind lie
    within a factor of two, the step between the scales of MXFP4."""
    found = {}
    for step in range(3):
        random = numpy.random.default_rng([seed, step])
        for name, weights in _kinds(random):
            scaled = weights * SCALE * 2 ** (step / 3)
            found[f"{name}.{step}"] = scaled.astype(numpy.float32)
    return found


# Kinds that a type represents badly, as loss_bounds.tsv says.
NOT_COVERED = {("ternary", "IQ1_M")}
# The same, under an importance matrix that favors few columns.
NOT_COVERED_UNEVEN = {("ternary", "IQ3_S")}


def is_covered(matrix, type_name, is_even):
    kind = (matrix.split(".")[0], type_name)
    return kind not in NOT_COVERED and (is_even or kind not in NOT_COVERED_UNEVEN)


def shows_scale(matrix):
    """Whether a factor of 1.02 exceeds what a quantizer does to the scale: it
    changes that of large weights, and that of even ones."""
    return matrix.split(".")[0] in ("gaussian", "laplace")


def has_magnitudes(matrix):
    """Whether one bit loses the magnitudes."""
    return matrix.split(".")[0] not in ("ternary", "binary")
