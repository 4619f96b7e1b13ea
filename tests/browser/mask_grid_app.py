"""A page for the browser tests of the mask grid: presets, a resize, another place, and an echo."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import streamlit as st

from pages.ui.frame.page_language import set_page_language
from pages.ui.widgets.mask_grid import mask_grid

WORDS = {
    "en": {
        "allowed": "{query} may look at {key}",
        "blocked": "{query} may not look at {key}",
        "row": "Allow or block every key for {query}",
        "column": "Allow or block {key} for every query",
        "queries": "queries ↓",
        "keys": "keys →",
        "hint": "Click a cell, drag over several, or click a name for its whole row or column.",
    },
    "ko": {
        "allowed": "{query} → {key}: 볼 수 있음",
        "blocked": "{query} → {key}: 볼 수 없음",
        "row": "{query}: 이 쿼리의 모든 키를 허용하거나 막기",
        "column": "{key}: 모든 쿼리에 이 키를 허용하거나 막기",
        "queries": "쿼리 ↓",
        "keys": "키 →",
        "hint": "칸을 누르거나 여러 칸 위로 끌거나, 이름을 눌러 행이나 열 전체를 바꾸세요.",
    },
}
LABELS = {
    "en": ["The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "warm", "and"],
    "ko": [
        "나는",
        "어제",
        "학교에서",
        "친구를",
        "만나",
        "함께",
        "점심을",
        "먹고",
        "도서관에",
        "가서",
        "책을",
    ],
}
LABELS["en"] += ["<b>soft</b>", "{key}", "2020-01-01", "a", "end"]
LABELS["ko"] += ["읽었다", "그리고", "집에", "왔다", "끝"]

state = st.session_state


def replace(mask):
    state.mask = mask
    state.version += 1


if "mask" not in state:
    n_query, _, n_key = st.query_params.get("shape", "4x4").partition("x")
    state.mask = np.tri(int(n_query), int(n_key), dtype=bool)
    state.version = 0
L, S = state.mask.shape
with st.container(horizontal=True):
    st.button("causal", on_click=replace, args=[np.tri(L, S, dtype=bool)])
    st.button("full", on_click=replace, args=[np.ones((L, S), bool)])
    st.button("bigger", on_click=replace, args=[np.tri(L + 1, S + 1, dtype=bool)])
    st.button("rerun")
    st.toggle("elsewhere", key="elsewhere")
    language = st.segmented_control("language", list(WORDS), default=st.query_params.get("lang", "en"))
set_page_language(language)
blind = not state.mask.any(axis=1).all()
if blind:
    st.warning("A query sees nothing.")  # comes and goes above the grid, as warnings do
with st.columns(1)[0] if state.elsewhere else st.container():
    mask = mask_grid(
        state.mask,
        key="grid",
        query_labels=LABELS[language][:L],
        key_labels=LABELS[language][:S],
        words=WORDS[language],
        label="mask",
        version=state.version,
        notes=[["later" if key > query else "" for key in range(S)] for query in range(L)],
    )
state.mask = mask
if blind == mask.any(axis=1).all():
    st.rerun()
st.code("\n".join("".join("01"[cell] for cell in row) for row in mask.astype(int)), language=None)
