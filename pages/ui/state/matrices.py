"""What is kept of matrices and masks, apart from the grids that show them.

Of a matrix, "base" and "base_numbers" are what its grid was given, "texts" and "numbers" what stands in it now. The
base changes only when something other than typing changes the matrix, and then the version, and with it the widget's
key, goes up: a value written back into the base would lose every second edit.
Of a mask: the rules with their settings it was last drawn from, and the cells as they are now.
"""

import numpy as np

from pages.ui.state.session import is_kept, keep, kept

SEEN = {"query": "Q", "key": "K", "value": "V"}  #: what the matrices are called in every language


def put_matrix(key: str, matrix, is_new: bool = True) -> None:
    """Replace a matrix by something other than typing: an example, a paste, another size, a link, an undo.

    Of a new one nothing was cut off yet.
    """
    if is_new:
        keep("whole", {name: whole for name, whole in kept("whole", {}).items() if name != key})
    numbers = np.asarray(matrix, dtype=float).tolist()
    rebase(key, [[cell_text(number) for number in row] for row in numbers], numbers)


def matrix_of(key: str) -> np.ndarray:
    """The last good numbers of a matrix."""
    return np.array(kept(key, None)["numbers"])


def rebase(key: str, texts: list[list[str]], numbers: list[list[float]]) -> dict:
    version = kept(key, {"version": 0})["version"] + 1
    entry = {"base": texts, "base_numbers": numbers, "texts": texts, "numbers": numbers, "labels": None, "visit": None}
    keep(key, entry | {"version": version})
    return entry | {"version": version}


def cell_text(number: float) -> str:
    """A number as a grid shows it: six digits. The whole number stays behind the text until it is edited."""
    return f"{number + 0.0:.6g}"


def resized(key: str, matrix: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """A matrix in another size: what was cut off before comes back where there is room again, the rest is zeros."""
    before = np.array(kept("whole", {}).get(key, np.zeros((1, 1))))
    whole = np.zeros(np.max([before.shape, matrix.shape, (rows, columns)], axis=0))
    for part in (before, matrix):
        whole[: part.shape[0], : part.shape[1]] = part
    keep("whole", kept("whole", {}) | {key: whole.tolist()})
    return whole[:rows, :columns]


def was_resized(key: str) -> bool:
    return key in kept("whole", {})


def start_anew(page: str) -> None:
    """Before an example or a reset: what boxes refused is forgotten, and what was cut off from matrices."""
    typed, whole = kept("typed", {}), kept("whole", {})
    ours = f"{page}_"
    keep("typed", typed | {key: typed[key] | {"number": None} for key in typed if key.startswith(ours)})
    keep("whole", {key: whole[key] for key in whole if not key.startswith(ours)})


def put_mask(page: str, rule: str, allowed: np.ndarray | None = None) -> None:
    """Replace the mask: choose the rule, or cells as if painted by hand, whatever rule they were painted over."""
    if allowed is not None:
        rule = "full" if np.all(allowed) else "custom"
    version = kept(f"{page}_mask", {"version": 0})["version"] + 1
    keep(f"{page}_rule", rule)
    cells = None if allowed is None else np.asarray(allowed).tolist()
    keep(f"{page}_mask", {"version": version, "drawn_from": None, "allowed": cells})


def painted_mask(page: str) -> list[list[bool]] | None:
    """The mask's cells when something else than the rule made them, else None."""
    entry = kept(f"{page}_mask") if is_kept(f"{page}_mask") else {}
    return entry.get("allowed") if entry.get("painted") or entry.get("drawn_from") is None else None


def random_matrix(name: str, seed: int, shape: tuple[int, int]) -> np.ndarray:
    """Other numbers for each matrix: with those of one seed, query and key would be the same."""
    return np.random.default_rng([seed, *name.encode()]).normal(size=shape).round(2)
