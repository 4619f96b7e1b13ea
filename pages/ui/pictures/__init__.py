"""Arrays and labels in, Plotly data out; knows neither Streamlit nor the core nor any words."""
