"""What is around every page: title, menu, language."""
