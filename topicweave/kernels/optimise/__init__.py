"""Kernels of the optimisers: prices and their trees, diving, ruin and recreate."""
