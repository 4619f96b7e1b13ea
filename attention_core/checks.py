"""Reading arguments: whatever was given becomes float64 matrices, masks and numbers, or an ``InputError``.

Functions named ``as_...`` return what they read, ``check_...`` what they were given.
"""

from math import inf, isfinite
from operator import index

import numpy as np

from .errors import InputError

_FLOAT = np.dtype(np.float64)


def as_array(name: str, given) -> np.ndarray:
    """Anything that NumPy takes for an array. Rows of different lengths and masked arrays are refused."""
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise InputError("not_numbers", f"{name} must hold real numbers, got hidden cells", name=name)
    try:
        return np.asarray(given)
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else None for row in given]
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            message = f"{name} must be a matrix: row {row} has another length than row 0"
            raise InputError("ragged", message, name=name, row=row)
    raise InputError("not_numbers", f"{name} must hold real numbers, one in each cell", name=name)


def as_matrix(name: str, given) -> np.ndarray:
    """A float64 copy of a matrix of real numbers, at least 1 x 1. NaN and infinities pass: see ``check_finite``."""
    if type(given) is np.ndarray and given.dtype is _FLOAT and given.ndim == 2 and given.size:
        return given.copy()  # nothing to refuse; the checks below take three times as long
    array = as_array(name, given)
    if array.dtype.kind not in "fiu":
        raise InputError("not_numbers", f"{name} must hold real numbers, got {array.dtype}", name=name)
    if array.ndim != 2 or 0 in array.shape:
        message = f"{name} must be a matrix with at least one row and one column, got shape {array.shape}"
        raise InputError("not_a_matrix", message, name=name, shape=array.shape)
    return array.astype(np.float64, order="C")


def as_finite_matrix(name: str, given) -> np.ndarray:
    """As ``as_matrix``, but NaN and infinities are refused too."""
    return check_finite(name, as_matrix(name, given))


def as_mask(name: str, given, shape: tuple[int, int]) -> np.ndarray:
    """A boolean matrix of this shape."""
    mask = np.asarray(given)
    if mask.dtype.kind != "b":
        raise InputError("mask_not_boolean", f"{name} must be booleans, got {mask.dtype}", name=name)
    return check_shape(name, mask, shape)


def as_number(name: str, given, low: float = -inf, high: float = inf) -> float:
    """A finite number from ``low`` to ``high``."""
    array = as_array(name, given)
    if array.ndim or array.dtype.kind not in "fiu" or not isfinite(array):
        raise InputError("not_finite_number", f"{name} must be a finite number, got {given}", name=name)
    return _check_range(name, float(array), low, high)


def as_whole_number(name: str, given, low: int, high: float = inf, reason: str = "out_of_range") -> int:
    """A whole number from ``low`` to ``high``; ``reason`` is that of the error when it is another one."""
    try:
        number = index(given)
    except TypeError:
        message = f"{name} must be a whole number, got {given!r}"
        raise InputError("not_a_whole_number", message, name=name, value=given) from None
    return _check_range(name, number, low, high, reason)


def _check_range(name: str, number, low, high, reason="out_of_range"):
    if not low <= number <= high:
        allowed = f"{low} or more" if high == inf else f"between {low} and {high}"
        raise InputError(reason, f"{name} must be {allowed}, got {number}", name=name, value=number, low=low, high=high)
    return number


def check_shape(name: str, matrix: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A mask or bias must have a cell for each query and key."""
    if matrix.shape != shape:
        message = f"{name} must have shape {shape} (queries, keys), got {matrix.shape}"
        raise InputError("mask_shape", message, name=name, expected=shape, shape=matrix.shape)
    return matrix


def check_features(query: np.ndarray, key: np.ndarray) -> None:
    """Query (L, E) and key (S, E) must have equally many features: their dot products need it."""
    if query.shape[1] != key.shape[1]:
        message = f"query has {query.shape[1]} features (columns) and key has {key.shape[1]}; they must be equal"
        raise InputError("features_differ", message, query=query.shape[1], key=key.shape[1])


def check_values(name: str, n_key: int, value: np.ndarray) -> None:
    """``name`` has ``n_key`` keys, and each needs a row of ``value`` (S, Ev)."""
    if n_key != len(value):
        message = f"{name} has {n_key} keys and value has {len(value)} rows; each key needs its value"
        raise InputError("rows_differ", message, key=n_key, value=len(value))


def check_finite(name: str, matrix: np.ndarray, allow_negative_infinity: bool = False) -> np.ndarray:
    """No cell may be NaN or infinite; the error names the first that is."""
    passes = np.isfinite(matrix)
    if allow_negative_infinity:
        passes |= matrix == -inf
    if not passes.all():
        row, column = np.argwhere(~passes)[0].tolist()
        expected = "a number or -inf" if allow_negative_infinity else "a finite number"
        message = f"{name}[{row}, {column}] is {matrix[row, column]}; expected {expected}"
        value = float(matrix[row, column])
        raise InputError("not_finite", message, name=name, row=row, column=column, value=value)
    return matrix


def check_overflow(step: str, numbers: np.ndarray, finite=True) -> np.ndarray:
    """The numbers of a step must be finite where ``finite`` says so and nowhere else; the error names a cell."""
    bad = np.argwhere(np.isfinite(numbers) != finite)
    if bad.size:
        row, column = bad[0].tolist()
        message = f"{step}[{row}, {column}] is larger than a float64 can hold (about 1.8e308)"
        raise InputError("overflow", message, step=step, row=row, column=column)
    return numbers
