"""What each lesson shows, one module a lesson, and what several show."""
