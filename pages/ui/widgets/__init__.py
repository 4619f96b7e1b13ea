"""Components and controls that return core values."""
