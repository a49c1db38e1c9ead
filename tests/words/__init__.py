"""The words that people read: drawn at random, so that somebody new to the project can mark what puzzles them."""
