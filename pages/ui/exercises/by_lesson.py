"""The exercises of every lesson. A page has those of the module here that bears its lesson's name, if there is one."""

from importlib import import_module
from importlib.util import find_spec

from pages.ui.exercises.exercise import Exercise
from pages.ui.frame.shell import page_files

#: By the lesson's name, in reading order; within a lesson in the order in which they teach best.
EXERCISES: dict[str, tuple[Exercise, ...]] = {
    name: import_module(f"pages.ui.exercises.{name}").EXERCISES
    for name in page_files()
    if find_spec(f"pages.ui.exercises.{name}")
}
