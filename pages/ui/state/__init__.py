"""What a visitor has set on a page, as one value."""
