"""Benchmarks: they measure speed as ratios of times within one run, and compare the ratios with stated limits. One
yardstick is Greedy Merge with the data structures of its publication.

``python -m benchmarks [names…] [--quick] [--json FILE]`` runs the table in :mod:`benchmarks.cases`.
"""
