"""Kernels of the greedy family: the table of pairs, the sweep over it, and near candidates."""
