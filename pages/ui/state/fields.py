"""One thing that a visitor can set: its name, what it can be, how it is read from a text and written as one.

A link, a file, an undo and a control all go through the same reading, so a limit stands in one place.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from attention_core import InputError
from attention_core.matrix_text import read_matrix, read_number
from pages.ui.text import clean_label, whole

MOST = 16  #: rows or columns of a matrix on a page
MOST_NAMES = 600  #: characters of the names of all tokens
MOST_SEED = 999_999
MOST_SCALE = 1_000_000  #: an own scale at most, and a temperature; at least it is 1 divided by this


@dataclass(frozen=True)
class Number:
    """A number in low ... high; ``reason`` is what is said of one that is not, unless ``first_check`` says more."""

    low: float
    high: float
    reason: str = "out_of_range"
    first_check: Callable[[float], object] = field(default=float)

    def check(self, number: float) -> float:
        self.first_check(number)
        if not self.low <= number <= self.high:
            message = f"{number} is not in {self.low} ... {self.high}"
            raise InputError(self.reason, message, value=number, low=self.low, high=self.high)
        return number

    def nearest(self, number: float) -> float:
        return min(max(number, self.low), self.high)

    def read(self, text: str) -> float:
        return self.check(read_number(text, decimal="point"))

    def write(self, number: float) -> str:
        return written(number)


@dataclass(frozen=True)
class Whole(Number):
    """A whole number in low ... high."""

    def read(self, text: str) -> int:
        number = super().read(text)
        if number != int(number):
            raise InputError("not_whole", f"{number} is not a whole number", value=number)
        return int(number)


def above_zero(temperature: float) -> None:
    if temperature <= 0:
        raise InputError("temperature_not_positive", f"a temperature must be above 0, got {temperature}")


@dataclass(frozen=True)
class Choice:
    """One of a few codes. Its control offers them in this order, under the words ``{words}_{code}``."""

    codes: tuple
    words: str = ""

    def check(self, code):
        if code not in self.codes:
            expected = ", ".join(map(str, self.codes))
            raise InputError(
                "unknown_choice", f"expected one of {expected}", text=clean_label(str(code)), options=expected
            )
        return code

    def read(self, text: str):
        return self.check(next((code for code in self.codes if self.write(code) == text), text))

    def write(self, code) -> str:
        return code if isinstance(code, str) else written(code)


@dataclass(frozen=True)
class Flag:
    """On or off, written 1 or 0."""

    def read(self, text: str) -> bool:
        return Choice(("0", "1")).read(text) == "1"

    def write(self, is_on: bool) -> str:
        return "01"[bool(is_on)]


@dataclass(frozen=True)
class Text:
    """Anything that is typed, up to a length. ``check`` raises an InputError for what cannot be used.

    What is longer is refused, or with ``is_cut`` read up to there; its page says so.
    """

    longest: int = MOST_NAMES
    check: Callable[[str], object] = field(default=str)
    is_cut: bool = False

    def read(self, text: str) -> str:
        if self.is_cut:
            text = text[: self.longest]
        if len(text) > self.longest:
            message = f"at most {self.longest} characters can be read, got {len(text)}"
            raise InputError("too_long", message, length=len(text), limit=self.longest)
        text = whole(text)  # half characters cannot be sent to a browser
        self.check(text)
        return text

    def write(self, text: str) -> str:
        return text


@dataclass(frozen=True)
class Matrix:
    """Numbers in rows, written 1,0;0,1. ``check`` raises an InputError for a shape that cannot be used."""

    check: Callable[[np.ndarray], object] = field(default=np.shape)

    def read(self, text: str) -> np.ndarray:
        text = text.strip()
        matrix = check_size(read_matrix(text if text.startswith("[") else f"[{text}]", decimal="point").matrix)
        self.check(matrix)
        return matrix

    def write(self, matrix: np.ndarray) -> str:
        return ";".join(",".join(map(written, row)) for row in np.asarray(matrix).tolist())


@dataclass(frozen=True)
class Mask:
    """Who may read whom, written 10;11: a row for each query, 1 where it may look."""

    def read(self, text: str) -> np.ndarray:
        rows = text.split(";")
        if len({len(row) for row in rows}) != 1 or not rows[0] or not set(text) <= set("01;"):
            raise InputError(
                "mask_text", "a mask is rows of 0 and 1 of one length, as in 10;11", text=clean_label(text)
            )
        return check_size(np.array([[cell == "1" for cell in row] for row in rows]))

    def write(self, allowed) -> str:
        return ";".join("".join("01"[cell] for cell in row) for row in np.asarray(allowed, dtype=int).tolist())


@dataclass(frozen=True)
class Table:
    """A few words and what each of them is, one of ``codes``; written {"cat":"thing"}."""

    codes: tuple[str, ...]

    def read(self, text: str) -> dict[str, str]:
        try:
            table = json.loads(text)
        except (ValueError, RecursionError):
            table = None
        if not isinstance(table, dict) or not all(code in self.codes for code in table.values()):
            expected = ", ".join(self.codes)
            raise InputError("unknown_choice", "expected kinds of words", text=clean_label(text), options=expected)
        return {whole(word): code for word, code in table.items()}

    def write(self, table: Mapping[str, str]) -> str:
        return json.dumps(dict(table), ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Field:
    """A setting of a page. Its control is labelled with the words ``label``, or else those of its name."""

    name: str
    kind: Number | Choice | Flag | Text | Matrix | Mask | Table
    first: object = None
    label: str = ""
    is_view: bool = False  #: which part is looked at; undo leaves it alone
    is_always: bool = False  #: written even at its first value, which depends on other things

    def read(self, text: str):
        return self.kind.read(text)

    def write(self, value) -> str:
        return self.kind.write(value)


def check_size(matrix: np.ndarray) -> np.ndarray:
    if max(matrix.shape) > MOST:
        rows, columns = matrix.shape
        message = f"a matrix has at most {MOST} rows and columns here, got {rows} x {columns}"
        raise InputError("matrix_too_large", message, most=MOST, rows=rows, columns=columns)
    return matrix


def written(number: float) -> str:
    """A number with every digit that counts, as a visitor may type it."""
    return repr(float(number)).removesuffix(".0")
