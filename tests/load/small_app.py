"""A small page for the load script's own tests."""

import streamlit as st

if st.toggle("broken", key="broken"):
    raise ValueError("broken on purpose")
row = st.segmented_control("row", range(4), format_func=lambda row: f"row {row}", key="row", default=0)
size = st.slider("size", 2, 5, key="size")
st.select_slider("step", ["query", "key"], key="step")
st.write(row, size)
