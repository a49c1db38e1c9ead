"""The texts that people read: drawn at random, so that someone new to the project can mark what puzzles them."""
