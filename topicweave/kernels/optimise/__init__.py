"""Kernels for near-optimal overlays: prices and trees, dives, ruin and recreate."""
