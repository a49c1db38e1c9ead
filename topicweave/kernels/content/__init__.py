"""Kernels for assigning users to brokers: trees, moves of users, annealing, and bounds."""
