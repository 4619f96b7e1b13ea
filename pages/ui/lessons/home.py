"""Home: what can be set on its one live picture."""

from pages.ui.state.fields import Field, Flag
from pages.ui.state.matrix_fields import CELL, STAGE
from pages.ui.state.settings import Page

PAGE = Page("home", (Field("causal", Flag(), False), STAGE, *CELL))
