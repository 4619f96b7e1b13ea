"""Links nobody meant: every field of every page with values at, below and above their edges, malformed, huge, in any
script. No page falls over, now or at the next run, and whatever of a link is not taken over is named.
"""

import random
import re

import numpy as np
import pytest
from visit import PAGE_OF, open_page, run

from attention_core import InputError

FIELDS = {file: (page.name, page.fields) for file, page in PAGE_OF.items()}
NAMES = sorted({field.name for _, fields in FIELDS.values() for field in fields} | {"q", "<b>", "이름"})
NUMBERS = """
0 1 -1 2 3 4 5 8 9 10 11 15 16 17 20 21 23 24 63 64 65 99 100 101 200 201 1000 9999 10000 10001 131072 131073 999999
1000000 1000001 1000000000001 -2 -4 -6 -7 -10 -11 -20 -21 -100 -101 -1000000 -1000001 -1000000000001 0.5 1.5 -0.5
0.001 0.0009 1e-6 1e-7 1e-12 1e-200 1e-308 5e-324 1e30 1e38 1e39 1e50 1e100 1e200 1e308 -1e308 1e400 nan inf -inf
0,5 1/3 ½ １ १ −2 ² +1 1_000 0x1
""".split()  # noqa: SIM905
NUMBERS += ["9" * 4301, "0." + "9" * 4301]
MASKS = ["0", "1", "01", "10;11", "111;111;111", "000;000;000", "101;010;111", "1x1", "111;11", "1" * 17, ";", "1" * 9]
TEXTS = [
    "", " ", "A", "A B C", "token12", "한국어 낱말 세", "🙂 🙂‍↔️", "x x x² x", "a" * 5000, "가 " * 700,
    "<b>x</b> [x](y) $x$ :cat:",
    "\u200b \u3164", "1 1 2", "1 2 3", "1 1", "a b c", "1 1 " + "9" * 4301, "² ² ²", "{}", "[]", "null",
    '{"cat": "thing"}',
    '{"cat": []}', '{"cat": "x"}', "[" * 5000, "true", "None", "full", "padding", "%00", "\x00", "\n", "../..",
]  # fmt: skip
MATRICES = [
    "1", "0", "1,0;0,1", "1,0;0,1;1,1", "1e308,0;-1e308,0;0,0", "1e50,1;1e50,-1e50;0,0", "0,0;0,0;0,0", "100;0", "0;30",
    "30;30", "1,x", "1;1,2", ";".join(["1,2"] * 17), "1e-320,0", "1e200,0;0,1;1,1", "[[1,2],[3,4]]", "nan,1", "1e400",
    ";".join([",".join("1" * 6)] * 6), ";".join([",".join(["1e308"] * 6)] * 6),
]  # fmt: skip


def fitting(field, texts: list[str]) -> list[str]:
    def fits(text):
        try:
            field.read(text)
        except InputError:
            return False
        return True

    return [text for text in texts if fits(text)]


def choices_of(fields) -> list[str]:
    """The codes that any field of the page may have: tried as texts of every other one too."""
    said = set()
    for field in fields:
        try:
            field.read("no such code")
        except InputError as error:
            said |= set(str(error.details.get("options", "")).split(", ")) - {""}
    return sorted(said)


def matrices(rng: random.Random, size: int) -> dict[str, str]:
    """Q, K and V that fit each other, of one size of numbers."""
    n_query, n_key, d_k, d_v = (rng.choice([1, 1, 2, 3, 3, 5, 16]) for _ in range(4))
    shapes = {"query": (n_query, d_k), "key": (n_key, d_k), "value": (n_key, d_v)}

    def number():
        return f"{rng.choice([-30, -1, 0, 0.5, 1, 3, 30])}e{size}"

    return {name: ";".join(",".join(number() for _ in range(c)) for _ in range(r)) for name, (r, c) in shapes.items()}


def random_link(rng: random.Random, fields) -> dict[str, str]:
    pool = [*NUMBERS, *MASKS, *TEXTS, *MATRICES, *choices_of(fields)]
    link = {}
    if {"query", "key", "value"} <= {field.name for field in fields} and rng.random() < 0.5:
        link = matrices(rng, rng.choice([0, 0, 0, 1, -200, 30, 37, 40, 50, 100, 153, 200, 290, 306]))
        if rng.random() < 0.5:
            rows, columns = link["query"].count(";") + 1, link["key"].count(";") + 1
            link["mask"] = ";".join("".join(rng.choice("01") for _ in range(columns)) for _ in range(rows))
    for field in rng.sample(fields, min(len(fields), rng.choice([1, 2, 3, 5, 9]))):
        good = fitting(field, pool)
        link.setdefault(field.name, rng.choice(good if good and rng.random() < 0.6 else pool))
    if rng.random() < 0.2:
        link.setdefault(rng.choice(NAMES), rng.choice(pool))
    return link


def same(is_there, meant) -> bool:
    if isinstance(is_there, dict) and "numbers" in is_there:
        is_there = is_there["numbers"]
    if isinstance(is_there, dict) and "allowed" in is_there:
        is_there = is_there["allowed"]
    return is_there == meant if isinstance(meant, dict) else np.array_equal(np.asarray(is_there), np.asarray(meant))


def untaken(at, prefix: str, fields, link: dict[str, str]) -> set[str]:
    """What of the link does not stand in the page's state."""
    missing = set(link) - {field.name for field in fields}
    for field in fields:
        if field.name in link:
            try:
                meant = field.read(link[field.name])
            except InputError:
                missing.add(field.name)
                continue
            key = f"{prefix}_{field.name}"
            if key not in at.session_state or not same(at.session_state[key], meant):
                missing.add(field.name)
    return missing


def named(at) -> set[str]:
    """The fields that the page's messages name."""
    lines = "\n".join(box.value for box in at.warning)
    unknown = {re.sub(r"\\(.)", r"\1", name) for name in re.findall(r"^- \*\*(.+?)\*\*:", lines, re.M)}
    return unknown | set(re.findall(r"\(`(\w+)`\):", lines))


@pytest.mark.parametrize("page", FIELDS)
def test_any_link_opens_and_what_is_not_taken_over_is_named(page, full):
    prefix, fields = FIELDS[page]
    first = random.SystemRandom().randrange(10**6) if full else 0
    for seed in range(first, first + (300 if full else 5)):
        rng = random.Random(f"{page} {seed}")
        link = random_link(rng, fields)
        story = f"{page}, seed {seed}: {link}"
        try:
            at = open_page(page, lang=rng.choice(["en", "ko"]), **link)
            forgotten = untaken(at, prefix, fields, link) - named(at)
            run(at)
        except AssertionError as error:
            raise AssertionError(f"{story}\n{error}") from error
        assert not at.error, story
        assert not forgotten, f"not taken over and not named: {forgotten}. {story}"
