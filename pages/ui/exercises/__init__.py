"""The tasks of each lesson, and how they are shown."""
