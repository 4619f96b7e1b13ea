"""Everything to take away: tables, exports, code."""

import inspect

import pandas as pd
import streamlit as st

from attention_core import (
    attention_steps,
    softmax,
)
from attention_core.code import COMMENTS, numpy_source, torch_source
from attention_core.export import FORMS, export_matrix
from attention_core.insight import row_sums
from pages.ui.lessons.scene import Scene
from pages.ui.pictures.numbers import number
from pages.ui.state.matrices import SEEN
from pages.ui.state.matrix_fields import STAGES
from pages.ui.text import as_markdown
from pages.ui.widgets.lesson import Lesson


def show_tables(lesson: Lesson, scene: Scene) -> None:
    """The same numbers as the pictures, as real tables."""
    with st.expander(lesson.text("tables"), key=lesson.key("tables"), on_change="rerun") as box:
        if not box.open:
            return
        keys = [f"{j + 1} {key}" for j, key in enumerate(scene.keys)]
        for name in STAGES:
            columns = keys if name != "output" else [str(j + 1) for j in range(scene.trace.value.shape[1])]
            st.markdown(f"**{lesson.text(f'picture_{name}')}**")
            rows = [f"{i + 1} {query}" for i, query in enumerate(scene.queries)]
            table = pd.DataFrame(scene.matrix(name), index=rows, columns=columns).map(lambda x: number(x, 6))
            if name == "weights":
                table["Σ"] = [number(total, 6) for total in row_sums(scene.trace.weights)]
            st.table(table.rename(index=as_markdown, columns=as_markdown), alt=lesson.text(f"picture_{name}"))


def show_export(lesson: Lesson, scene: Scene) -> None:
    """Any matrix with its names, in any of the forms that other programs read."""
    with st.expander(lesson.text("export"), key=lesson.key("export"), on_change="rerun") as box:
        if not box.open:
            return
        name = st.pills(
            lesson.text("export_matrix"),
            ("query", "key", "value", "allowed", *STAGES),
            default="weights",
            format_func=lambda name: SEEN.get(name) or lesson.text(f"picture_{name}"),
            key=lesson.key("export_matrix"),
            required=True,
        )
        form = st.pills(
            lesson.text("export_form"),
            tuple(FORMS),
            default="csv",
            format_func=lambda name: lesson.text(f"form_{name}"),
            key=lesson.key("export_form"),
            required=True,
        )
        matrix = scene.matrix(name)
        rows = scene.keys if name in ("key", "value") else scene.queries
        has_features = name in ("query", "key", "value", "output")
        columns = [str(j + 1) for j in range(matrix.shape[1])] if has_features else scene.keys
        text = export_matrix(matrix, form, rows, columns, (lesson.text("export_rows"), lesson.text("export_columns")))
        st.code(text, language=None)
        for note in ("latex", "json"):
            if form == note:
                lesson.say(f"export_{note}")
        st.download_button(
            lesson.text("download"),
            text,
            file_name=f"{name}.{FORMS[form].ending}",
            key=lesson.key("export_download"),
            on_click="ignore",
        )


def show_code(lesson: Lesson, scene: Scene, temperature: float = 1.0) -> None:
    """Programs that compute what is on screen, and the lines of this app that did."""
    with st.expander(lesson.text("code"), key=lesson.key("code"), on_change="rerun") as box:
        if not box.open:
            return
        source = st.segmented_control(
            lesson.text("code_choice"),
            ("numpy", "torch", "app"),
            default="numpy",
            format_func=lambda name: lesson.text(f"code_{name}"),
            key=lesson.key("code_choice"),
            required=True,
        )
        if set(scene.other) & {"sum", "columns"}:
            lesson.say("code_as_defined")
        if source == "app":
            st.code(inspect.getsource(attention_steps) + "\n\n" + inspect.getsource(softmax), language="python")
            return
        program = {"numpy": numpy_source, "torch": torch_source}[source](
            scene.trace,
            {place: lesson.text(f"comment_{place}") for place in COMMENTS},
            {lesson.text("code_queries"): scene.queries, lesson.text("code_keys"): scene.keys},
            temperature,
            scene.before_cosine,
        )
        st.code(program, language="python")
