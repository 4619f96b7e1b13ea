"""By hand: what can be set on the page of one query."""

from pages.ui.state.fields import Choice, Field, Mask
from pages.ui.state.matrix_fields import OWN_SCALE, STAGE, fit, in_use, numbers, scaling, sharing, start
from pages.ui.state.settings import Page

PAGE = Page(
    "by_hand",
    (
        *numbers("abc", is_one_query=True),
        Field("mask", Mask(), label="mask_grid"),
        scaling("sqrt", "off", "cosine", "own"),
        OWN_SCALE,
        sharing("rows", "sum"),
        STAGE,
        Field("precision", Choice(("2", "4", "6"), "precision"), "4", is_view=True),
    ),
    start,
    fit=fit,
    in_use=in_use,
)
