"""Kernels of the greedy family: the table of candidate pairs, the main loop over it, and near candidates."""
