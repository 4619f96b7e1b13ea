"""Tell the browser which page in which language this is, and keep it from scrolling away under a visitor's hand."""

import streamlit as st

# Streamlit's page says lang="en" whatever its words are, and stays where it was scrolled to when another page comes.
#
# A press into a row of choices goes, before it counts, to the choice that had the focus last, and the browser scrolls
# there: when that one was out of sight, what was pressed is no longer under the pointer and the click is lost. So here
# the pressed choice has the focus at once, and the page stays where it is.
_component = st.components.v2.component(
    "page_language",
    js="""
const root = document.documentElement;
const main = () => document.querySelector('[data-testid="stMain"]');
document.addEventListener("mousedown", (event) => {
  const choice = event.target.closest?.('[role="radiogroup"] button');
  if (!choice || choice.closest('[role="radiogroup"]').contains(document.activeElement)) return;
  const top = main().scrollTop;
  for (const _ of "12") choice.focus({ preventScroll: true }); // at first the row hands it on
  main().scrollTop = top;
  event.preventDefault();
}, true);
export default ({ data }) => {
  root.lang = data.code;
  if ((root.dataset.lesson ?? data.lesson) !== data.lesson)
    main().scrollTo(0, 0);
  root.dataset.lesson = data.lesson;
};
""",
    css=".st-key-page_language { display: none; }",  # an empty element would still take a line's gap
    isolate_styles=False,
)


def set_page_language(code: str, lesson: str = "") -> None:
    """Set ``<html lang>`` to a language code such as "ko"; a page of another lesson is shown from its top."""
    _component(key="page_language", data={"code": code, "lesson": lesson})
