"""Loops of content assignment: trees, moves, annealing, bounds."""
