"""What to start from: examples, sizes, the tokens' names; where the numbers come from."""

import numpy as np
import streamlit as st

from attention_core.examples import example
from pages.ui.state.matrices import SEEN, matrix_of, start_anew
from pages.ui.state.matrix_fields import LOOK_AT, is_random, origin_of, origin_text
from pages.ui.state.settings import put
from pages.ui.widgets.lesson import Lesson


def source_of(lesson: Lesson) -> str:
    """Where the matrices come from: which badge the pictures wear."""
    parts, name = {part: matrix_of(lesson.key(part)) for part in SEEN}, lesson.kept("example")
    chosen = example(name)
    if all(np.array_equal(matrix, getattr(chosen, part)) for part, matrix in parts.items()):
        return badge_of_example(name)
    seeds = {f"{part}_seed": lesson.kept(f"{part}_seed", 0) for part in SEEN}
    if all(is_random(seeds, part, matrix) for part, matrix in parts.items()):
        return "random"
    origin = lesson.kept("origin", "")
    source = origin_of(origin)
    return source if source and origin == origin_text(source, parts) else "typed"


def badge_of_example(name: str) -> str:
    return "toy" if name == "cat_toy" else "example"


def choose_example(lesson: Lesson, names: tuple[str, ...]) -> None:
    """A button for each example, with what there is to see in it; a press replaces matrices, labels and mask."""
    with st.popover(lesson.text("examples"), key=lesson.key("examples"), on_change="rerun") as shelf:
        if shelf.open:
            for name in names:
                st.button(
                    f"**{lesson.text(f'example_{name}')}** · {lesson.text(f'example_{name}_look')}",
                    key=lesson.key(f"example_{name}"),
                    width="stretch",
                    on_click=load_example,
                    args=(lesson, name),
                )


def load_example(lesson: Lesson, name: str) -> None:
    """Replace matrices, tokens' names, mask and the ways they are reckoned with by those of an example."""
    page = lesson.page
    start_anew(page.name)
    lesson.keep(examples=False)  # the shelf closes: what it covered is what there is to see now
    chosen = example(name)
    values = page.first(lesson.text, {"example": name}) | {"example": name}
    ways = ("example", *SEEN, "query_tokens", "key_tokens", "scaling", "sharing", "temperature", "combine")
    begun = {way: values[way] for way in ways if way in values} | {"rule": "full", "mask": chosen.allowed}
    begun |= dict.fromkeys(("real", "tile", "tiles_seen"))  # which are counted in keys
    put(page, begun | dict(zip(("row", "column"), LOOK_AT.get(name, (0, 0)), strict=True)), is_new=True)


def badge(lesson: Lesson, source: str) -> None:
    """Where the numbers of the picture come from."""
    st.badge(lesson.text(f"badge_{source}"), color="gray", help=lesson.text(f"badge_{source}_help"))
