"""Kernels for content assignment: trees, moves, annealing, bounds."""
